// cuFFT's functions, found when first asked for.
#pragma once

#include <cufft.h>

#include <string>

#include "runtime/device/cuda_library.h"

namespace pilum::device {

// clang-format off
#define PILUM_CUFFT_FUNCTIONS(DO)                                                                                     \
  DO(cufftCreate) DO(cufftDestroy) DO(cufftGetProperty) DO(cufftSetAutoAllocation) DO(cufftMakePlanMany64)            \
  DO(cufftSetStream) DO(cufftSetWorkArea) DO(cufftExecC2C) DO(cufftExecZ2Z) DO(cufftExecR2C) DO(cufftExecD2Z)         \
  DO(cufftExecC2R) DO(cufftExecZ2D)
// clang-format on

struct FftFunctions {
  PILUM_CUFFT_FUNCTIONS(PILUM_CUDA_LIBRARY_MEMBER)
};

struct FftLibrary {
  const FftFunctions* functions = nullptr;  // live as long as the process
  std::string trouble;                      // why there are none, and what to do
};

// Looked for as cuBLAS is. PILUM_TEST_CUFFT, for tests, is the library's path; 0: as if there were none. Thread-safe.
[[nodiscard]] const FftLibrary& load_fft();

}  // namespace pilum::device
