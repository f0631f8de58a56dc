#include "runtime/device/cuda_blas.h"

#include <tuple>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/device/cuda_blas_library.h"

namespace pilum::device {
namespace {

cublasHandle_t handle_of(void* handle) {
  return static_cast<cublasHandle_t>(handle);
}

void check(const std::string& who, const char* call, cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) [[likely]]
    return;
  throw RuntimeError("[" + who + "] " + call + " failed with " + load_blas().functions->cublasGetStatusString(status));
}

// cuBLAS's matrices have columns side by side: it sees the transposed of ours, and c' = b' a'. So b comes first, and an
// operand that lies row by row is read as it is.
template <class T, class Single, class Batched>
cublasStatus_t multiply_cells(cublasHandle_t handle, const GpuProduct& product, Single* single, Batched* batched) {
  const auto& [a, b, c] = std::tie(product.a, product.b, product.c);
  const auto operation = [](const GpuMatrix& matrix) { return matrix.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const auto cells = [](const GpuMatrix& matrix) { return reinterpret_cast<T*>(matrix.first); };
  T alpha{}, beta{};
  if constexpr (requires { alpha.x; }) {
    alpha.x = 1, beta.x = product.adds ? 1 : 0;
  } else {
    alpha = 1, beta = product.adds ? 1 : 0;
  }
  if (product.batches == 1) {
    return single(handle, operation(b), operation(a), product.columns, product.rows, product.depth, &alpha, cells(b),
                  b.pitch, cells(a), a.pitch, &beta, cells(c), c.pitch);
  }
  return batched(handle, operation(b), operation(a), product.columns, product.rows, product.depth, &alpha, cells(b),
                 b.pitch, b.batch_step, cells(a), a.pitch, a.batch_step, &beta, cells(c), c.pitch, c.batch_step,
                 product.batches);
}

}  // namespace

CudaBlas::CudaBlas(std::string who, CUstream stream, std::byte* workspace)
    : who_(std::move(who)), workspace_(workspace) {
  const BlasLibrary& library = load_blas();
  if (!library.functions) throw RuntimeError("[" + who_ + "] " + library.trouble);
  const BlasFunctions& blas = *library.functions;
  cublasHandle_t handle = nullptr;
  check(who_, "cublasCreate", blas.cublasCreate_v2(&handle));
  handle_ = handle;
  try {
    // The workspace comes after the stream, which sets cuBLAS's own.
    check(who_, "cublasSetStream", blas.cublasSetStream_v2(handle, stream));
    if (workspace)
      check(who_, "cublasSetWorkspace", blas.cublasSetWorkspace_v2(handle, workspace, kBlasWorkspaceBytes));
    check(who_, "cublasSetMathMode", blas.cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
    check(who_, "cublasSetAtomicsMode", blas.cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_NOT_ALLOWED));
  } catch (...) {
    static_cast<void>(blas.cublasDestroy_v2(handle));
    throw;
  }
}

CudaBlas::~CudaBlas() {
  static_cast<void>(load_blas().functions->cublasDestroy_v2(handle_of(handle_)));
}

void CudaBlas::multiply(const GpuProduct& product) {
  const BlasFunctions& blas = *load_blas().functions;
  const auto run = [&]<class T>(T, const char* name, auto* single, auto* batched) {
    check(who_, name, multiply_cells<T>(handle_of(handle_), product, single, batched));
  };
  switch (product.dtype) {
    case DType::Float32: return run(float(), "cublasSgemm", blas.cublasSgemm_v2_64, blas.cublasSgemmStridedBatched_64);
    case DType::Float64: return run(double(), "cublasDgemm", blas.cublasDgemm_v2_64, blas.cublasDgemmStridedBatched_64);
    case DType::Complex64:
      return run(cuComplex(), "cublasCgemm", blas.cublasCgemm_v2_64, blas.cublasCgemmStridedBatched_64);
    case DType::Complex128:
      return run(cuDoubleComplex(), "cublasZgemm", blas.cublasZgemm_v2_64, blas.cublasZgemmStridedBatched_64);
    default: PILUM_CHECK(false, "a product of dtype {}", static_cast<int>(product.dtype));
  }
}

}  // namespace pilum::device
