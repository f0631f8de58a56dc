// Linear systems of few unknowns, as text that is compiled with the library and for GPUs alike: both have the same
// bits.
#pragma once

// Loops whose cells are in registers where they are unrolled.
#ifdef __clang__
#define PILUM_UNROLL _Pragma("unroll")
#else
#define PILUM_UNROLL _Pragma("GCC unroll 8")
#endif

// The text as code, and as the string kSmallSystems.
#define PILUM_CODE_AND_TEXT(...)                                                         \
  __VA_ARGS__                                                                            \
  inline constexpr const char* kSmallSystems =                                           \
      "#ifdef __CUDACC_RTC__\n#define PILUM_UNROLL _Pragma(\"unroll\")\n#else\n#define " \
      "PILUM_UNROLL\n#endif\n" #__VA_ARGS__;

namespace pilum::numeric::small {

// Gaussian elimination: the row with the largest cell of a column comes up, as in LAPACK's getrf; a NaN counts for the
// largest. `row[i]` is the row that came to place i. Every index is known where loops are unrolled, so that all cells
// are in registers.
// clang-format off
PILUM_CODE_AND_TEXT(
template <class T, int N>
struct SmallSystem {
  T cell[N][N];
  int row[N];
  bool is_odd = false;
  bool is_singular = false;

  void factor() {
    PILUM_UNROLL for (int i = 0; i < N; ++i) row[i] = i;
    PILUM_UNROLL for (int k = 0; k < N; ++k) {
      int pivot = k;
      T best = size_of(cell[k][k]);
      PILUM_UNROLL for (int i = k + 1; i < N; ++i) {
        const T size = size_of(cell[i][k]);
        if (size > best || size != size) {
          best = size;
          pivot = i;
        }
      }
      if (best == 0) is_singular = true;
      if (pivot != k) is_odd = !is_odd;
      PILUM_UNROLL for (int i = k + 1; i < N; ++i) {
        if (i == pivot) exchange(k, i);
      }
      if (best == 0) continue;
      PILUM_UNROLL for (int i = k + 1; i < N; ++i) {
        const T factor = cell[i][k] / cell[k][k];
        cell[i][k] = factor;
        PILUM_UNROLL for (int j = k + 1; j < N; ++j) cell[i][j] -= factor * cell[k][j];
      }
    }
  }
  // Of a right side whose cells are in the order of `row`.
  void substitute(T (&x)[N]) const {
    PILUM_UNROLL for (int i = 0; i < N; ++i) {
      PILUM_UNROLL for (int j = 0; j < i; ++j) x[i] -= cell[i][j] * x[j];
    }
    PILUM_UNROLL for (int i = N - 1; i >= 0; --i) {
      PILUM_UNROLL for (int j = i + 1; j < N; ++j) x[i] -= cell[i][j] * x[j];
      x[i] = x[i] / cell[i][i];
    }
  }
  T determinant() const {
    T product = is_odd ? T(-1) : T(1);
    PILUM_UNROLL for (int i = 0; i < N; ++i) product *= cell[i][i];
    return is_singular ? T(0) : product;
  }

 private:
  static T size_of(T a) { return a < 0 ? -a : a; }
  void exchange(int k, int i) {
    PILUM_UNROLL for (int j = 0; j < N; ++j) {
      const T held = cell[k][j];
      cell[k][j] = cell[i][j];
      cell[i][j] = held;
    }
    const int held = row[k];
    row[k] = row[i];
    row[i] = held;
  }
};
)
// clang-format on

}  // namespace pilum::numeric::small

#undef PILUM_CODE_AND_TEXT
#undef PILUM_UNROLL
