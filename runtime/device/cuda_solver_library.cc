#include "runtime/device/cuda_solver_library.h"

#include <dlfcn.h>

#include "runtime/device/cuda_solver.h"

namespace pilum::device {
namespace {

constexpr const char* kSolverRemedy =
    ": linear systems and factors of matrices on GPUs are the host's, with copies there and back. Install cuSOLVER of "
    "CUDA 12 or 13 (libcusolver.so), and set CUDA_HOME or LD_LIBRARY_PATH to where it is";
constexpr int kSolverOfCuda12 = 11;  // libcusolver.so.11 is of CUDA 12, libcusolver.so.12 of CUDA 13

// The name of the first function that the library lacks, null when all are found.
const char* find_all(void* library, SolverFunctions& functions) {
  PILUM_CUSOLVER_FUNCTIONS(PILUM_CUDA_LIBRARY_FIND)
  return nullptr;
}

std::string take(void* library, const std::string& name, SolverFunctions& functions) {
  if (const char* missing = find_all(library, functions)) return name + " is too old: it has no " + missing;
  int major = 0;
  if (functions.cusolverGetProperty(MAJOR_VERSION, &major) != CUSOLVER_STATUS_SUCCESS) return {};
  if (major < kSolverOfCuda12) return name + " is too old: it is of CUDA 10 or before";
  return find_driver_trouble(name, major - kSolverOfCuda12 + 12);
}

SolverLibrary find_solver_library() {
  static SolverFunctions functions;
  const std::string trouble =
      open_cuda_library({"cuSOLVER",
                         {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"},
                         "cusolver",
                         "PILUM_TEST_CUSOLVER",
                         [](void* library, const std::string& name) { return take(library, name, functions); }});
  if (trouble.empty()) return {&functions, {}};
  return {nullptr, trouble + kSolverRemedy};
}

}  // namespace

const SolverLibrary& load_solver() {
  static const SolverLibrary loaded = find_solver_library();
  return loaded;
}

std::string find_solver_trouble() {
  return load_solver().trouble;
}

}  // namespace pilum::device
