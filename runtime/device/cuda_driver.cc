#include "runtime/device/cuda_driver.h"

#include <dlfcn.h>

#include <cstdlib>

#include "pilum/error.h"

namespace pilum::device {
namespace {

template <class Pointer>
bool find(void* library, CudaFunction<Pointer>& function) {
  function.address = reinterpret_cast<Pointer>(dlsym(library, function.name));
  return function.address != nullptr;
}

// The name of the first function that the library lacks, null when all are found.
const char* find_all(void* library, CudaDriver& driver) {
#define PILUM_CUDA_FIND(function) \
  if (!find(library, driver.function)) return driver.function.name;
  PILUM_CUDA_FUNCTIONS(PILUM_CUDA_FIND)
#undef PILUM_CUDA_FIND
  return nullptr;
}

std::string no_gpu_text() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return "the NVIDIA driver shows no GPU" + (visible ? " (CUDA_VISIBLE_DEVICES=" + std::string(visible) + ")" : "");
}

CudaLoaded load() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed: its threads do not end before us
  if (!library) return {nullptr, "no NVIDIA driver (libcuda.so.1) on this machine"};
  static CudaDriver driver;
  if (const char* missing = find_all(library, driver)) {
    return {nullptr, "the NVIDIA driver is too old: it has no " + std::string(missing)};
  }
  const CUresult result = driver.cuInit(0);
  if (result == CUDA_ERROR_NO_DEVICE) return {nullptr, no_gpu_text()};
  if (result != CUDA_SUCCESS) return {nullptr, "the NVIDIA driver does not work: " + describe(driver, result)};
  int count = 0;
  if (driver.cuDeviceGetCount(&count) == CUDA_SUCCESS && count == 0) return {nullptr, no_gpu_text()};
  return {&driver, ""};
}

}  // namespace

const CudaLoaded& load_cuda() {
  static const CudaLoaded loaded = load();
  return loaded;
}

std::string describe(const CudaDriver& driver, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver.cuGetErrorName(result, &name);
  driver.cuGetErrorString(result, &text);
  if (!name) return "error " + std::to_string(static_cast<int>(result));
  return text ? std::string(name) + ": " + text : name;
}

void throw_cuda_error(const CudaDriver& driver, const std::string& who, const char* call, CUresult result) {
  throw RuntimeError("[" + who + "] " + call + " failed with " + describe(driver, result));
}

}  // namespace pilum::device
