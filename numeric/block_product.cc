#include "numeric/block_product.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "numeric/blas.h"
#include "numeric/body_walk.h"
#include "numeric/product_rows.h"
#include "numeric/wrapping.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

constexpr std::int64_t kDepth = 256;    // of k that are summed at once: no BLAS cuts so few
constexpr std::int64_t kColumns = 512;  // of b that stay in the cache, by kDepth rows, without a BLAS

// A matrix in memory: cell (i, j) lies at first + i * row + j * column.
template <class T>
struct Matrix {
  T* first = nullptr;
  std::int64_t rows = 0, columns = 0, row = 0, column = 0;

  T& operator()(std::int64_t i, std::int64_t j) const { return first[i * row + j * column]; }
  Matrix part(std::int64_t i, std::int64_t j, std::int64_t count_i, std::int64_t count_j) const {
    return {first + i * row + j * column, count_i, count_j, row, column};
  }
};

// The cells side by side, row by row, in memory of this thread.
template <class T>
Matrix<const T> pack(const Matrix<const T>& matrix, std::vector<std::byte>& room) {
  const auto bytes = static_cast<std::size_t>(matrix.rows * matrix.columns) * sizeof(T);
  if (room.size() < bytes) room.resize(bytes);
  T* const to = reinterpret_cast<T*>(room.data());
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    for (std::int64_t j = 0; j < matrix.columns; ++j) to[i * matrix.columns + j] = matrix(i, j);
  }
  return {to, matrix.rows, matrix.columns, matrix.columns, 1};
}

// How BLAS is told of a matrix: its leading dimension; 0 where it cannot read it.
template <class T>
std::int64_t leading(const Matrix<T>& matrix, bool transposed) {
  const std::int64_t inner = transposed ? matrix.rows : matrix.columns;
  const std::int64_t outer = transposed ? matrix.columns : matrix.rows;
  const std::int64_t step = transposed ? matrix.row : matrix.column;
  const std::int64_t pitch = outer == 1 ? inner : transposed ? matrix.column : matrix.row;
  const bool fits = (step == 1 || inner == 1) && pitch >= std::max<std::int64_t>(inner, 1) && pitch <= INT_MAX;
  return fits ? pitch : 0;
}

template <class T>
struct BlasMatrix {
  const T* first = nullptr;
  int order = Blas::kNoTrans;
  int pitch = 0;
};

template <class T>
BlasMatrix<T> for_blas(const Matrix<const T>& matrix, std::vector<std::byte>& room) {
  for (const bool transposed : {false, true}) {
    const std::int64_t pitch = leading(matrix, transposed);
    if (pitch) return {matrix.first, transposed ? Blas::kTrans : Blas::kNoTrans, static_cast<int>(pitch)};
  }
  const Matrix<const T> packed = pack(matrix, room);
  return {packed.first, Blas::kNoTrans, static_cast<int>(packed.row)};
}

struct Rooms {
  std::vector<std::byte> a, b;
};

template <class T>
auto gemm_of() {
  if constexpr (std::is_same_v<T, float>) {
    return blas().sgemm;
  } else {
    return blas().dgemm;
  }
}

// c (+)= a b, of at most kDepth columns of a, by BLAS.
template <class T>
void multiply_by_blas(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c, bool adds, Rooms& rooms) {
  const BlasMatrix<T> left = for_blas(a, rooms.a), right = for_blas(b, rooms.b);
  const auto rows = static_cast<int>(c.rows), columns = static_cast<int>(c.columns),
             depth = static_cast<int>(a.columns);
  gemm_of<T>()(Blas::kRowMajor, left.order, right.order, rows, columns, depth, T{1}, left.first, left.pitch,
               right.first, right.pitch, adds ? T{1} : T{0}, c.first, static_cast<int>(leading(c, false)));
}

// The same by loops: for each row of a the rows of b, side by side, are added to the row of c.
template <class T>
void multiply_by_loops(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c, bool adds,
                       Rooms& rooms) {
  for (std::int64_t j0 = 0; j0 < c.columns; j0 += kColumns) {
    const std::int64_t count = std::min(kColumns, c.columns - j0);
    const Matrix<const T> right = pack(b.part(0, j0, b.rows, count), rooms.b);
    for (std::int64_t i = 0; i < c.rows; ++i) {
      T sums[kColumns] = {};
      for (std::int64_t j = 0; adds && j < count; ++j) sums[j] = c(i, j0 + j);
      for (std::int64_t k = 0; k < a.columns; ++k) {
        const T left = a(i, k);
        const T* const row = right.first + k * right.row;
        for (std::int64_t j = 0; j < count; ++j) sums[j] = add_wrapping(sums[j], multiply_wrapping(left, row[j]));
      }
      for (std::int64_t j = 0; j < count; ++j) c(i, j0 + j) = sums[j];
    }
  }
}

template <class T>
void multiply(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c, bool adds) {
  thread_local Rooms rooms;
  for (std::int64_t k = 0; k < a.columns; k += kDepth) {
    const std::int64_t depth = std::min(kDepth, a.columns - k);
    const Matrix<const T> left = a.part(0, k, a.rows, depth), right = b.part(k, 0, depth, b.columns);
    if constexpr (std::is_floating_point_v<T>) {
      if (gemm_of<T>() && leading(c, false) && std::max(c.rows, c.columns) <= INT_MAX) {
        multiply_by_blas(left, right, c, adds || k > 0, rooms);
        continue;
      }
    }
    multiply_by_loops(left, right, c, adds || k > 0, rooms);
  }
}

// The matrix of a store's last two axes at cell `batch` of those before.
template <class T>
Matrix<T> matrix_at(const BoundStore& store, int rank, const Piece::Bounds& batch) {
  const auto row = static_cast<std::size_t>(rank - 2), column = row + 1;
  return {static_cast<T*>(store.first) + cells_to(store, batch, rank - 2), store.hi[row] - store.lo[row],
          store.hi[column] - store.lo[column], store.stride[row], store.stride[column]};
}

// Calls visit(batch) for each cell of the axes before the last two.
template <class Visit>
void for_each_batch(const BoundStore& store, int rank, Visit visit) {
  Piece::Bounds batch = store.lo;
  for (int axis = 0; axis < rank; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (store.lo[a] >= store.hi[a]) return;
  }
  while (true) {
    visit(batch);
    int axis = rank - 3;
    for (; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (++batch[a] < store.hi[a]) break;
      batch[a] = store.lo[a];
    }
    if (axis < 0) return;
  }
}

}  // namespace

void multiply_blocks(std::span<const std::int64_t> form, const BodyCall& call) {
  const auto dtype = static_cast<DType>(form[0]);
  const auto rank = static_cast<int>(form[1]);
  const bool adds = form[2] != 0;
  visit_dtype(dtype, [&]<class T>(T) {
    BoundStore c = call.stores[0], a = call.stores[1];
    const BoundStore& b = call.stores[2];
    join_rows(c, a, b, rank);
    for_each_batch(c, rank, [&](const Piece::Bounds& batch) {
      multiply<T>(matrix_at<const T>(a, rank, batch), matrix_at<const T>(b, rank, batch), matrix_at<T>(c, rank, batch),
                  adds);
    });
  });
}

}  // namespace pilum::numeric
