// Slopes and integrals along an axis.
#include <algorithm>
#include <array>

#include "numeric/axis_parts.h"
#include "numeric/dtype_rules.h"
#include "numeric/shapes.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/scan.h"

namespace pilum::numeric {

namespace {

void check_slope(const Call& call, const Array& a, int axis, int edge_order = 1) {
  if (a.dtype() == DType::Bool) fail<DTypeError>(call, "bools cannot be subtracted: cast them with astype");
  if (edge_order != 1 && edge_order != 2) fail<ValueError>(call, "edge_order is ", edge_order, ": 1 or 2");
  if (a.shape()[axis] < edge_order + 1) {
    fail<ValueError>(call, "axis ", axis, " of shape ", a.shape(), " has fewer than ", edge_order + 1, " cells");
  }
}

// Cells of the line that have these weights: the sum of weights[k] times the cells from first + k on, `count` of each.
// Weights are numbers or arrays that broadcast to the parts.
template <class Weight>
Array weighted_parts(const Call& call, const Array& cells, int along, std::int64_t first, std::int64_t count,
                     const std::array<Weight, 3>& weights) {
  const auto term = [&](std::int64_t k) {
    const Array part = part_of_axis(cells, along, first + k, count);
    return Array(Operand(weights[static_cast<std::size_t>(k)], call.where) * Operand(part, call.where));
  };
  const Array start = term(0), middle = term(1), end = term(2);
  const Array both = Operand(start, call.where) + Operand(middle, call.where);
  return Operand(both, call.where) + Operand(end, call.where);
}

Array slope(const Call& call, const Array& a, double spacing, int along, int edge_order = 1) {
  const std::source_location where = call.where;
  const std::int64_t extent = a.shape()[along];
  const Array cells = is_inexact(a.dtype()) ? a : a.astype(DType::Float64, where);
  Array out = empty(cells.shape(), cells.dtype(), where);
  if (out.size() == 0) return out;
  const auto write = [&](std::int64_t to, std::int64_t before, std::int64_t after, std::int64_t count) {
    const Array high = part_of_axis(cells, along, after, count), low = part_of_axis(cells, along, before, count);
    const Array rise = Operand(high, where) - Operand(low, where);
    const double run = static_cast<double>(after - before) * spacing;
    part_of_axis(out, along, to, count) = Operand(rise, where) / Operand(run, where);
  };
  if (extent > 2) write(1, 0, 2, extent - 2);
  if (edge_order == 1) {
    write(0, 0, 1, 1);
    write(extent - 1, extent - 2, extent - 1, 1);
    return out;
  }
  const double unit = 1 / spacing;
  const std::array<double, 3> at_start{-1.5 / spacing, 2 * unit, -0.5 / spacing},
      at_end{0.5 / spacing, -2 * unit, 1.5 / spacing};
  part_of_axis(out, along, 0, 1) = Operand(weighted_parts(call, cells, along, 0, 1, at_start), where);
  part_of_axis(out, along, extent - 1, 1) = Operand(weighted_parts(call, cells, along, extent - 3, 1, at_end), where);
  return out;
}

// The slopes of the parabolas through three neighbours, whose places are `before` and `after` apart: at the first, the
// middle, the last of them. The weights are NumPy's.
std::array<Array, 3> weights_of_slope(const Call& call, const Array& before, const Array& after, int at) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Array both = here(before) + here(after);
  const Array first_run = here(before) * here(both), middle_run = here(before) * here(after),
              last_run = here(after) * here(both);
  if (at == 0) {
    const Array twice = here(2.0) * here(before);
    const Array sum = here(twice) + here(after);
    return {-here(sum / first_run), here(both) / here(middle_run), -here(before / last_run)};
  }
  if (at == 1) {
    const Array less = here(after) - here(before);
    return {-here(after / first_run), here(less) / here(middle_run), here(before) / here(last_run)};
  }
  const Array twice = here(2.0) * here(after);
  const Array sum = here(twice) + here(before);
  return {here(after) / here(first_run), -here(both / middle_run), here(sum) / here(last_run)};
}

Array slope_at(const Call& call, const Array& a, const Array& places, int along, int edge_order) {
  const std::source_location where = call.where;
  const std::int64_t extent = a.shape()[along];
  if (checked_state(call, places).shape.rank() != 1 || places.size() != extent) {
    fail<ShapeError>(call, "places of shape ", places.shape(), " for the ", extent, " cells along axis ", along,
                     " of shape ", a.shape(), ": give one for each, or a number that is their distance");
  }
  const DType own = is_inexact(a.dtype()) ? a.dtype() : DType::Float64;
  const Array cells = a.dtype() == own ? a : a.astype(own, where);
  const Array out = empty(cells.shape(), own, where);
  if (out.size() == 0) return out;
  Shape spread;
  for (int k = 0; k < a.ndim(); ++k) spread.push_back(k == along ? extent - 1 : 1);
  const Array line = is_inexact(places.dtype()) ? places : places.astype(DType::Float64, where);
  const Array distance = diff(line, 1, 0, where).reshape(spread, where);
  const auto apart = [&](std::int64_t start, std::int64_t count) {
    return part_of_axis(distance, along, start, count);
  };
  const auto weighted = [&](std::int64_t to, std::int64_t first, std::int64_t count, int at) {
    const auto weights = weights_of_slope(call, apart(first, count), apart(first + 1, count), at);
    part_of_axis(out, along, to, count) = Operand(weighted_parts(call, cells, along, first, count, weights), where);
  };
  if (extent > 2) weighted(1, 0, extent - 2, 1);
  if (edge_order == 2) {
    weighted(0, 0, 1, 0);
    weighted(extent - 1, extent - 3, 1, 2);
    return out;
  }
  for (const bool at_end : {false, true}) {
    const std::int64_t first = at_end ? extent - 2 : 0;
    const Array high = part_of_axis(cells, along, first + 1, 1), low = part_of_axis(cells, along, first, 1);
    const Array rise = Operand(high, where) - Operand(low, where);
    part_of_axis(out, along, at_end ? extent - 1 : 0, 1) = Operand(rise, where) / Operand(apart(first, 1), where);
  }
  return out;
}

// The axis that is meant, or the only one.
int checked_slope_axis(const Call& call, const Array& a, std::optional<int> axis, const char* spacing) {
  const Shape& shape = checked_state(call, a).shape;
  if (!axis && shape.rank() != 1) {
    fail<ShapeError>(call, "an array of shape ", shape, " has a slope along each axis: gradient(a, ", spacing,
                     ", axis), or gradient(a, all) for all of them");
  }
  return checked_axis(call, axis.value_or(0), shape.rank());
}

// The sum along the axis of the means of neighbours, each times its distance; `along` is this axis of the array.
Array areas(const Array& a, const Operand& distance, int along, int axis, std::source_location where) {
  const std::int64_t extent = a.shape()[along], left = std::max<std::int64_t>(extent - 1, 0);
  const Array after = part_of_axis(a, along, std::min<std::int64_t>(1, extent), left);
  const Array before = part_of_axis(a, along, 0, left);
  const Array both = Operand(after, where) + Operand(before, where);
  const Array scaled = distance * Operand(both, where);
  const Array area = Operand(scaled, where) / Operand(2.0, where);
  return sum(area, axis, false, where);
}

bool broadcast_together(const Shape& a, const Shape& b) {
  for (int back = 1; back <= std::min(a.rank(), b.rank()); ++back) {
    const std::int64_t m = a[a.rank() - back], n = b[b.rank() - back];
    if (m != n && m != 1 && n != 1) return false;
  }
  return true;
}

}  // namespace

