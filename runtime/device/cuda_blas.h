// Products of matrices by cuBLAS, where this machine has one.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>

#include "runtime/device/gpu.h"

namespace pilum::device {

// As NVIDIA advises for its newest GPUs.
inline constexpr std::size_t kBlasWorkspaceBytes = std::size_t{32} << 20;

// Why there are no products, with the remedy; empty: there are. Loads the library at the first call. Thread-safe.
[[nodiscard]] std::string find_blas_trouble();

// Issues products to one stream. Computes in the product's dtype, without the shorter numbers of TF32. With a workspace
// of the stream's own, and without atomic additions, the bits do not depend on what runs meanwhile. The GPU's context
// is current at each call, also at destruction, and one thread at a time calls. Throws pilum::RuntimeError in the name
// of `who`.
class CudaBlas {
 public:
  // `workspace`: kBlasWorkspaceBytes of the GPU's, of which the caller takes care; null: cuBLAS allocates its own.
  CudaBlas(std::string who, CUstream stream, std::byte* workspace);
  ~CudaBlas();
  CudaBlas(const CudaBlas&) = delete;
  CudaBlas& operator=(const CudaBlas&) = delete;

  void multiply(const GpuProduct& product);
  std::byte* workspace() const { return workspace_; }

 private:
  std::string who_;
  std::byte* workspace_;
  void* handle_ = nullptr;  // cublasHandle_t
};

}  // namespace pilum::device
