// Arrays split into parts, repeated, turned, and with more axes.
#include <algorithm>
#include <span>

#include "numeric/axis_parts.h"
#include "numeric/dtype_rules.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/scan.h"

namespace pilum::numeric {
namespace {

Array with_axes(const char* name, const Array& a, std::initializer_list<Shape> by_rank, std::source_location where) {
  const int rank = checked_state(Call{name, where}, a).shape.rank();
  return rank < static_cast<int>(by_rank.size()) ? a.reshape(*(by_rank.begin() + rank), where) : a;
}

std::vector<Array> cut_at(const Array& a, int axis, const std::vector<std::int64_t>& places) {
  const std::int64_t extent = a.shape()[axis];
  const auto bound = [&](std::int64_t place) {
    return std::clamp<std::int64_t>(place < 0 ? place + extent : place, 0, extent);
  };
  std::vector<Array> parts;
  std::int64_t start = 0;
  for (std::size_t k = 0; k <= places.size(); ++k) {
    const std::int64_t stop = k < places.size() ? bound(places[k]) : extent;
    parts.push_back(part_of_axis(a, axis, start, std::max<std::int64_t>(stop - start, 0)));
    start = stop;
  }
  return parts;
}

// The first ones are longer by a cell where they cannot all be of one extent.
std::vector<Array> cut_evenly(const Call& call, const Array& a, std::int64_t parts, int axis, bool exactly) {
  const Shape& shape = checked_state(call, a).shape;
  const int along = checked_axis(call, axis, shape.rank());
  if (parts <= 0) fail<ValueError>(call, "into ", parts, " parts: give one or more");
  if (exactly && shape[along] % parts != 0) {
    fail<ValueError>(call, "axis ", along, " of shape ", shape, " has no ", parts,
                     " parts of one extent: array_split takes nearly the same ones");
  }
  const std::int64_t least = shape[along] / parts, longer = shape[along] % parts;
  std::vector<std::int64_t> places;
  for (std::int64_t k = 1; k < parts; ++k) places.push_back(k * least + std::min(k, longer));
  return cut_at(a, along, places);
}

void check_has_axes(const Call& call, const Array& a, int least) {
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() < least) fail<ValueError>(call, "shape ", shape, " has fewer than ", least, " axes: reshape it");
}

void check_count(const Call& call, std::int64_t count) {
  if (count < 0) fail<ValueError>(call, "a count is ", count, ": it must be 0 or more");
}

// The array with cells of `axis` repeated `count` times as a whole.
Array laid_out(const Call& call, const Array& a, int axis, std::int64_t count) {
  if (count == 1) return a;
  const Array longer = expand_dims(a, axis, call.where);
  Shape shape = longer.shape();
  shape[axis] = count;
  Shape joined = a.shape();
  joined[axis] *= count;
  return broadcast_to(longer, shape, call.where).reshape(joined, call.where);
}

}  // namespace

Array atleast_1d(const Array& a, std::source_location where) {
  return with_axes("atleast_1d", a, {{1}}, where);
}

Array atleast_2d(const Array& a, std::source_location where) {
  return with_axes("atleast_2d", a, {{1, 1}, {1, a.size()}}, where);
}

Array atleast_3d(const Array& a, std::source_location where) {
  const Shape two = a.ndim() == 2 ? Shape{a.shape()[0], a.shape()[1], 1} : Shape();
  return with_axes("atleast_3d", a, {{1, 1, 1}, {1, a.size(), 1}, two}, where);
}

Array rot90(const Array& a, int quarters, Axis axis1, Axis axis2, std::source_location where) {
  const Call call{"rot90", where};
  check_has_axes(call, a, 2);
  const int from = checked_axis(call, axis1, a.ndim()), to = checked_axis(call, axis2, a.ndim());
  if (from == to) fail<ValueError>(call, "axis ", from, " is named twice: a plane has two axes");
  switch ((quarters % 4 + 4) % 4) {
    case 0: return a;
    case 1: return swapaxes(flip(a, to, where), from, to, where);
    case 2: return flip(a, {from, to}, where);
    default: return flip(swapaxes(a, from, to, where), to, where);
  }
}

Array flatten(const Array& a, std::source_location where) {
  static_cast<void>(checked_state(Call{"flatten", where}, a));
  return unshared(ravel(a, where), a, where);
}

std::vector<Array> split(const Array& a, std::int64_t parts, Axis axis, std::source_location where) {
  return cut_evenly(Call{"split", where}, a, parts, axis, /*exactly=*/true);
}

std::vector<Array> split(const Array& a, const std::vector<std::int64_t>& places, Axis axis,
                         std::source_location where) {
  const Call call{"split", where};
  return cut_at(a, checked_axis(call, axis, checked_state(call, a).shape.rank()), places);
}

