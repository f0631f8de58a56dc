// A library in place of cuBLAS: the functions that we call, on the host's memory, as its documentation says: matrices
// have columns side by side. Products are refused to a handle that was not set up as it has to be.
#include <cublas_v2.h>

#include <complex>
#include <type_traits>

namespace {

struct Handle {
  bool has_stream = false, has_workspace = false, has_math = false, has_atomics = false;
};

Handle& of(cublasHandle_t handle) {
  return *reinterpret_cast<Handle*>(handle);
}

template <class T>
struct Cell {
  using Type = T;
};
template <>
struct Cell<cuComplex> {
  using Type = std::complex<float>;
};
template <>
struct Cell<cuDoubleComplex> {
  using Type = std::complex<double>;
};

// C = alpha op(A) op(B) + beta C. m: rows of op(A) and C; n: columns of op(B) and C; k: columns of op(A), rows of
// op(B).
template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
                    int64_t k, const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C,
                    int64_t ldc) {
  using Number = typename Cell<T>::Type;
  const Handle& set = of(handle);
  if (!set.has_stream || !set.has_workspace || !set.has_math || !set.has_atomics) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (lda < (transa == CUBLAS_OP_N ? m : k) || ldb < (transb == CUBLAS_OP_N ? k : n) || ldc < m)
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto* a = reinterpret_cast<const Number*>(A);
  const auto* b = reinterpret_cast<const Number*>(B);
  auto* c = reinterpret_cast<Number*>(C);
  const Number times = *reinterpret_cast<const Number*>(alpha), keeps = *reinterpret_cast<const Number*>(beta);
  for (int64_t row = 0; row < m; ++row) {
    for (int64_t column = 0; column < n; ++column) {
      Number sum{};
      for (int64_t i = 0; i < k; ++i) {
        sum += (transa == CUBLAS_OP_N ? a[row + i * lda] : a[i + row * lda]) *
               (transb == CUBLAS_OP_N ? b[i + column * ldb] : b[column + i * ldb]);
      }
      Number& cell = c[row + column * ldc];
      cell = keeps == Number{} ? times * sum : times * sum + keeps * cell;
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t gemm_batch(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                          int64_t n, int64_t k, const T* alpha, const T* A, int64_t lda, long long strideA, const T* B,
                          int64_t ldb, long long strideB, const T* beta, T* C, int64_t ldc, long long strideC,
                          int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const cublasStatus_t status = gemm(handle, transa, transb, m, n, k, alpha, A + i * strideA, lda, B + i * strideB,
                                       ldb, beta, C + i * strideC, ldc);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = reinterpret_cast<cublasHandle_t>(new Handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete &of(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType, int* value) {
  *value = 12;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_INVALID_VALUE ? "a wrong value" : "not set up";
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t) {
  of(handle).has_stream = true;
  of(handle).has_workspace = false;  // "unconditionally resets the workspace"
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes) {
  of(handle).has_workspace = workspace && bytes >= (size_t{4} << 20);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  of(handle).has_math = mode == CUBLAS_DEFAULT_MATH || mode == CUBLAS_PEDANTIC_MATH;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  of(handle).has_atomics = mode == CUBLAS_ATOMICS_NOT_ALLOWED;
  return CUBLAS_STATUS_SUCCESS;
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define FAKE_GEMM(letter, T)                                                                                           \
  cublasStatus_t cublas##letter##gemm_v2_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
                                            int64_t m, int64_t n, int64_t k, const T* alpha, const T* A, int64_t lda,  \
                                            const T* B, int64_t ldb, const T* beta, T* C, int64_t ldc) {               \
    return gemm<T>(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);                              \
  }                                                                                                                    \
  cublasStatus_t cublas##letter##gemmStridedBatched_64(                                                                \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k,      \
      const T* alpha, const T* A, int64_t lda, long long strideA, const T* B, int64_t ldb, long long strideB,          \
      const T* beta, T* C, int64_t ldc, long long strideC, int64_t count) {                                            \
    return gemm_batch<T>(handle, transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc,       \
                         strideC, count);                                                                              \
  }
FAKE_GEMM(S, float)
FAKE_GEMM(D, double)
FAKE_GEMM(C, cuComplex)
FAKE_GEMM(Z, cuDoubleComplex)
#undef FAKE_GEMM
// NOLINTEND(bugprone-macro-parentheses)

}  // extern "C"
