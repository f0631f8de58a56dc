// Cells left out and put in along an axis.
#include <algorithm>
#include <utility>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/elementwise.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/sets.h"

namespace pilum::numeric {
namespace {

// So many parts are put behind each other one by one; of more all cells are picked at once.
constexpr std::size_t kMostParts = 16;

// The line that is cut: an array along one of its axes, or all its cells behind each other.
struct CutLine {
  Array cells;
  int axis = 0;
  std::int64_t extent() const { return cells.shape()[axis]; }
};

CutLine line_of(const Call& call, const Array& a, std::optional<Axis> axis) {
  const int rank = checked_state(call, a).shape.rank();
  if (axis) return {a, checked_axis(call, *axis, rank)};
  return {ravel(a, call.where), 0};
}

// `end` is the first place that there is none of.
std::int64_t checked_place(const Call& call, const CutLine& line, std::int64_t place, std::int64_t end) {
  if (place < -line.extent() || place >= end)
    fail<IndexError>(call, "place ", place, " is outside of the ", line.extent(), " cells of axis ", line.axis);
  return place < 0 ? place + line.extent() : place;
}

// Integers of any shape, waited for.
std::vector<std::int64_t> places_in(const Call& call, const Array& places) {
  const DType dtype = checked_state(call, places).dtype();
  if (!is_integer(dtype))
    fail<DTypeError>(call, "the places are ", dtype, ": give integers, cast with astype(int64), or a mask");
  return (dtype == DType::Int64 ? places : places.astype(DType::Int64, call.where)).to_vector<std::int64_t>(call.where);
}

// Without the cells at these places, in order; some may be named more than once.
Array without(const Call& call, const CutLine& line, const std::vector<std::int64_t>& gone) {
  const std::int64_t extent = line.extent();
  if (gone.size() > kMostParts) {
    std::vector<std::int64_t> kept;
    auto next = gone.begin();
    for (std::int64_t place = 0; place < extent; ++place) {
      next = std::find_if(next, gone.end(), [&](std::int64_t other) { return other >= place; });
      if (next == gone.end() || *next != place) kept.push_back(place);
    }
    return take(line.cells, array(kept, DType::Int64, call.where), line.axis, IndexMode::Raise, call.where);
  }
  std::vector<Array> parts;
  std::int64_t first = 0;
  for (const std::int64_t place : gone) {
    if (place > first) parts.push_back(part_of_axis(line.cells, line.axis, first, place - first));
    first = place + 1;
  }
  if (first < extent || parts.empty()) {
    first = std::min(first, extent);
    parts.push_back(part_of_axis(line.cells, line.axis, first, extent - first));
  }
  return concatenated(call, parts, line.axis);
}

// The values with as many axes as the line.
Array with_axes_of(const Call& call, const Operand& values, const CutLine& line) {
  Array given = held(call, values);
  if (given.ndim() > line.cells.ndim())
    fail<ShapeError>(call, "values of shape ", given.shape(), " do not broadcast to lines of shape ",
                     line.cells.shape());
  while (given.ndim() < line.cells.ndim()) given = expand_dims(given, 0, call.where);
  return given.dtype() == line.cells.dtype() ? given : given.astype(line.cells.dtype(), call.where);
}

// So many cells of the line, all other axes as the line's.
Array broadcast_along(const Call& call, const Array& given, const CutLine& line, std::int64_t count) {
  Shape shape = line.cells.shape();
  shape[line.axis] = count;
  if (!broadcasts_to(given.shape(), shape))
    fail<ShapeError>(call, "values of shape ", given.shape(), " do not broadcast to lines of shape ", shape);
  return broadcast_to(given, shape, call.where);
}

Array inserted_at(const Call& call, const CutLine& line, std::int64_t place, const Array& given) {
  return concatenated(
      call,
      {part_of_axis(line.cells, line.axis, 0, place), broadcast_along(call, given, line, given.shape()[line.axis]),
       part_of_axis(line.cells, line.axis, place, line.extent() - place)},
      line.axis);
}

}  // namespace

Array delete_at(const Array& a, const std::vector<std::int64_t>& places, std::optional<Axis> axis,
                std::source_location where) {
  const Call call{"delete_at", where};
  const CutLine line = line_of(call, a, axis);
  std::vector<std::int64_t> gone;
  for (const std::int64_t place : places) gone.push_back(checked_place(call, line, place, line.extent()));
  std::ranges::sort(gone);
  return without(call, line, gone);
}

Array detail::delete_where(const Array& a, const Array& places, std::optional<Axis> axis, std::source_location where) {
  const Call call{"delete_at", where};
  if (checked_state(call, places).dtype() != DType::Bool) return delete_at(a, places_in(call, places), axis, where);
  const CutLine line = line_of(call, a, axis);
  if (places.shape() != Shape{line.extent()})
    fail<IndexError>(call, "a mask of shape ", places.shape(), " for the ", line.extent(), " cells of axis ", line.axis,
                     ": give one for each of them");
  return compress(!places, line.cells, line.axis, where);
}

Array insert(const Array& a, std::int64_t place, const Operand& values, std::optional<Axis> axis) {
  const Call call{"insert", values.where()};
  const CutLine line = line_of(call, a, axis);
  place = checked_place(call, line, place, line.extent() + 1);
  // NumPy: the first axis of the values goes to that one, and broadcasts at the others.
  return inserted_at(call, line, place, moveaxis(with_axes_of(call, values, line), 0, line.axis, call.where));
}

Array insert(const Array& a, const std::vector<std::int64_t>& places, const Operand& values, std::optional<Axis> axis) {
  const Call call{"insert", values.where()};
  const CutLine line = line_of(call, a, axis);
  const std::int64_t extent = line.extent(), count = std::ssize(places);
  const Array given = with_axes_of(call, values, line);
  std::vector<std::pair<std::int64_t, std::int64_t>> order;  // before which cell, and which of the values
  for (const std::int64_t place : places)
    order.emplace_back(checked_place(call, line, place, extent + 1), std::ssize(order));
  if (count == 1) return inserted_at(call, line, order[0].first, given);
  std::ranges::sort(order);
  const Array both = concatenated(call, {line.cells, broadcast_along(call, given, line, count)}, line.axis);
  std::vector<std::int64_t> from;  // in `both`
  auto next = order.begin();
  for (std::int64_t cell = 0; cell <= extent; ++cell) {
    for (; next != order.end() && next->first == cell; ++next) from.push_back(extent + next->second);
    if (cell < extent) from.push_back(cell);
  }
  return take(both, array(from, DType::Int64, call.where), line.axis, IndexMode::Raise, call.where);
}

Array detail::insert_where(const Array& a, const Array& places, const Operand& values, std::optional<Axis> axis) {
  const Call call{"insert", values.where()};
  if (checked_state(call, places).dtype() == DType::Bool)
    return insert(a, places_in(call, flatnonzero(places, call.where)), values, axis);
  const std::vector<std::int64_t> numbers = places_in(call, places);
  return places.ndim() == 0 ? insert(a, numbers[0], values, axis) : insert(a, numbers, values, axis);
}

}  // namespace pilum::numeric
