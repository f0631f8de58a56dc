// For builds without the headers of cuBLAS.
#include "pilum/error.h"
#include "runtime/device/cuda_blas.h"

namespace pilum::device {
namespace {

constexpr const char* kTrouble =
    "built without cuBLAS, so products of matrices on GPUs are slow: build with cublas_v2.h beside cuda.h";

}  // namespace

std::string find_blas_trouble() {
  return kTrouble;
}

CudaBlas::CudaBlas(std::string who, CUstream, std::byte* workspace) : workspace_(workspace) {
  throw RuntimeError("[" + who + "] " + kTrouble);
}

CudaBlas::~CudaBlas() = default;

void CudaBlas::multiply(const GpuProduct&) {}

}  // namespace pilum::device
