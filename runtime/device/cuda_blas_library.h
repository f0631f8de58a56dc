// cuBLAS's functions, found when first asked for: programs without products of matrices do not load it, for it is
// large.
#pragma once

#include <cublas_v2.h>

#include <string>

#include "runtime/device/cuda_library.h"

namespace pilum::device {

// The interface with 64-bit extents, which came with CUDA 12.
// clang-format off
#define PILUM_CUBLAS_FUNCTIONS(DO)                                                                                    \
  DO(cublasCreate_v2) DO(cublasDestroy_v2) DO(cublasGetProperty) DO(cublasGetStatusString)                            \
  DO(cublasSetStream_v2) DO(cublasSetWorkspace_v2) DO(cublasSetMathMode) DO(cublasSetAtomicsMode)                     \
  DO(cublasSgemm_v2_64) DO(cublasDgemm_v2_64) DO(cublasCgemm_v2_64) DO(cublasZgemm_v2_64)                             \
  DO(cublasSgemmStridedBatched_64) DO(cublasDgemmStridedBatched_64)                                                   \
  DO(cublasCgemmStridedBatched_64) DO(cublasZgemmStridedBatched_64)
// clang-format on

struct BlasFunctions {
  PILUM_CUBLAS_FUNCTIONS(PILUM_CUDA_LIBRARY_MEMBER)
};

struct BlasLibrary {
  const BlasFunctions* functions = nullptr;  // live as long as the process
  std::string trouble;                       // why there are none, and what to do
};

// Looked for in the process, beside NVRTC, in the folders of CUDA_HOME, CUDA_PATH, LD_LIBRARY_PATH and of the usual
// toolkits. PILUM_TEST_CUBLAS, for tests, is the library's path; 0: as if there were none. Thread-safe.
[[nodiscard]] const BlasLibrary& load_blas();

}  // namespace pilum::device
