#include "tests/random/dense_axis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace pilum::random_programs {

Places places_from(std::int64_t first, std::int64_t count) {
  Places places(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  std::iota(places.begin(), places.end(), first);
  return places;
}

AxisOf::AxisOf(const Extents& shape, int named) {
  const int rank = static_cast<int>(shape.size());
  if (named < -rank || named >= rank) throw Invalid("an axis that is not there");
  axis = static_cast<std::size_t>(named < 0 ? named + rank : named);
  extent = shape[axis];
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (k != axis) (k < axis ? before : after) *= shape[k];
  }
}

Dense taken(const Dense& from, const AxisOf& at, const Places& places) {
  Dense result{from.dtype, from.shape};
  result.shape[at.axis] = static_cast<std::int64_t>(places.size());
  for (std::int64_t outer = 0; outer < at.before; ++outer) {
    for (const std::int64_t along : places) {
      for (std::int64_t inner = 0; inner < at.after; ++inner)
        result.cells.push_back(from.cells[at.place(outer, along, inner)]);
    }
  }
  return result;
}

Dense joined(const std::vector<Dense>& parts, const AxisOf& at) {
  Dense result{parts[0].dtype, parts[0].shape};
  result.shape[at.axis] = 0;
  for (const Dense& part : parts) result.shape[at.axis] += part.shape[at.axis];
  for (std::int64_t outer = 0; outer < at.before; ++outer) {
    for (const Dense& part : parts) {
      const std::int64_t row = part.shape[at.axis] * at.after;
      result.cells.insert(result.cells.end(), part.cells.begin() + outer * row, part.cells.begin() + (outer + 1) * row);
    }
  }
  return result;
}

Dense of_lines(const Dense& from, const AxisOf& at, DType dtype, std::int64_t results, const OfLine& function) {
  Dense result{dtype, from.shape};
  result.shape[at.axis] = results;
  result.cells.resize(static_cast<std::size_t>(count_of(result.shape)));
  const AxisOf to(result.shape, static_cast<int>(at.axis));
  for (std::int64_t outer = 0; outer < at.before; ++outer) {
    for (std::int64_t inner = 0; inner < at.after; ++inner) {
      std::vector<Cell> line;
      for (std::int64_t k = 0; k < at.extent; ++k) line.push_back(from.cells[at.place(outer, k, inner)]);
      const std::vector<Cell> made = function(line);
      for (std::int64_t k = 0; k < results; ++k)
        result.cells[to.place(outer, k, inner)] = made[static_cast<std::size_t>(k)];
    }
  }
  return result;
}

Dense without_axis(Dense value, const AxisOf& at) {
  value.shape.erase(value.shape.begin() + static_cast<std::ptrdiff_t>(at.axis));
  return value;
}

bool is_nan(Cell cell, DType dtype) {
  return is_floating(dtype) && std::isnan(cell.floating);
}

namespace {

// NumPy's: by the real part, then by the imaginary one.
bool is_before_complex(Cell a, Cell b) {
  if (std::isnan(a.floating + a.imaginary) || std::isnan(b.floating + b.imaginary)) throw Invalid("the order of NaNs");
  return a.floating != b.floating ? a.floating < b.floating : a.imaginary < b.imaginary;
}

}  // namespace

bool is_before(Cell a, Cell b, DType dtype) {
  if (is_complex(dtype)) return is_before_complex(a, b);
  if (is_floating(dtype)) return std::isnan(b.floating) ? !std::isnan(a.floating) : a.floating < b.floating;
  if (dtype == DType::UInt64) return static_cast<std::uint64_t>(a.integer) < static_cast<std::uint64_t>(b.integer);
  return a.integer < b.integer;
}

namespace {

// NumPy leaves open which of them comes first.
void check_zeros(const std::vector<Cell>& line, DType dtype) {
  if (!is_floating(dtype) && !is_complex(dtype)) return;
  for (Cell cell : line) {
    if ((cell.floating == 0 && std::signbit(cell.floating)) || (cell.imaginary == 0 && std::signbit(cell.imaginary)))
      throw Invalid("the order of 0.0 and -0.0");
  }
}

}  // namespace

std::vector<Cell> sorted(std::vector<Cell> line, DType dtype) {
  check_zeros(line, dtype);
  std::stable_sort(line.begin(), line.end(), [=](Cell a, Cell b) { return is_before(a, b, dtype); });
  return line;
}

std::vector<Cell> order_of(const std::vector<Cell>& line, DType dtype) {
  std::vector<Cell> order;
  for (std::size_t k = 0; k < line.size(); ++k) order.push_back(Cell{.integer = static_cast<std::int64_t>(k)});
  std::stable_sort(order.begin(), order.end(), [&](Cell a, Cell b) {
    return is_before(line[static_cast<std::size_t>(a.integer)], line[static_cast<std::size_t>(b.integer)], dtype);
  });
  return order;
}

Dense rebuilt(const Dense& from, Extents shape, const Source& source, Cell otherwise) {
  check_count(shape);
  if (shape.size() > 8 || count_of(shape) > 100'000) throw Invalid("more cells than a test needs");
  Dense result{from.dtype, std::move(shape)};
  Extents at(result.shape.size(), 0);
  for (std::int64_t cell = 0; cell < count_of(result.shape); ++cell) {
    const std::optional<Extents> where = source(at);
    std::int64_t place = 0;
    for (std::size_t axis = 0; where && axis < from.shape.size(); ++axis)
      place = place * from.shape[axis] + where->at(axis);
    result.cells.push_back(where ? from.cells.at(static_cast<std::size_t>(place)) : otherwise);
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < result.shape[axis]) break;
      at[axis] = 0;
    }
  }
  return result;
}

Dense swapped(const Dense& x, std::size_t a, std::size_t b) {
  Extents shape = x.shape;
  std::swap(shape.at(a), shape.at(b));
  return rebuilt(x, shape, [=](Extents at) {
    std::swap(at[a], at[b]);
    return at;
  });
}

DType promoted(const Dense& a, const Dense& b) {
  const Dense none{a.dtype, {0}}, nothing{b.dtype, {0}};
  return compute({.op = Op::Where}, {Dense{DType::Bool, {0}}, none, nothing}).dtype;
}

Dense concatenated(const Dense& a, const Dense& b, const AxisOf& at) {
  if (b.weak || a.shape.size() != b.shape.size()) throw Invalid("arrays of other axes");
  for (std::size_t axis = 0; axis < a.shape.size(); ++axis) {
    if (axis != at.axis && a.shape[axis] != b.shape[axis]) throw Invalid("arrays of other extents");
  }
  const DType dtype = promoted(a, b);
  return joined({cast(a, dtype), cast(b, dtype)}, at);
}

}  // namespace pilum::random_programs
