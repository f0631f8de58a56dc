// One axis of whole arrays, for the oracle: lines along it, what is taken from it, the order of its cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tests/random/dense.h"

namespace pilum::random_programs {

using Places = std::vector<std::int64_t>;

// first, first + 1, …
Places places_from(std::int64_t first, std::int64_t count);

// An axis, between those before it and those after it. Throws Invalid where it is not there.
struct AxisOf {
  std::size_t axis = 0;
  std::int64_t before = 1, extent = 0, after = 1;

  AxisOf(const Extents& shape, int named);
  std::size_t place(std::int64_t outer, std::int64_t along, std::int64_t inner) const {
    return static_cast<std::size_t>((outer * extent + along) * after + inner);
  }
};

Dense taken(const Dense& from, const AxisOf& at, const Places& places);
// One behind the other, along the axis.
Dense joined(const std::vector<Dense>& parts, const AxisOf& at);
// The same of other dtypes: the promoted one's. Throws Invalid where extents differ.
Dense concatenated(const Dense& a, const Dense& b, const AxisOf& at);
// The dtype that arrays of these two meet in.
DType promoted(const Dense& a, const Dense& b);

// The function's results for each line, as many for all.
using OfLine = std::function<std::vector<Cell>(const std::vector<Cell>&)>;
Dense of_lines(const Dense& from, const AxisOf& at, DType dtype, std::int64_t results, const OfLine& function);
Dense without_axis(Dense value, const AxisOf& at);

// Where a cell of the result comes from, by its coordinates; nothing: it is `otherwise`.
using Source = std::function<std::optional<Extents>(const Extents&)>;
Dense rebuilt(const Dense& from, Extents shape, const Source& source, Cell otherwise = Cell{.integer = 0});
Dense swapped(const Dense& x, std::size_t a, std::size_t b);  // two axes

bool is_nan(Cell cell, DType dtype);
bool is_before(Cell a, Cell b, DType dtype);  // NaNs stand last
// Throw Invalid where NumPy leaves the order open: of 0.0 and -0.0, of complex NaNs.
std::vector<Cell> sorted(std::vector<Cell> line, DType dtype);
std::vector<Cell> order_of(const std::vector<Cell>& line, DType dtype);

}  // namespace pilum::random_programs
