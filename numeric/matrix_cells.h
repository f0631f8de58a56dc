// A matrix that a point of a launch has of a store.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numeric/body_walk.h"

namespace pilum::numeric {

// The last axes of a store at a point of those before: a matrix, or a vector as a column.
template <class T>
struct MatrixCells {
  T* first;
  int rows, columns;
  std::int64_t row, column;
  T& operator()(int i, int j = 0) const { return first[i * row + j * column]; }
};

template <class T>
MatrixCells<T> matrix_cells(const pilum::detail::BoundStore& store, const Piece::Bounds& point, int rank) {
  const auto row = static_cast<std::size_t>(rank), column = row + 1;
  return {static_cast<T*>(store.first) + cells_to(store, point, rank), static_cast<int>(store.hi[row] - store.lo[row]),
          static_cast<int>(store.hi[column] - store.lo[column]), store.stride[row], store.stride[column]};
}

template <class T>
MatrixCells<T> column_cells(const pilum::detail::BoundStore& store, const Piece::Bounds& point, int rank) {
  const auto row = static_cast<std::size_t>(rank);
  return {static_cast<T*>(store.first) + cells_to(store, point, rank), static_cast<int>(store.hi[row] - store.lo[row]),
          1, store.stride[row], 0};
}

}  // namespace pilum::numeric
