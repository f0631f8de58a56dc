// Finds NVIDIA's libraries, which are opened with the first call that needs one: they are large.
#pragma once

#include <functional>
#include <string>
#include <vector>

// Of a struct of a library's functions, by lists that call DO(function) for each: its members, and how they are found
// in `library`; what finds them returns the name of the first one that is not there.
// NOLINTNEXTLINE(bugprone-macro-parentheses): it is a name
#define PILUM_CUDA_LIBRARY_MEMBER(function) decltype(&::function) function = nullptr;
#define PILUM_CUDA_LIBRARY_FIND(function)                                                         \
  functions.function = reinterpret_cast<decltype(functions.function)>(dlsym(library, #function)); \
  if (!functions.function) return #function;

namespace pilum::device {

struct CudaLibrary {
  std::string title;               // "cuBLAS"
  std::vector<std::string> names;  // "libcublas.so.13": the best first
  std::string folder;              // "cublas": beside others' where pip installs them
  const char* variable;            // of the environment: its path, for tests; 0: as if there were none
  // Takes what it needs of a library that was opened. Empty: it is the one.
  std::function<std::string(void* library, const std::string& name)> take;
};

// Looks in the process, beside NVRTC, in the folders of CUDA_HOME, CUDA_PATH, LD_LIBRARY_PATH and of the usual
// toolkits. Why there is none; empty: it was taken. What is opened stays so: it keeps threads and statics.
[[nodiscard]] std::string open_cuda_library(const CudaLibrary& wanted);

// Why the driver does not run what is made for this version of CUDA (13); empty: it does, as far as is known.
[[nodiscard]] std::string find_driver_trouble(const std::string& name, int cuda_major);

}  // namespace pilum::device
