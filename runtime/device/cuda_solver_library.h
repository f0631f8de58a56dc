// cuSOLVER's functions, found when first asked for.
#pragma once

#include <cusolverDn.h>

#include <string>

#include "runtime/device/cuda_library.h"

namespace pilum::device {

// clang-format off
#define PILUM_CUSOLVER_FUNCTIONS(DO)                                                                                  \
  DO(cusolverDnCreate) DO(cusolverDnDestroy) DO(cusolverDnSetStream) DO(cusolverGetProperty)                          \
  DO(cusolverDnCreateParams) DO(cusolverDnDestroyParams)                                                              \
  DO(cusolverDnXgetrf_bufferSize) DO(cusolverDnXgetrf) DO(cusolverDnXgetrs)                                           \
  DO(cusolverDnXpotrf_bufferSize) DO(cusolverDnXpotrf) DO(cusolverDnXgeqrf_bufferSize) DO(cusolverDnXgeqrf)           \
  DO(cusolverDnSorgqr_bufferSize) DO(cusolverDnSorgqr) DO(cusolverDnDorgqr_bufferSize) DO(cusolverDnDorgqr)           \
  DO(cusolverDnCungqr_bufferSize) DO(cusolverDnCungqr) DO(cusolverDnZungqr_bufferSize) DO(cusolverDnZungqr)           \
  DO(cusolverDnXsyevd_bufferSize) DO(cusolverDnXsyevd) DO(cusolverDnXgesvd_bufferSize) DO(cusolverDnXgesvd)
// clang-format on

struct SolverFunctions {
  PILUM_CUSOLVER_FUNCTIONS(PILUM_CUDA_LIBRARY_MEMBER)
};

struct SolverLibrary {
  const SolverFunctions* functions = nullptr;  // live as long as the process
  std::string trouble;                         // why there are none, and what to do
};

// Looked for as cuBLAS is. PILUM_TEST_CUSOLVER, for tests, is the library's path; 0: as if there were none.
// Thread-safe.
[[nodiscard]] const SolverLibrary& load_solver();

}  // namespace pilum::device