std::vector<Array> array_split(const Array& a, std::int64_t parts, Axis axis, std::source_location where) {
  return cut_evenly(Call{"array_split", where}, a, parts, axis, /*exactly=*/false);
}

std::vector<Array> hsplit(const Array& a, std::int64_t parts, std::source_location where) {
  const Call call{"hsplit", where};
  check_has_axes(call, a, 1);
  return cut_evenly(call, a, parts, a.ndim() == 1 ? 0 : 1, /*exactly=*/true);
}

std::vector<Array> hsplit(const Array& a, std::initializer_list<std::int64_t> places, std::source_location where) {
  const Call call{"hsplit", where};
  check_has_axes(call, a, 1);
  return cut_at(a, a.ndim() == 1 ? 0 : 1, places);
}

std::vector<Array> vsplit(const Array& a, std::int64_t parts, std::source_location where) {
  const Call call{"vsplit", where};
  check_has_axes(call, a, 2);
  return cut_evenly(call, a, parts, 0, /*exactly=*/true);
}

std::vector<Array> vsplit(const Array& a, std::initializer_list<std::int64_t> places, std::source_location where) {
  const Call call{"vsplit", where};
  check_has_axes(call, a, 2);
  return cut_at(a, 0, places);
}

std::vector<Array> dsplit(const Array& a, std::int64_t parts, std::source_location where) {
  const Call call{"dsplit", where};
  check_has_axes(call, a, 3);
  return cut_evenly(call, a, parts, 2, /*exactly=*/true);
}

std::vector<Array> dsplit(const Array& a, std::initializer_list<std::int64_t> places, std::source_location where) {
  const Call call{"dsplit", where};
  check_has_axes(call, a, 3);
  return cut_at(a, 2, places);
}

Array tile(const Array& a, const std::vector<std::int64_t>& counts, std::source_location where) {
  const Call call{"tile", where};
  const Shape& own = checked_state(call, a).shape;
  for (const std::int64_t count : counts) check_count(call, count);
  const int rank = std::max(own.rank(), static_cast<int>(counts.size()));
  const int first = rank - static_cast<int>(counts.size());
  Shape shape, full;
  for (int axis = 0; axis < rank; ++axis) {
    const int place = axis - (rank - own.rank());
    shape.push_back(place < 0 ? 1 : own[place]);
    full.push_back(shape[axis < kMaxAxes ? axis : 0]);
    if (axis >= first && axis < kMaxAxes &&
        __builtin_mul_overflow(full[axis], counts[static_cast<std::size_t>(axis - first)], &full[axis]))
      full[axis] = INT64_MAX;
  }
  check_shape(call, full, a.dtype());
  Array result = a.reshape(shape, where);
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t count = axis < first ? 1 : counts[static_cast<std::size_t>(axis - first)];
    result = rank < kMaxAxes || count <= 1
                 ? (count == 0 ? part_of_axis(result, axis, 0, 0) : laid_out(call, result, axis, count))
                 : concatenate(std::vector<Array>(static_cast<std::size_t>(count), result), axis, where);
  }
  return unshared(result, a, where);
}

Array repeat(const Array& a, std::int64_t count, std::optional<Axis> axis, std::source_location where) {
  const Call call{"repeat", where};
  const int rank = checked_state(call, a).shape.rank();
  check_count(call, count);
  const Array from = axis ? atleast_1d(a, where) : ravel(a, where);
  const int along = checked_axis(call, axis.value_or(0), axis && rank > 0 ? rank : 1);
  const Array longer = expand_dims(from, along + 1, where);
  Shape shape = longer.shape(), joined = from.shape();
  shape[along + 1] = count;
  if (__builtin_mul_overflow(joined[along], count, &joined[along])) joined[along] = INT64_MAX;
  check_shape(call, joined, a.dtype());
  const Array result = broadcast_to(longer, shape, where).reshape(joined, where);
  return unshared(result, a, where);
}

