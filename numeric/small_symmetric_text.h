// Eigenvalues and vectors of small symmetric matrices, for cores and GPUs alike.
#pragma once

#include "numeric/code_and_text.h"

namespace pilum::numeric::small {

// Jacobi's rotations, row by row, until what is beside the diagonal is less than rounding: Golub and Van Loan, Matrix
// Computations, 8.5. A matrix whose squares would not be numbers is scaled by a power of two. Every index is known
// where loops are unrolled.
// clang-format off
PILUM_CODE_AND_TEXT(kSmallSymmetric,
template <class T, int N>
struct SymmetricMatrix {
  T cell[N][N];
  T vector[N][N];
  bool is_found = true;

  // The diagonal is then the values, rising; `vector` has them as columns, if they are wanted.
  void find(bool wants_vectors) {
    PILUM_UNROLL for (int i = 0; i < N; ++i) {
      PILUM_UNROLL for (int j = 0; j < N; ++j) vector[i][j] = i == j ? T(1) : T(0);
    }
    T most = 0;
    PILUM_UNROLL for (int i = 0; i < N; ++i) {
      PILUM_UNROLL for (int j = 0; j < N; ++j) {
        const T size = size_of(cell[i][j]);
        if (size > most || size != size) most = size;
      }
    }
    is_found = most - most == 0;
    if (most == 0 || !is_found) return;
    const T factor = scale_of(most);
    T squares = 0;
    PILUM_UNROLL for (int i = 0; i < N; ++i) {
      PILUM_UNROLL for (int j = 0; j < N; ++j) {
        cell[i][j] *= factor;
        squares += cell[i][j] * cell[i][j];
      }
    }
    const T limit = sqrt_of(squares) * (sizeof(T) == 8 ? T(1.3e-17) : T(7e-9f));
    bool is_rotated = true;
    for (int sweep = 0; sweep < 30 && is_rotated; ++sweep) {
      is_rotated = false;
      PILUM_UNROLL for (int p = 0; p < N; ++p) {
        PILUM_UNROLL for (int q = p + 1; q < N; ++q) {
          if (!(size_of(cell[p][q]) > limit)) continue;
          is_rotated = true;
          rotate(p, q, wants_vectors);
        }
      }
    }
    PILUM_UNROLL for (int end = N - 1; end > 0; --end) {
      PILUM_UNROLL for (int i = 0; i < end; ++i) {
        if (cell[i][i] > cell[i + 1][i + 1]) exchange(i, i + 1);
      }
    }
    PILUM_UNROLL for (int i = 0; i < N; ++i) cell[i][i] /= factor;
  }

 private:
  static T size_of(T a) { return a < 0 ? -a : a; }
  static T sqrt_of(T a) { return sizeof(T) == 8 ? T(__builtin_sqrt(a)) : T(__builtin_sqrtf(a)); }
  static T scale_of(T most) {
    if constexpr (sizeof(T) == 8) return most < T(0x1p-400) ? T(0x1p600) : most > T(0x1p400) ? T(0x1p-600) : T(1);
    return most < T(0x1p-50f) ? T(0x1p90f) : most > T(0x1p50f) ? T(0x1p-80f) : T(1);
  }
  void rotate(int p, int q, bool wants_vectors) {
    const T beside = cell[p][q];
    const T theta = (cell[q][q] - cell[p][p]) / (2 * beside);
    const T root = sqrt_of(theta * theta + 1);
    const T t = theta < 0 ? -1 / (root - theta) : 1 / (root + theta);
    const T c = 1 / sqrt_of(t * t + 1);
    const T s = t * c;
    cell[p][p] -= t * beside;
    cell[q][q] += t * beside;
    cell[p][q] = 0;
    cell[q][p] = 0;
    PILUM_UNROLL for (int k = 0; k < N; ++k) {
      if (k != p && k != q) {
        const T left = cell[k][p];
        const T right = cell[k][q];
        cell[k][p] = c * left - s * right;
        cell[k][q] = s * left + c * right;
        cell[p][k] = cell[k][p];
        cell[q][k] = cell[k][q];
      }
      if (wants_vectors) {
        const T left = vector[k][p];
        const T right = vector[k][q];
        vector[k][p] = c * left - s * right;
        vector[k][q] = s * left + c * right;
      }
    }
  }
  void exchange(int p, int q) {
    const T held = cell[p][p];
    cell[p][p] = cell[q][q];
    cell[q][q] = held;
    PILUM_UNROLL for (int k = 0; k < N; ++k) {
      const T kept = vector[k][p];
      vector[k][p] = vector[k][q];
      vector[k][q] = kept;
    }
  }
};
)
// clang-format on

}  // namespace pilum::numeric::small
