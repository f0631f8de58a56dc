// Slopes and integrals along an axis.
#include <algorithm>

#include "numeric/axis_parts.h"
#include "numeric/dtype_rules.h"
#include "numeric/shapes.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {

Array gradient(const Array& a, double spacing, std::optional<int> axis, std::source_location where) {
  const Call call{"gradient", where};
  const ArrayState& state = checked_state(call, a);
  if (state.dtype() == DType::Bool) fail<DTypeError>(call, "bools cannot be subtracted: cast them with astype");
  if (!axis && state.shape.rank() != 1) {
    fail<ShapeError>(call, "an array of shape ", state.shape, " has a slope along each axis: gradient(a, ", spacing,
                     ", axis)");
  }
  const int along = checked_axis(call, axis.value_or(0), state.shape.rank());
  const std::int64_t extent = state.shape[along];
  if (extent < 2) fail<ValueError>(call, "axis ", along, " of shape ", state.shape, " has fewer than 2 cells");
  const Array cells = is_inexact(a.dtype()) ? a : a.astype(DType::Float64, where);
  Array out = empty(cells.shape(), cells.dtype(), where);
  if (out.size() == 0) return out;
  const auto slope = [&](std::int64_t to, std::int64_t before, std::int64_t after, std::int64_t count) {
    const Array high = part_of_axis(cells, along, after, count), low = part_of_axis(cells, along, before, count);
    const Array rise = Operand(high, where) - Operand(low, where);
    const double run = static_cast<double>(after - before) * spacing;
    part_of_axis(out, along, to, count) = Operand(rise, where) / Operand(run, where);
  };
  if (extent > 2) slope(1, 0, 2, extent - 2);
  slope(0, 0, 1, 1);
  slope(extent - 1, extent - 2, extent - 1, 1);
  return out;
}

Array trapezoid(const Array& a, double dx, int axis, std::source_location where) {
  const Call call{"trapezoid", where};
  const Shape& shape = checked_state(call, a).shape;
  const int along = checked_axis(call, axis, shape.rank());
  const std::int64_t left = std::max<std::int64_t>(shape[along] - 1, 0);
  const Array after = part_of_axis(a, along, std::min<std::int64_t>(1, shape[along]), left);
  const Array before = part_of_axis(a, along, 0, left);
  const Array both = Operand(after, where) + Operand(before, where);
  const Array scaled = Operand(dx, where) * Operand(both, where);
  const Array area = Operand(scaled, where) / Operand(2.0, where);
  return sum(area, along, false, where);
}

}  // namespace pilum::numeric
