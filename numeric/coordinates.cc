// Coordinates as numbers and back; blocks.
#include <algorithm>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/elementwise.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/sets.h"

namespace pilum::numeric {
namespace {

void check_integers(const Call& call, const Array& a) {
  const DType dtype = checked_state(call, a).dtype();
  if (!is_integer(dtype) || dtype == DType::Bool)
    fail<DTypeError>(call, "the numbers are ", dtype, ", and integers are places: cast them with astype(int64)");
}

// Of the true cells of a triangle: waits for none of them, for their number follows from the shape.
std::pair<Array, Array> coordinates_of(const Array& mask, std::source_location where) {
  const std::vector<Array> both = nonzero(mask, where);
  return {both[0], both[1]};
}

}  // namespace

std::vector<Array> unravel_index(const Operand& indices, Shape shape) {
  const Call call{"unravel_index", indices.where()};
  Array left = held(call, indices);
  check_integers(call, left);
  check_shape(call, shape, DType::Int64);
  if (left.dtype() != DType::Int64) left = left.astype(DType::Int64, call.where);
  std::vector<Array> coordinates(static_cast<std::size_t>(shape.rank()));
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const Operand extent(shape[axis], call.where);
    coordinates[static_cast<std::size_t>(axis)] =
        axis == 0 ? left.copy(call.where) : Operand(left, call.where) % extent;
    if (axis > 0) left = floor_divide(Operand(left, call.where), extent);
  }
  return coordinates;
}

Array ravel_multi_index(const std::vector<Array>& coordinates, Shape shape, std::source_location where) {
  const Call call{"ravel_multi_index", where};
  check_shape(call, shape, DType::Int64);
  if (coordinates.size() != static_cast<std::size_t>(shape.rank()) || coordinates.empty())
    fail<ValueError>(call, coordinates.size(), " arrays of coordinates for shape ", shape, ": one for each axis");
  Shape common;
  for (const Array& one : coordinates) {
    check_integers(call, one);
    common = broadcast_shapes(call, common, one.shape());
  }
  Array number = coordinates[0].astype(DType::Int64, where);
  for (int axis = 1; axis < shape.rank(); ++axis) {
    const Array before = Operand(number, where) * Operand(shape[axis], where);
    number = Operand(before, where) + Operand(coordinates[static_cast<std::size_t>(axis)], where);
  }
  return number;
}

std::pair<Array, Array> tril_indices(std::int64_t n, std::int64_t k, std::optional<std::int64_t> columns,
                                     std::source_location where) {
  return coordinates_of(tri(n, columns, k, DType::Bool, where), where);
}

std::pair<Array, Array> triu_indices(std::int64_t n, std::int64_t k, std::optional<std::int64_t> columns,
                                     std::source_location where) {
  const Array below = tri(n, columns, k - 1, DType::Bool, where);
  return coordinates_of(logical_not(Operand(below, where)), where);
}

std::vector<Array> diag_indices(std::int64_t n, int axes, std::source_location where) {
  const Call call{"diag_indices", where};
  if (n < 0 || axes < 0 || axes > kMaxAxes)
    fail<ValueError>(call, n, " cells of ", axes, " axes: give 0 or more of both, and ", kMaxAxes, " axes at most");
  return std::vector<Array>(static_cast<std::size_t>(axes), arange(Operand(n, where)));
}

namespace {

const Shape& checked_matrix(const Call& call, const Array& a) {
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() != 2) fail<ShapeError>(call, "shape ", shape, " has no triangles: give a matrix, of two axes");
  return shape;
}

}  // namespace

std::pair<Array, Array> tril_indices_from(const Array& a, std::int64_t k, std::source_location where) {
  const Shape& shape = checked_matrix(Call{"tril_indices_from", where}, a);
  return tril_indices(shape[0], k, shape[1], where);
}

std::pair<Array, Array> triu_indices_from(const Array& a, std::int64_t k, std::source_location where) {
  const Shape& shape = checked_matrix(Call{"triu_indices_from", where}, a);
  return triu_indices(shape[0], k, shape[1], where);
}

std::vector<Array> diag_indices_from(const Array& a, std::source_location where) {
  const Call call{"diag_indices_from", where};
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() < 2) fail<ShapeError>(call, "shape ", shape, " has no diagonal: give an array of two axes or more");
  for (int axis = 1; axis < shape.rank(); ++axis) {
    if (shape[axis] != shape[0])
      fail<ShapeError>(call, "shape ", shape, " has extents that differ: a diagonal goes from corner to corner");
  }
  return diag_indices(shape[0], shape.rank(), where);
}

std::vector<Array> ix_(const std::vector<Array>& lines, std::source_location where) {
  const Call call{"ix_", where};
  if (lines.size() > static_cast<std::size_t>(kMaxAxes))
    fail<ShapeError>(call, lines.size(), " lines are more axes than ", kMaxAxes);
  for (const Array& line : lines) {
    const Shape& shape = checked_state(call, line).shape;
    if (shape.rank() != 1) fail<ShapeError>(call, "shape ", shape, " is no line: give one axis, as of ravel()");
  }
  std::vector<Array> open;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const Array places = lines[k].dtype() == DType::Bool ? nonzero(lines[k], where)[0] : lines[k];
    Shape shape;
    for (std::size_t axis = 0; axis < lines.size(); ++axis) shape.push_back(axis == k ? places.size() : 1);
    open.push_back(unshared(places.reshape(shape, where), lines[k], where));
  }
  return open;
}

Array block(const std::vector<std::vector<Array>>& rows, std::source_location where) {
  const Call call{"block", where};
  int rank = 2;
  for (const auto& row : rows) {
    for (const Array& one : row) rank = std::max(rank, checked_state(call, one).shape.rank());
  }
  const auto with_axes = [&](const Array& one) {
    Shape shape;
    for (int axis = one.ndim(); axis < rank; ++axis) shape.push_back(1);
    for (const std::int64_t extent : one.shape()) shape.push_back(extent);
    return one.ndim() == rank ? one : one.reshape(shape, where);
  };
  if (rows.empty()) fail<ValueError>(call, "there are no blocks: give one at least");
  std::vector<Array> whole_rows;
  for (const auto& row : rows) {
    if (row.empty()) fail<ValueError>(call, "a row has no blocks: give one at least");
    std::vector<Array> blocks;
    for (const Array& one : row) blocks.push_back(with_axes(one));
    whole_rows.push_back(concatenated(call, blocks, rank - 1));
  }
  return concatenated(call, whole_rows, rank - 2);
}

}  // namespace pilum::numeric
