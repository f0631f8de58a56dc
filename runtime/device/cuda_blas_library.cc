#include "runtime/device/cuda_blas_library.h"

#include <dlfcn.h>

#include "runtime/device/cuda_blas.h"

namespace pilum::device {
namespace {

constexpr const char* kRemedy =
    ": products of matrices on GPUs are slow. Install cuBLAS of CUDA 12 or 13 (libcublas.so), and set CUDA_HOME or "
    "LD_LIBRARY_PATH to where it is";

// The name of the first function that the library lacks, null when all are found.
const char* find_all(void* library, BlasFunctions& functions) {
  PILUM_CUBLAS_FUNCTIONS(PILUM_CUDA_LIBRARY_FIND)
  return nullptr;
}

std::string take(void* library, const std::string& name, BlasFunctions& functions) {
  if (const char* missing = find_all(library, functions)) return name + " is too old: it has no " + missing;
  int major = 0;
  if (functions.cublasGetProperty(MAJOR_VERSION, &major) != CUBLAS_STATUS_SUCCESS) return {};
  return find_driver_trouble(name, major);
}

BlasLibrary load() {
  static BlasFunctions functions;
  const std::string trouble =
      open_cuda_library({"cuBLAS",
                         {"libcublas.so.13", "libcublas.so.12", "libcublas.so"},
                         "cublas",
                         "PILUM_TEST_CUBLAS",
                         [](void* library, const std::string& name) { return take(library, name, functions); }});
  if (trouble.empty()) return {&functions, {}};
  return {nullptr, trouble + kRemedy};
}

}  // namespace

const BlasLibrary& load_blas() {
  static const BlasLibrary loaded = load();
  return loaded;
}

std::string find_blas_trouble() {
  return load_blas().trouble;
}

}  // namespace pilum::device
