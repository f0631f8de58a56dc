#include "runtime/device/cuda_blas_library.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "runtime/base/cuda_folders.h"
#include "runtime/device/cuda_blas.h"
#include "runtime/device/cuda_driver.h"

namespace pilum::device {
namespace {

constexpr const char* kNames[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
constexpr const char* kRemedy =
    ": products of matrices on GPUs are slow. Install cuBLAS of CUDA 12 or 13 (libcublas.so), and set CUDA_HOME or "
    "LD_LIBRARY_PATH to where it is";

std::string folder_of(const std::string& path) {
  const std::size_t end = path.rfind('/');
  return end == std::string::npos ? std::string() : path.substr(0, end);
}

// Where kernels' compiler was loaded from: cuBLAS is often beside it, or as pip installs both.
std::string nvrtc_folder() {
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    const link_map* found = nullptr;
    if (library && dlinfo(library, RTLD_DI_LINKMAP, &found) == 0) return folder_of(found->l_name);
  }
  return {};
}

std::vector<std::string> find_folders() {
  std::vector<std::string> others;
  if (const std::string beside = nvrtc_folder(); !beside.empty()) others = {beside, beside + "/../../cublas/lib"};
  others.push_back(PILUM_CUBLAS_FOLDER);
  return find_cuda_folders(others);
}

// 13 of a driver that runs programs of CUDA 13; 0: unknown.
int driver_major() {
  const CudaDriver* const driver = load_cuda().driver;
  int version = 0;
  if (!driver || driver->cuDriverGetVersion(&version) != CUDA_SUCCESS) return 0;
  return version / 1000;
}

// The name of the first function that the library lacks, null when all are found.
const char* find_all(void* library, BlasFunctions& functions) {
#define PILUM_CUBLAS_FIND(function)                                                               \
  functions.function = reinterpret_cast<decltype(functions.function)>(dlsym(library, #function)); \
  if (!functions.function) return #function;
  PILUM_CUBLAS_FUNCTIONS(PILUM_CUBLAS_FIND)
#undef PILUM_CUBLAS_FIND
  return nullptr;
}

// Empty: `functions` are the library's.
std::string try_library(void* library, const std::string& name, BlasFunctions& functions) {
  if (const char* missing = find_all(library, functions)) return name + " is too old: it has no " + missing;
  int major = 0;
  const int most = driver_major();
  if (most > 0 && functions.cublasGetProperty(MAJOR_VERSION, &major) == CUBLAS_STATUS_SUCCESS && major > most) {
    return name + " is of CUDA " + std::to_string(major) + ", and the NVIDIA driver runs programs of CUDA " +
           std::to_string(most);
  }
  return {};
}

BlasLibrary load() {
  static BlasFunctions functions;
  std::string trouble = "no cuBLAS (libcublas.so) was found";
  // What is loaded stays so: it keeps threads and statics.
  const auto succeeds = [&](const std::string& name, int flags) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
    if (!library) {
      if (flags == 0 && name.front() == '/') trouble = "cuBLAS does not load: " + std::string(dlerror());
      return false;
    }
    const std::string found = try_library(library, name, functions);
    if (!found.empty()) trouble = found;
    return found.empty();
  };
  BlasLibrary loaded{&functions, {}};
  if (const char* const wanted = std::getenv("PILUM_TEST_CUBLAS")) {
    if (std::string(wanted) != "0" && succeeds(wanted, 0)) return loaded;
    return {nullptr, trouble + kRemedy};
  }
  for (const char* name : kNames) {  // another library of the process's may have loaded it
    if (succeeds(name, RTLD_NOLOAD)) return loaded;
  }
  for (const std::string& folder : find_folders()) {
    for (const char* name : kNames) {
      const std::string path = folder + '/' + name;
      if (access(path.c_str(), R_OK) == 0 && succeeds(path, 0)) return loaded;
    }
  }
  for (const char* name : kNames) {
    if (succeeds(name, 0)) return loaded;
  }
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
