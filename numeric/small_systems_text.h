// Linear systems of few unknowns, for cores and GPUs alike.
#pragma once

#include "numeric/code_and_text.h"

namespace pilum::numeric::small {

// Gaussian elimination: the row with the largest cell of a column comes up, as in LAPACK's getrf; a NaN counts for the
// largest. `row[i]` is the row that came to place i. Every index is known where loops are unrolled, so that all cells
// are in registers.
// clang-format off
PILUM_CODE_AND_TEXT(kSmallSystems,
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
