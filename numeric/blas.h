// OpenBLAS, where this machine has one.
#pragma once

namespace pilum::numeric {

// Its functions by address; null for all where there is none.
struct Blas {
  // cblas_sgemm, cblas_dgemm: order, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc.
  using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
  using Dgemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*,
                         int);
  Sgemm sgemm = nullptr;
  Dgemm dgemm = nullptr;

  static constexpr int kRowMajor = 101, kNoTrans = 111, kTrans = 112;  // as cblas.h has them
};

// Loads it when it is first asked for, and has it compute in the calling thread alone: Pilum's threads call it at once,
// each for its own block. It is loaded at run time, for it starts a thread for each core when it is loaded, and
// programs without products of matrices need none. PILUM_TEST_OPENBLAS=0, for tests, is as if there were none. Its
// number of threads is the process's: a program that uses the same OpenBLAS gets one thread too.
const Blas& blas();
// A function of that library; null where it has none of this name, or is not there.
void* find_in_openblas(const char* name);

}  // namespace pilum::numeric
