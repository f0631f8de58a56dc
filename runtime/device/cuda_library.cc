#include "runtime/device/cuda_library.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>

#include "runtime/base/cuda_folders.h"
#include "runtime/device/cuda_driver.h"

namespace pilum::device {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t end = path.rfind('/');
  return end == std::string::npos ? std::string() : path.substr(0, end);
}

// Where kernels' compiler was loaded from: other libraries are often beside it, or as pip installs both.
std::string nvrtc_folder() {
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    const link_map* found = nullptr;
    if (library && dlinfo(library, RTLD_DI_LINKMAP, &found) == 0) return folder_of(found->l_name);
  }
  return {};
}

std::vector<std::string> find_folders(const std::string& of_library) {
  std::vector<std::string> others;
  if (const std::string beside = nvrtc_folder(); !beside.empty())
    others = {beside, beside + "/../../" + of_library + "/lib"};
  others.push_back(PILUM_CUDA_LIBRARY_FOLDER);
  return find_cuda_folders(others);
}

// 13 of a driver that runs programs of CUDA 13; 0: unknown.
int driver_major() {
  const CudaDriver* const driver = load_cuda().driver;
  int version = 0;
  if (!driver || driver->cuDriverGetVersion(&version) != CUDA_SUCCESS) return 0;
  return version / 1000;
}

}  // namespace

std::string find_driver_trouble(const std::string& name, int cuda_major) {
  const int most = driver_major();
  if (most == 0 || cuda_major <= most) return {};
  return name + " is of CUDA " + std::to_string(cuda_major) + ", and the NVIDIA driver runs programs of CUDA " +
         std::to_string(most);
}

std::string open_cuda_library(const CudaLibrary& wanted) {
  std::string trouble = "no " + wanted.title + " (" + wanted.names.back() + ") was found";
  const auto succeeds = [&](const std::string& name, int flags) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
    if (!library) {
      if (flags == 0 && name.front() == '/') trouble = wanted.title + " does not load: " + std::string(dlerror());
      return false;
    }
    const std::string found = wanted.take(library, name);
    if (!found.empty()) trouble = found;
    return found.empty();
  };
  if (const char* const path = std::getenv(wanted.variable))
    return std::string(path) != "0" && succeeds(path, 0) ? std::string() : trouble;
  for (const std::string& name : wanted.names) {  // another library of the process's may have loaded it
    if (succeeds(name, RTLD_NOLOAD)) return {};
  }
  for (const std::string& folder : find_folders(wanted.folder)) {
    for (const std::string& name : wanted.names) {
      const std::string path = folder + '/' + name;
      if (access(path.c_str(), R_OK) == 0 && succeeds(path, 0)) return {};
    }
  }
  for (const std::string& name : wanted.names) {
    if (succeeds(name, 0)) return {};
  }
  return trouble;
}

}  // namespace pilum::device
