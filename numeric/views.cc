// Transposes, broadcasts; and the copies that a dtype needs.
#include <algorithm>
#include <span>

#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

using partitioner::AxisMap;

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
