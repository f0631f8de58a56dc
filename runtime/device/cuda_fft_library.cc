#include "runtime/device/cuda_fft_library.h"

#include <dlfcn.h>

#include "runtime/device/cuda_fft.h"

namespace pilum::device {
namespace {

constexpr const char* kFftRemedy =
    ": Fourier transforms of arrays on GPUs are the host's, with copies there and back. Install cuFFT of CUDA 12 or 13 "
    "(libcufft.so), and set CUDA_HOME or LD_LIBRARY_PATH to where it is";
constexpr int kMajorOfCuda12 = 11;  // libcufft.so.11 is of CUDA 12, libcufft.so.12 of CUDA 13

// The name of the first function that the library lacks, null when all are found.
const char* find_all(void* library, FftFunctions& functions) {
  PILUM_CUFFT_FUNCTIONS(PILUM_CUDA_LIBRARY_FIND)
  return nullptr;
}

std::string take(void* library, const std::string& name, FftFunctions& functions) {
  if (const char* missing = find_all(library, functions)) return name + " is too old: it has no " + missing;
  int major = 0;
  if (functions.cufftGetProperty(MAJOR_VERSION, &major) != CUFFT_SUCCESS) return {};
  if (major < kMajorOfCuda12) return name + " is too old: it is of CUDA 11 or before";
  return find_driver_trouble(name, major - kMajorOfCuda12 + 12);
}

FftLibrary find_fft_library() {
  static FftFunctions functions;
  const std::string trouble =
      open_cuda_library({"cuFFT",
                         {"libcufft.so.12", "libcufft.so.11", "libcufft.so"},
                         "cufft",
                         "PILUM_TEST_CUFFT",
                         [](void* library, const std::string& name) { return take(library, name, functions); }});
  if (trouble.empty()) return {&functions, {}};
  return {nullptr, trouble + kFftRemedy};
}

}  // namespace

const FftLibrary& load_fft() {
  static const FftLibrary loaded = find_fft_library();
  return loaded;
}

std::string find_fft_trouble() {
  return load_fft().trouble;
}

}  // namespace pilum::device