// The place of each cell of the result is how many counts have begun before it: a 1 where each begins, added up.
Array repeat(const Array& a, const Array& counts, std::optional<Axis> axis, std::source_location where) {
  const Call call{"repeat", where};
  const int rank = checked_state(call, a).shape.rank();
  const ArrayState& given = checked_state(call, counts);
  if (is_inexact(given.dtype()))
    fail<DTypeError>(call, "the counts are ", given.dtype(), ": counts are integers; astype(np::int64) makes some");
  const Array from = axis ? atleast_1d(a, where) : ravel(a, where);
  const int along = checked_axis(call, axis.value_or(0), axis && rank > 0 ? rank : 1);
  const std::int64_t parts = from.shape()[along];
  if (given.shape.rank() > 1 || (given.shape.elements() != 1 && given.shape.elements() != parts)) {
    fail<ShapeError>(call, "counts of shape ", given.shape, " for ", parts, " parts along axis ", along,
                     ": give one for each, or one for all");
  }
  const Array numbers = given.dtype() == DType::Int64 ? counts : counts.astype(DType::Int64, where);
  if (numbers.size() == 1 && parts != 1) return repeat(a, numbers.item<std::int64_t>(where), axis, where);
  if (parts > 0) check_count(call, min(numbers, {}, false, where).item<std::int64_t>(where));
  const std::int64_t total = sum(numbers, {}, false, where).item<std::int64_t>(where);
  Shape shape = from.shape();
  shape[along] = total;
  check_shape(call, shape, a.dtype());
  if (total == 0) return empty(shape, a.dtype(), where);
  const Array line = ravel(numbers, where);
  const Array begins = cumsum(part_of_axis(line, 0, 0, parts - 1), 0, {}, where);
  const Array marks = zeros({total + 1}, DType::Int64, where);
  if (parts > 1) add_at(marks, begins, Operand(1, where));
  return take(from, cumsum(part_of_axis(marks, 0, 0, total), 0, {}, where), along, IndexMode::Raise, where);
}

Array repeat(const Array& a, std::initializer_list<std::int64_t> counts, std::optional<Axis> axis,
             std::source_location where) {
  return repeat(a, array(std::span(counts.begin(), counts.size()), {}, where), axis, where);
}

Array resize(const Array& a, Shape shape, std::source_location where) {
  const Call call{"resize", where};
  const std::int64_t own = checked_state(call, a).shape.elements();
  check_shape(call, shape, a.dtype());
  if (own == 0 || shape.elements() == 0) return zeros(shape, a.dtype(), where);
  const std::int64_t times = (shape.elements() + own - 1) / own;
  const Array enough = tile(ravel(a, where), times, where);
  const Array cells = part_of_axis(enough, 0, 0, shape.elements()).reshape(shape, where);
  return unshared(cells, enough, where);
}

Array append(const Array& a, const Array& values, std::optional<Axis> axis, std::source_location where) {
  const Call call{"append", where};
  if (axis) return concatenated(call, {a, values}, *axis);
  static_cast<void>(checked_state(call, a));
  static_cast<void>(checked_state(call, values));
  return concatenated(call, {ravel(a, where), ravel(values, where)}, 0);
}

Array dstack(const std::vector<Array>& arrays, std::source_location where) {
  const Call call{"dstack", where};
  std::vector<Array> deep;
  for (const Array& array : arrays) {
    static_cast<void>(checked_state(call, array));
    deep.push_back(atleast_3d(array, where));
  }
  return concatenated(call, deep, 2);
}

Array column_stack(const std::vector<Array>& arrays, std::source_location where) {
  const Call call{"column_stack", where};
  std::vector<Array> columns;
  for (const Array& array : arrays) {
    static_cast<void>(checked_state(call, array));
    columns.push_back(array.ndim() < 2 ? atleast_2d(array, where).transpose({}, where) : array);
  }
  return concatenated(call, columns, 1);
}

Array matrix_transpose(const Array& a, std::source_location where) {
  const Call call{"matrix_transpose", where};
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() < 2) fail<ShapeError>(call, "shape ", shape, " has fewer than 2 axes: a matrix has two");
  return swapaxes(a, -1, -2, where);
}

std::int64_t size(const Array& a, Axis axis, std::source_location where) {
  const Call call{"size", where};
  const Shape& shape = checked_state(call, a).shape;
  return shape[checked_axis(call, axis, shape.rank())];
}

std::vector<Array> unstack(const Array& a, Axis axis, std::source_location where) {
  const Call call{"unstack", where};
  check_has_axes(call, a, 1);
  const int along = checked_axis(call, axis, a.ndim());
  Shape shape;
  for (int k = 0; k < a.ndim(); ++k) {
    if (k != along) shape.push_back(a.shape()[k]);
  }
  std::vector<Array> parts;
  for (std::int64_t place = 0; place < a.shape()[along]; ++place)
    parts.push_back(part_of_axis(a, along, place, 1).reshape(shape, where));
  return parts;
}

std::vector<Array> broadcast_arrays(const std::vector<Array>& arrays, std::source_location where) {
  const Call call{"broadcast_arrays", where};
  if (arrays.empty()) return {};
  std::vector<Operand> operands;
  for (const Array& array : arrays) operands.emplace_back(array, where);
  std::vector<const Operand*> pointers;
  for (const Operand& operand : operands) pointers.push_back(&operand);
  const Shape shape = common_shape(call, pointers, recorder_of(call));
  std::vector<Array> views;
  for (const Array& array : arrays) views.push_back(broadcast_to(array, shape, where));
  return views;
}

}  // namespace pilum::numeric
