// argmin, argmax: the least place of the cells that are the extremum.
#include "numeric/array_state.h"
#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/math.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

// The places along `axis`, of the array's rank with extent 1 elsewhere, times `factor`.
Array places_along(const Call& call, const Shape& shape, int axis, std::int64_t factor) {
  const auto here = [&](std::int64_t number) { return Operand(number, call.where); };
  Shape flat;
  for (int k = 0; k < shape.rank(); ++k) flat.push_back(k == axis ? shape[k] : 1);
  const Array places = arange(here(0), here(shape[axis]), here(1), DType::Int64).reshape(flat, call.where);
  return factor == 1 ? places : Operand(places, call.where) * here(factor);
}

// The places row-major, counted through the whole array.
Array places_in(const Call& call, const Shape& shape) {
  Array places = full({}, Operand(0, call.where), DType::Int64);
  std::int64_t factor = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] > 1) {
      const Array more = places_along(call, shape, axis, factor);
      places = Operand(places, call.where) + Operand(more, call.where);
    }
    factor *= shape[axis];
  }
  return places;
}

Array first_place(const Call& call, kernel::Fold fold, const Array& a, std::optional<int> axis, bool keepdims) {
  const Shape shape = checked_state(call, a).shape;
  const Axes axes = axis ? Axes(*axis) : Axes();
  check_axes(call, axes, shape.rank());
  const bool along = axis && shape.rank() > 0;
  const Array best = extremum(call, fold, a, axes, /*keepdims=*/true);
  const Array places =
      along ? places_along(call, shape, checked_axis(call, *axis, shape.rank()), 1) : places_in(call, shape);
  const Operand cells(a, call.where);
  const Array equal = cells == Operand(best, call.where);
  const Array hits = is_floating(a.dtype()) ? Operand(equal, call.where) | Operand(cells != cells, call.where) : equal;
  const Array found = where(Operand(hits, call.where), Operand(places, call.where), Operand(INT64_MAX, call.where));
  return extremum(call, kernel::Fold::Minimum, found, axes, keepdims);
}

}  // namespace

Array argmin(const Array& a, std::optional<int> axis, bool keepdims, std::source_location where) {
  return first_place(Call{"argmin", where}, kernel::Fold::Minimum, a, axis, keepdims);
}

Array argmax(const Array& a, std::optional<int> axis, bool keepdims, std::source_location where) {
  return first_place(Call{"argmax", where}, kernel::Fold::Maximum, a, axis, keepdims);
}

}  // namespace pilum::numeric
