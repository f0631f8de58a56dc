// Arrays with more cells around them.
#include <algorithm>
#include <string_view>
#include <utility>

#include "numeric/axis_parts.h"
#include "numeric/dtype_rules.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/sort.h"

namespace pilum::numeric {
namespace {

using Width = std::pair<std::int64_t, std::int64_t>;

Width width_of(const std::vector<Width>& widths, int axis) {
  return widths.size() == 1 ? widths[0] : widths[static_cast<std::size_t>(axis)];
}

Shape padded_shape(const Call& call, const Array& a, const std::vector<Width>& widths) {
  Shape shape = checked_state(call, a).shape;
  if (widths.size() != 1 && static_cast<int>(widths.size()) != shape.rank()) {
    fail<ValueError>(call, widths.size(), " pairs of widths for shape ", shape, ": give one, or one for each axis");
  }
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto [before, after] = width_of(widths, axis);
    if (before < 0 || after < 0) {
      fail<ValueError>(call, "a width is ", std::min(before, after), ": slices leave cells out");
    }
    if (__builtin_add_overflow(shape[axis], before, &shape[axis]) ||
        __builtin_add_overflow(shape[axis], after, &shape[axis])) {
      shape[axis] = INT64_MAX;
    }
  }
  check_shape(call, shape, a.dtype());
  return shape;
}

// The cells of one axis and their mirror image or themselves again, in turn, from cell `start` of that pattern on:
// views of runs, up or down.
std::vector<Array> runs(const Array& a, int axis, Pad mode, std::int64_t start, std::int64_t count) {
  const std::int64_t extent = a.shape()[axis];
  const std::int64_t shared = mode == Pad::Reflect ? 1 : 0;  // ends that the mirror image does not repeat
  const std::int64_t period = mode == Pad::Wrap ? extent : 2 * (extent - shared);
  std::vector<Array> parts;
  for (std::int64_t at = start; at < start + count;) {
    const std::int64_t place = (at % period + period) % period;
    const bool is_up = place < extent;
    const std::int64_t left = std::min((is_up ? extent : period) - place, start + count - at);
    const std::int64_t from = is_up ? place : 2 * extent - 1 - shared - place;
    parts.push_back(part_of_axis(a, axis, from, left, is_up ? 1 : -1));
    at += left;
  }
  return parts;
}

// One of each line, with that axis.
Array of_lines(const Call& call, const Array& a, int axis, Pad mode) {
  const std::source_location where = call.where;
  if (mode == Pad::Maximum) return max(a, axis, true, where);
  if (mode == Pad::Minimum) return min(a, axis, true, where);
  const Array cells = a.dtype() == DType::Bool ? a.astype(DType::UInt8, where) : a;
  Array middle = mode == Pad::Mean ? mean(cells, axis, true, where) : median(cells, axis, true, where);
  if (middle.dtype() == a.dtype()) return middle;
  const Array whole = is_integer(a.dtype()) && a.dtype() != DType::Bool ? round(Operand(middle, where)) : middle;
  return whole.astype(a.dtype(), where);
}

Array repeated(const Call& call, const Array& a, int axis, std::int64_t count) {
  Shape shape = a.shape();
  shape[axis] = count;
  return broadcast_to(a, shape, call.where);
}

// From the value at the outer end to the cell at the inner one, which is not among them.
Array ramp(const Call& call, const Array& edge, int axis, const Operand& value, std::int64_t count) {
  const Array inner = squeeze(edge, axis, call.where);
  return linspace(value, Operand(inner, call.where), count, /*endpoint=*/false, edge.dtype(), axis);
}

Array padded_along(const Call& call, const Array& a, int axis, Pad mode, Width width, const Operand& value) {
  const auto [before, after] = width;
  const std::int64_t extent = a.shape()[axis];
  if (before == 0 && after == 0) return a;
  if (extent == 0) {
    fail<ValueError>(call, "axis ", axis, " of shape ", a.shape(), " has no cells to repeat: pad it with a constant");
  }
  if (mode == Pad::Maximum || mode == Pad::Minimum || mode == Pad::Mean || mode == Pad::Median) {
    const Array one = of_lines(call, a, axis, mode);
    return concatenate({repeated(call, one, axis, before), a, repeated(call, one, axis, after)}, axis, call.where);
  }
  if (mode == Pad::LinearRamp) {
    const Array first = ramp(call, part_of_axis(a, axis, 0, 1), axis, value, before),
                last = ramp(call, part_of_axis(a, axis, extent - 1, 1), axis, value, after);
    return concatenate({first, a, flip(last, axis, call.where)}, axis, call.where);
  }
  if (mode != Pad::Edge && !(mode == Pad::Reflect && extent == 1))
    return concatenate(runs(a, axis, mode, -before, before + extent + after), axis, call.where);
  const Array first = part_of_axis(a, axis, 0, 1), last = part_of_axis(a, axis, extent - 1, 1);
  return concatenate({repeated(call, first, axis, before), a, repeated(call, last, axis, after)}, axis, call.where);
}

}  // namespace

