// Triangles and diagonals of matrices, and the coordinates of grids.
#include <algorithm>

#include "numeric/axis_parts.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

// Bools: the cells on diagonal k and below.
Array lower_mask(std::int64_t rows, std::int64_t columns, std::int64_t k, std::source_location where) {
  const Array row = expand_dims(arange(Operand(rows, where)), 1, where), column = arange(Operand(columns, where));
  const Array last = Operand(row, where) + Operand(k, where);
  return Operand(column, where) <= Operand(last, where);
}

// The mask of the last two axes, or of the rows that a vector is.
Array mask_of(const Call& call, const Array& a, std::int64_t k) {
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() == 0) fail<ShapeError>(call, "an array without axes is no matrix");
  const std::int64_t columns = shape[shape.rank() - 1];
  return lower_mask(shape.rank() == 1 ? columns : shape[shape.rank() - 2], columns, k, call.where);
}

void check_numbers(const Call& call, const slice& numbers) {
  if (!numbers.stop) fail<ValueError>(call, "a slice has no stop, and no axis says where it ends: give it one");
  if (numbers.step == 0) fail<ValueError>(call, "a step of 0 never reaches the stop: use another");
}

// The numbers of a slice, which stand for an axis of a grid.
Array numbers_of(const Call& call, const slice& numbers) {
  const auto here = [&](std::int64_t number) { return Operand(number, call.where); };
  return arange(here(numbers.start.value_or(0)), here(*numbers.stop), here(numbers.step), DType::Int64);
}

}  // namespace

Array tri(std::int64_t n, std::optional<std::int64_t> columns, std::int64_t k, DType dtype,
          std::source_location where) {
  const std::int64_t rows = std::max<std::int64_t>(n, 0), others = std::max<std::int64_t>(columns.value_or(n), 0);
  check_shape(Call{"tri", where}, {rows, others}, dtype);
  return lower_mask(rows, others, k, where).astype(dtype, where);
}

Array tril(const Array& a, std::int64_t k, std::source_location at) {
  const Array mask = mask_of(Call{"tril", at}, a, k);
  return where(Operand(mask, at), Operand(a, at), Operand(false, at));
}

Array triu(const Array& a, std::int64_t k, std::source_location at) {
  const Array mask = mask_of(Call{"triu", at}, a, k - 1);
  return where(Operand(mask, at), Operand(false, at), Operand(a, at));
}

Array diagflat(const Array& a, std::int64_t k, std::source_location at) {
  const Call call{"diagflat", at};
  const std::int64_t count = checked_state(call, a).shape.elements();
  const std::int64_t beside = k < 0 ? -k : k, extent = count + beside;
  check_shape(call, {extent, extent}, a.dtype());
  Array out = zeros({extent, extent}, a.dtype(), at);
  if (count == 0) return out;
  const Array on = eye(count, {}, 0, DType::Bool, at), cells = ravel(a, at);
  const Array block = part_of_axis(part_of_axis(out, 0, k < 0 ? beside : 0, count), 1, k < 0 ? 0 : beside, count);
  block[Index(ellipsis, at)] = where(Operand(on, at), Operand(cells, at), Operand(false, at));
  return out;
}

std::vector<Array> meshgrid(const std::vector<Array>& vectors, bool matrix_order, std::source_location where) {
  const Call call{"meshgrid", where};
  const int rank = static_cast<int>(vectors.size());
  const auto axis_of = [&](int place) { return matrix_order || rank < 2 || place > 1 ? place : 1 - place; };
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) shape.push_back(1);
  for (int place = 0; place < rank; ++place) {
    const Array& vector = vectors[static_cast<std::size_t>(place)];
    if (checked_state(call, vector).shape.rank() > 1)
      fail<ShapeError>(call, "an array of shape ", vector.shape(), " is no vector: ravel() it");
    if (axis_of(place) < kMaxAxes) shape[axis_of(place)] = vector.size();
  }
  std::vector<Array> grids;
  for (const Array& vector : vectors) check_shape(call, shape, vector.dtype());
  for (int place = 0; place < rank; ++place) {
    const Array& vector = vectors[static_cast<std::size_t>(place)];
    Shape flat;
    for (int axis = 0; axis < rank; ++axis) flat.push_back(axis == axis_of(place) ? vector.size() : 1);
    grids.push_back(broadcast_to(vector.reshape(flat, where), shape, where).copy(where));
  }
  return grids;
}