Array ediff1d(const Array& a, const std::optional<Array>& to_end, const std::optional<Array>& to_begin,
              std::source_location where) {
  const Call call{"ediff1d", where};
  const DType dtype = checked_state(call, a).dtype();
  if (dtype == DType::Bool) fail<DTypeError>(call, "bools cannot be subtracted: cast them with astype");
  std::vector<Array> parts;
  const auto add = [&](const std::optional<Array>& ends) {
    if (!ends) return;
    if (!casts_within_kind(checked_state(call, *ends).dtype(), dtype))
      fail<DTypeError>(call, ends->dtype(), " beside ", dtype, " is of a higher kind: cast with astype");
    parts.push_back(ravel(*ends, where).astype(dtype, where));
  };
  add(to_begin);
  const Array line = ravel(a, where);
  parts.push_back(line.size() == 0 ? line : diff(line, 1, 0, where));
  add(to_end);
  return concatenated(call, parts, 0);
}

Array unwrap(const Array& a, std::optional<double> discont, Axis axis, double period, std::source_location where) {
  const Call call{"unwrap", where};
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  const int along = checked_axis(call, axis, checked_state(call, a).shape.rank());
  refuse_complex(call, a.dtype());
  const double half_period = period / 2;
  const Array cells = is_floating(a.dtype()) ? a : a.astype(DType::Float64, where);
  const Array step = a.dtype() == DType::Bool ? diff(a, 1, along, where).astype(DType::Float64, where)
                                              : diff(a, 1, along, where).astype(cells.dtype(), where);
  const Array shifted = here(step) - here(-half_period);
  const Array turned = here(shifted) % here(period);
  const Array nearest = here(turned) + here(-half_period);
  const Array is_lower_end = here(nearest) == here(-half_period), rises = here(step) > here(0);
  const Array is_upper_end = here(is_lower_end) & here(rises);
  const Array chosen = numeric::where(here(is_upper_end), here(half_period), here(nearest));
  const Array correction = here(chosen) - here(step);
  const Array size = numeric::abs(here(step));
  const Array is_small = here(size) < here(discont.value_or(half_period));
  const Array kept = numeric::where(here(is_small), here(0), here(correction));
  const Array out = cells.copy(where);
  const std::int64_t extent = cells.shape()[along];
  if (extent < 2 || out.size() == 0) return out;
  const Array moved = cumsum(kept, along, {}, where);
  const Array later = part_of_axis(cells, along, 1, extent - 1);
  part_of_axis(out, along, 1, extent - 1) = here(later) + here(moved);
  return out;
}