std::vector<std::pair<std::int64_t, std::int64_t>> detail::pair_of(std::initializer_list<std::int64_t> widths,
                                                                   std::source_location where) {
  if (widths.size() == 1) return {{*widths.begin(), *widths.begin()}};
  if (widths.size() != 2) {
    fail<ValueError>(Call{"pad", where}, widths.size(),
                     " widths: give how many before and behind, {1, 2}, or a pair "
                     "for each axis, {{1, 2}, {0, 0}}");
  }
  return {{widths.begin()[0], widths.begin()[1]}};
}

Array pad(const Array& a, const std::vector<Width>& widths, Pad mode, const Operand& value,
          std::source_location where) {
  const Call call{"pad", where};
  const Shape shape = padded_shape(call, a, widths);
  if (value.kind() != Operand::Kind::Array && value.kind() != Operand::Kind::Complex)
    static_cast<void>(to_scalar(call, value, a.dtype()));
  Array result = a;
  if (mode == Pad::Constant || mode == Pad::Empty) {
    result = mode == Pad::Empty ? empty(shape, a.dtype(), where) : full(shape, value, a.dtype());
    Array inner = result;
    for (int axis = 0; axis < shape.rank(); ++axis)
      inner = part_of_axis(inner, axis, width_of(widths, axis).first, a.shape()[axis]);
    if (a.size() > 0) std::move(inner)[Index(ellipsis, where)] = Operand(a, where);
    return result;
  }
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto [before, after] = width_of(widths, axis);
    if (a.shape()[axis] == 0 && before + after > 0) padded_along(call, a, axis, mode, {before, after}, value);
  }
  for (int axis = 0; axis < shape.rank(); ++axis)
    result = padded_along(call, result, axis, mode, width_of(widths, axis), value);
  return unshared(result, a, where);
}

Array pad(const Array& a, const std::vector<Width>& widths, std::string_view mode, const Operand& value,
          std::source_location where) {
  constexpr std::pair<std::string_view, Pad> kModes[] = {
      {"constant", Pad::Constant}, {"edge", Pad::Edge},           {"wrap", Pad::Wrap},
      {"reflect", Pad::Reflect},   {"symmetric", Pad::Symmetric}, {"linear_ramp", Pad::LinearRamp},
      {"maximum", Pad::Maximum},   {"minimum", Pad::Minimum},     {"mean", Pad::Mean},
      {"median", Pad::Median},     {"empty", Pad::Empty}};
  for (const auto& [word, named] : kModes) {
    if (word == mode) return pad(a, widths, named, value, where);
  }
  fail<ValueError>(Call{"pad", where}, "the mode is \"", mode,
                   "\": use constant, edge, wrap, reflect, symmetric, linear_ramp, maximum, minimum, mean, median or "
                   "empty");
}

}  // namespace pilum::numeric