bool detail::is_matrix_order(std::string_view indexing, std::source_location where) {
  if (indexing != "ij" && indexing != "xy")
    fail<ValueError>(Call{"meshgrid", where}, "there is no indexing \"", indexing, "\": \"xy\" and \"ij\" are");
  return indexing == "ij";
}

Array indices(Shape shape, DType dtype, std::source_location where) {
  const Call call{"indices", where};
  Shape full({shape.rank()});
  for (const std::int64_t extent : shape) full.push_back(extent);
  check_shape(call, full, dtype);
  std::vector<Array> places;
  for (const std::int64_t extent : shape) {
    if (dtype == DType::Bool && extent > 2)
      fail<DTypeError>(call, "bools hold the coordinates 0 and 1, and an axis has ", extent, ": ask for integers");
    places.push_back(arange(Operand(extent, where), dtype));
  }
  Array out = empty(full, dtype, where);
  if (out.size() == 0) return out;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    Shape flat({1});
    for (int k = 0; k < shape.rank(); ++k) flat.push_back(k == axis ? shape[k] : 1);
    const Array along = places[static_cast<std::size_t>(axis)].reshape(flat, where);
    part_of_axis(out, 0, axis, 1) = Operand(along, where);
  }
  return out;
}

std::vector<Array> ogrid(const std::vector<slice>& slices, std::source_location where) {
  const Call call{"ogrid", where};
  const int rank = static_cast<int>(slices.size());
  if (rank > kMaxAxes) fail<ShapeError>(call, rank, " slices: arrays have at most ", kMaxAxes, " axes");
  for (const slice& numbers : slices) check_numbers(call, numbers);
  std::vector<Array> lines;
  for (int place = 0; place < rank; ++place) {
    const Array line = numbers_of(call, slices[static_cast<std::size_t>(place)]);
    Shape shape;
    for (int axis = 0; axis < rank; ++axis) shape.push_back(axis == place ? line.size() : 1);
    lines.push_back(line.reshape(shape, where));
  }
  return lines;
}

Array mgrid(const std::vector<slice>& slices, std::source_location where) {
  const Call call{"mgrid", where};
  const int rank = static_cast<int>(slices.size());
  if (rank == 0 || rank >= kMaxAxes)
    fail<ShapeError>(call, rank, " slices: give 1 to ", kMaxAxes - 1,
                     ", for which there is an axis each, and one more");
  for (const slice& numbers : slices) check_numbers(call, numbers);
  std::vector<Array> lines;
  Shape shape{rank};
  for (const slice& numbers : slices) {
    lines.push_back(numbers_of(call, numbers));
    shape.push_back(lines.back().size());
  }
  check_shape(call, shape, DType::Int64);
  Array grid = empty(shape, DType::Int64, where);
  if (grid.size() == 0) return grid;
  for (int place = 0; place < rank; ++place) {
    const Array& line = lines[static_cast<std::size_t>(place)];
    Shape flat{1};
    for (int axis = 0; axis < rank; ++axis) flat.push_back(axis == place ? line.size() : 1);
    const Array along = line.reshape(flat, where);
    part_of_axis(grid, 0, place, 1) = Operand(along, where);
  }
  return grid;
}

Array mgrid(slice numbers, std::source_location where) {
  const Call call{"mgrid", where};
  check_numbers(call, numbers);
  return numbers_of(call, numbers);
}

Array ogrid(slice numbers, std::source_location where) {
  const Call call{"ogrid", where};
  check_numbers(call, numbers);
  return numbers_of(call, numbers);
}

}  // namespace pilum::numeric
