// numpy.matmul by three loops, for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "pilum/array.h"

namespace pilum::test {

template <class T>
struct Dense {
  Shape shape;
  std::vector<T> cells;
};

// What an array's cells are, as numbers that sums of products are exact in, or nearly.
template <class T>
Dense<T> dense_of(const numeric::Array& array) {
  const std::vector<T> cells = array.astype<T>().template to_vector<T>();
  return {array.shape(), cells};
}

// Where the cell at `place` of a batch, broadcast from axes that end before the last `inner` ones, begins.
template <class T>
std::int64_t batch_offset(const Dense<T>& array, int inner, const std::vector<std::int64_t>& place) {
  std::int64_t offset = 0;
  for (int axis = 0; axis < array.shape.rank() - inner; ++axis) {
    const auto from_end = static_cast<std::size_t>(array.shape.rank() - inner - axis);
    const std::int64_t at = array.shape[axis] == 1 ? 0 : place[place.size() - from_end];
    offset = offset * array.shape[axis] + at;
  }
  for (int axis = array.shape.rank() - inner; axis < array.shape.rank(); ++axis) offset *= array.shape[axis];
  return offset;
}

// Cells of the product, row by row; `batch` is the shape that the batches broadcast to. A vector is given as a matrix.
template <class T>
std::vector<T> naive_matmul(const Dense<T>& a, const Dense<T>& b, const Shape& batch) {
  const std::int64_t m = a.shape[a.shape.rank() - 2], depth = a.shape[a.shape.rank() - 1];
  const std::int64_t n = b.shape[b.shape.rank() - 1];
  std::vector<T> cells;
  std::vector<std::int64_t> place(static_cast<std::size_t>(batch.rank()));
  for (std::int64_t number = 0; number < batch.elements(); ++number) {
    std::int64_t rest = number;
    for (int axis = batch.rank() - 1; axis >= 0; --axis) {
      place[static_cast<std::size_t>(axis)] = rest % batch[axis];
      rest /= batch[axis];
    }
    const std::int64_t at_a = batch_offset(a, 2, place), at_b = batch_offset(b, 2, place);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        T sum{};
        for (std::int64_t k = 0; k < depth; ++k)
          sum += a.cells[static_cast<std::size_t>(at_a + i * depth + k)] *
                 b.cells[static_cast<std::size_t>(at_b + k * n + j)];
        cells.push_back(sum);
      }
    }
  }
  return cells;
}

}  // namespace pilum::test
