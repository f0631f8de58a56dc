// Transposes, reshapes, broadcasts; and the copies that a new shape or dtype needs.
#include <algorithm>
#include <limits>
#include <span>

#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

using partitioner::AxisMap;

// -1 becomes what is left.
Shape resolve_shape(const Call& call, Shape shape, std::int64_t cells) {
  if (shape.rank() > kMaxAxes) check_shape(call, shape, DType::Bool);
  int open = -1;
  std::int64_t known = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == -1) {
      if (open >= 0) fail<ShapeError>(call, "shape ", shape, " leaves two extents open: give all but one");
      open = axis;
    } else if (shape[axis] < 0) {
      fail<ShapeError>(call, "shape ", shape, " has a negative extent: extents are 0 or more, or -1 once");
    } else if (__builtin_mul_overflow(known, shape[axis], &known)) {
      known = std::numeric_limits<std::int64_t>::max();
    }
  }
  if (open >= 0 && known != 0 && cells % known == 0) {
    shape[open] = cells / known;
    return shape;
  }
  if (open >= 0 || known != cells) {
    fail<ShapeError>(call, cells, cells == 1 ? " element does" : " elements do", " not fit ", shape, ": it has ",
                     open >= 0 ? "a multiple of " : "", known, ". Choose extents whose product is ", cells);
  }
  return shape;
}

// The place in `to` of each axis of `from` that has more than one cell; false where these axes differ.
bool match_axes(const Shape& from, const Shape& to, std::array<int, kMaxAxes>& places) {
  int place = 0;
  for (int axis = 0; axis < from.rank(); ++axis) {
    places[static_cast<std::size_t>(axis)] = -1;
    if (from[axis] == 1) continue;
    while (place < to.rank() && to[place] == 1) ++place;
    if (place == to.rank() || to[place] != from[axis]) return false;
    places[static_cast<std::size_t>(axis)] = place++;
  }
  return std::all_of(to.begin() + place, to.end(), [](std::int64_t extent) { return extent == 1; });
}

Array copy_into_shape(const Call& call, const ArrayState& array, const Shape& shape) {
  scheduler::Recorder& recorder = recorder_of(call);
  Array result = make_array(recorder.make_store(shape, array.dtype(), call.name, call.where));
  if (shape.elements() == 0) return result;
  recorder.record({call.name, call.where, scheduler::ReshapedCopy{ArrayAccess::state(result)->view(), array.view()}});
  return result;
}

Array copy_as(const Call& call, const Array& array, DType dtype) {
  const Operand operand(array, call.where);
  const Operand* const operands[] = {&operand};
  return record_new(call, Rule{kernel::Op::Cast, dtype, dtype}, operands);
}

}  // namespace

Array Array::transpose(Axes axes, std::source_location where) const {
  const Call call{"transpose", where};
  const ArrayState& array = checked_state(call, *this);
  const int rank = array.shape.rank();
  std::array<int, kMaxAxes> place{};  // of each of the array's axes in the result
  place.fill(-1);
  if (axes.given() && axes.count() != rank) {
    fail<ValueError>(call, axes.count(), " axes for shape ", array.shape, ", which has ", rank, ": name each once");
  }
  Shape shape;
  for (int k = 0; k < rank; ++k) {
    const int axis = axes.given() ? checked_axis(call, axes[k], rank) : rank - 1 - k;
    if (place[static_cast<std::size_t>(axis)] >= 0) {
      fail<ValueError>(call, "axis ", axis, " is named twice: name each axis of shape ", array.shape, " once");
    }
    place[static_cast<std::size_t>(axis)] = k;
    shape.push_back(array.shape[axis]);
  }
  partitioner::AffineMap map = array.map;
  for (int k = 0; k < map.store_rank; ++k) {
    AxisMap& axis = map[k];
    if (axis.axis >= 0) axis.axis = static_cast<std::int8_t>(place[static_cast<std::size_t>(axis.axis)]);
  }
  return make_view(array, map, shape);
}

Array Array::transpose(int a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7,
                       std::source_location where) const {
  const int axes[] = {a0, a1, a2, a3, a4, a5, a6, a7};
  const auto count = std::find(std::begin(axes), std::end(axes), kNone) - std::begin(axes);
  return transpose(Axes(std::span(axes).first(static_cast<std::size_t>(count))), where);
}

Array Array::reshape(std::int64_t n0, std::int64_t n1, std::int64_t n2, std::int64_t n3, std::int64_t n4,
                     std::int64_t n5, std::int64_t n6, std::int64_t n7, std::source_location where) const {
  Shape shape;
  for (const std::int64_t extent : {n0, n1, n2, n3, n4, n5, n6, n7}) {
    if (extent != kNone) shape.push_back(extent);
  }
  return reshape(shape, where);
}

Array Array::reshape(Shape wanted, std::source_location where) const {
  const Call call{"reshape", where};
  const ArrayState& array = checked_state(call, *this);
  const Shape shape = resolve_shape(call, wanted, array.shape.elements());
  check_shape(call, shape, array.dtype());
  std::array<int, kMaxAxes> places{};
  if (!match_axes(array.shape, shape, places)) return copy_into_shape(call, array, shape);
  partitioner::AffineMap map = array.map;
  map.view_rank = shape.rank();
  for (int k = 0; k < map.store_rank; ++k) {
    AxisMap& axis = map[k];
    if (axis.axis < 0) continue;
    const int place = places[static_cast<std::size_t>(axis.axis)];
    axis = place < 0 ? AxisMap{-1, 0, axis.offset} : AxisMap{static_cast<std::int8_t>(place), axis.scale, axis.offset};
  }
  return make_view(array, map, shape);
}

Array Array::astype(DType dtype, std::source_location where) const& {
  return copy_as(Call{"astype", where}, *this, dtype);
}

Array Array::copy(std::source_location where) const {
  const Call call{"copy", where};
  return copy_as(call, *this, checked_state(call, *this).dtype());
}

Array broadcast_to(const Array& a, Shape shape, std::source_location where) {
  const Call call{"broadcast_to", where};
  const ArrayState& array = checked_state(call, a);
  check_shape(call, shape, array.dtype());
  if (!broadcasts_to(array.shape, shape)) {
    fail<ShapeError>(call, "shape ", array.shape, " does not broadcast to ", shape,
                     ": aligned at the last axis, extents must agree or be 1");
  }
  scheduler::View view = array.view();
  broadcast_view(view, shape);
  return make_view(array, view.map, view.shape);
}

}  // namespace pilum::numeric