Array gradient(const Array& a, double spacing, std::optional<Axis> axis, std::source_location where) {
  const Call call{"gradient", where};
  const int along = checked_slope_axis(call, a, axis, "spacing");
  check_slope(call, a, along);
  return slope(call, a, spacing, along);
}

Array gradient(const Array& a, double spacing, Axis axis, int edge_order, std::source_location where) {
  const Call call{"gradient", where};
  const int along = checked_slope_axis(call, a, axis, "spacing");
  check_slope(call, a, along, edge_order);
  return slope(call, a, spacing, along, edge_order);
}

Array gradient(const Array& a, const Array& places, std::optional<Axis> axis, int edge_order,
               std::source_location where) {
  const Call call{"gradient", where};
  const int along = checked_slope_axis(call, a, axis, "places");
  check_slope(call, a, along, edge_order);
  return slope_at(call, a, places, along, edge_order);
}

std::vector<Array> detail::slopes_at(const Array& a, const std::vector<Array>& places, int edge_order,
                                     std::source_location where) {
  const Call call{"gradient", where};
  const Shape& shape = checked_state(call, a).shape;
  if (places.size() != static_cast<std::size_t>(shape.rank()))
    fail<ValueError>(call, places.size(), " arrays of places are not one for each axis of shape ", shape);
  for (int axis = 0; axis < shape.rank(); ++axis) check_slope(call, a, axis, edge_order);
  std::vector<Array> slopes;
  for (int axis = 0; axis < shape.rank(); ++axis)
    slopes.push_back(slope_at(call, a, places[static_cast<std::size_t>(axis)], axis, edge_order));
  return slopes;
}

std::vector<Array> gradient(const Array& a, All, const std::vector<double>& spacings, std::source_location where) {
  const Call call{"gradient", where};
  const Shape& shape = checked_state(call, a).shape;
  if (spacings.size() != static_cast<std::size_t>(shape.rank())) {
    fail<ValueError>(call, spacings.size(), " spacings are not one for each axis of shape ", shape);
  }
  for (int axis = 0; axis < shape.rank(); ++axis) check_slope(call, a, axis);
  std::vector<Array> slopes;
  for (int axis = 0; axis < shape.rank(); ++axis)
    slopes.push_back(slope(call, a, spacings[static_cast<std::size_t>(axis)], axis));
  return slopes;
}

std::vector<Array> gradient(const Array& a, All axes, double spacing, std::source_location where) {
  const int rank = checked_state(Call{"gradient", where}, a).shape.rank();
  return gradient(a, axes, std::vector<double>(static_cast<std::size_t>(rank), spacing), where);
}

Array trapezoid(const Array& a, double dx, Axis axis, std::source_location where) {
  const Call call{"trapezoid", where};
  const int along = checked_axis(call, axis, checked_state(call, a).shape.rank());
  return areas(a, Operand(dx, where), along, along, where);
}

Array trapezoid(const Array& a, const Array& x, Axis axis, std::source_location where) {
  const Call call{"trapezoid", where};
  const Shape& shape = checked_state(call, a).shape;
  const Shape& places = checked_state(call, x).shape;
  const int along = checked_axis(call, axis, shape.rank());
  const bool is_line = places.rank() == 1;
  const int own = is_line ? 0 : checked_axis(call, axis, places.rank());
  Shape between = shape, steps = places;  // neighbours along the axis
  between[along] = std::max<std::int64_t>(between[along] - 1, 0);
  steps[own] = std::max<std::int64_t>(steps[own] - 1, 0);
  Shape spread;
  for (int k = 0; is_line && k < shape.rank(); ++k) spread.push_back(k == along ? steps[0] : 1);
  if (!broadcast_together(is_line ? spread : steps, between)) {
    fail<ShapeError>(call, "places of shape ", places, " do not fit ", shape, ": give ", shape[along],
                     " of them, or an array of the same shape");
  }
  const Array distance = diff(x, 1, own, where);
  return areas(a, Operand(is_line ? distance.reshape(spread, where) : distance, where), along, axis, where);
}

}  // namespace pilum::numeric
