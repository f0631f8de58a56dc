// Arrays with more cells around them.
#include <algorithm>
#include <optional>
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

using Values = std::pair<Operand, Operand>;

Width width_of(const std::vector<Width>& widths, int axis) {
  return widths.size() == 1 ? widths[0] : widths[static_cast<std::size_t>(axis)];
}

// Of one axis: what stands at both ends, how many cells count there (0: all), and how mirror images are.
struct Ends {
  Values values;
  Width stat_length;
  bool is_odd = false;
};

void check_value(const Call& call, const Array& a, const Operand& value) {
  if (value.kind() == Operand::Kind::Array || value.kind() == Operand::Kind::Complex) return;
  static_cast<void>(to_scalar(call, value, checked_state(call, a).dtype()));
}

void check_pairs(const Call& call, const char* option, std::size_t pairs, int rank) {
  if (pairs > 1 && pairs != static_cast<std::size_t>(rank)) {
    fail<ValueError>(call, option, " has ", pairs, " pairs for ", rank, " axes: give one, or one for each axis");
  }
}

// An option that the mode does not know would have no effect.
void check_options(const Call& call, const Array& a, Pad mode, const PadOptions& options) {
  const int rank = a.ndim();
  const bool is_mirrored = mode == Pad::Reflect || mode == Pad::Symmetric;
  const bool folds = mode == Pad::Maximum || mode == Pad::Minimum || mode == Pad::Mean || mode == Pad::Median;
  const auto refuse = [&](const char* option, const char* modes) {
    fail<ValueError>(call, option, " is an option of ", modes, ": leave it out, or pad by one of these");
  };
  if (!options.constant_values.empty() && mode != Pad::Constant) refuse("constant_values", "constant");
  if (!options.end_values.empty() && mode != Pad::LinearRamp) refuse("end_values", "linear_ramp");
  if (!options.stat_length.empty() && !folds) refuse("stat_length", "maximum, minimum, mean and median");
  if (options.reflect_type != "even" && options.reflect_type != "odd")
    fail<ValueError>(call, "the reflect_type is \"", options.reflect_type, "\": use even or odd");
  if (options.reflect_type == "odd" && !is_mirrored) refuse("reflect_type", "reflect and symmetric");
  if (options.reflect_type == "odd" && a.dtype() == DType::Bool)
    fail<DTypeError>(call, "bools cannot be subtracted, as a reflect_type of \"odd\" does: pad them as int8");
  check_pairs(call, "constant_values", options.constant_values.size(), rank);
  check_pairs(call, "end_values", options.end_values.size(), rank);
  check_pairs(call, "stat_length", options.stat_length.size(), rank);
  for (const auto& [before, after] : options.stat_length) {
    if (std::min(before, after) < 1)
      fail<ValueError>(call, "a stat_length is ", std::min(before, after), ": some cells have to count");
  }
}

Ends ends_of(const PadOptions& options, int axis) {
  const auto of_axis = [axis](const auto& pairs, const auto& otherwise) {
    return pairs.empty() ? otherwise : pairs.size() == 1 ? pairs[0] : pairs[static_cast<std::size_t>(axis)];
  };
  const Values zeros{Operand(0), Operand(0)};
  return {of_axis(options.constant_values.empty() ? options.end_values : options.constant_values, zeros),
          of_axis(options.stat_length, Width{0, 0}), options.reflect_type == "odd"};
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
struct Run {
  Array cells;
  bool is_up;
};
std::vector<Run> runs(const Array& a, int axis, Pad mode, std::int64_t start, std::int64_t count) {
  const std::int64_t extent = a.shape()[axis];
  const std::int64_t shared = mode == Pad::Reflect ? 1 : 0;  // ends that the mirror image does not repeat
  const std::int64_t period = mode == Pad::Wrap ? extent : 2 * (extent - shared);
  std::vector<Run> parts;
  for (std::int64_t at = start; at < start + count;) {
    const std::int64_t place = (at % period + period) % period;
    const bool is_up = place < extent;
    const std::int64_t left = std::min((is_up ? extent : period) - place, start + count - at);
    const std::int64_t from = is_up ? place : 2 * extent - 1 - shared - place;
    parts.push_back({part_of_axis(a, axis, from, left, is_up || left == 1 ? 1 : -1), is_up});
    at += left;
  }
  return parts;
}

// Runs outwards from an end, each mirrored at the value of the cell that it begins behind, too: the cells of every
// other one are negated, and all of a run are shifted.
struct OddRuns {
  const Call& call;
  Array end, other_end;       // of the array, with that axis
  std::optional<Array> last;  // the value of the outermost cell so far
  std::optional<Array> shift = {};
  bool is_negated = false;

  void turn() {
    const std::source_location where = call.where;
    const Array twice = Operand(2, where) * Operand(last ? *last : end, where);
    shift = shift ? Operand(twice, where) - Operand(*shift, where) : twice;
    is_negated = !is_negated;
    const Operand outermost(is_negated ? other_end : end, where), by(*shift, where);
    last = is_negated ? by - outermost : outermost + by;
  }
  Array next(const Run& run) {
    turn();
    if (run.is_up == is_negated) turn();  // the mirror image of two cells has none between its ends
    const Operand cells(run.cells, call.where), by(*shift, call.where);
    return is_negated ? by - cells : cells + by;
  }
};

// What stands beyond an end.
std::vector<Array> beyond(const Call& call, const Array& a, int axis, Pad mode, std::int64_t count, bool is_behind,
                          bool is_odd) {
  const std::int64_t extent = a.shape()[axis];
  std::vector<Run> parts = runs(a, axis, mode, is_behind ? extent : -count, count);
  if (!is_behind) std::reverse(parts.begin(), parts.end());
  std::vector<Array> found;
  OddRuns odd{call,
              part_of_axis(a, axis, is_behind ? extent - 1 : 0, 1),
              part_of_axis(a, axis, is_behind ? 0 : extent - 1, 1),
              {}};
  for (const Run& run : parts) found.push_back(is_odd ? odd.next(run) : run.cells);
  if (!is_behind) std::reverse(found.begin(), found.end());
  return found;
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

// So many of a line's cells at its beginning, or at its end; all for 0.
Array counted(const Array& a, int axis, std::int64_t count, bool at_end) {
  const std::int64_t extent = a.shape()[axis];
  if (count == 0 || count >= extent) return a;
  return part_of_axis(a, axis, at_end ? extent - count : 0, count);
}

Array padded_along(const Call& call, const Array& a, int axis, Pad mode, Width width, const Ends& ends) {
  const auto [before, after] = width;
  const std::int64_t extent = a.shape()[axis];
  if (before == 0 && after == 0) return a;
  if (extent == 0) {
    fail<ValueError>(call, "axis ", axis, " of shape ", a.shape(), " has no cells to repeat: pad it with a constant");
  }
  if (mode == Pad::Maximum || mode == Pad::Minimum || mode == Pad::Mean || mode == Pad::Median) {
    const auto [first, last] = ends.stat_length;
    const Array front = of_lines(call, counted(a, axis, first, false), axis, mode),
                back = first == 0 && last == 0 ? front : of_lines(call, counted(a, axis, last, true), axis, mode);
    return concatenate({repeated(call, front, axis, before), a, repeated(call, back, axis, after)}, axis, call.where);
  }
  if (mode == Pad::LinearRamp) {
    const Array first = ramp(call, part_of_axis(a, axis, 0, 1), axis, ends.values.first, before),
                last = ramp(call, part_of_axis(a, axis, extent - 1, 1), axis, ends.values.second, after);
    return concatenate({first, a, flip(last, axis, call.where)}, axis, call.where);
  }
  if (mode != Pad::Edge && !(mode == Pad::Reflect && extent == 1)) {
    std::vector<Array> parts = beyond(call, a, axis, mode, before, /*is_behind=*/false, ends.is_odd);
    parts.push_back(a);
    for (Array& part : beyond(call, a, axis, mode, after, /*is_behind=*/true, ends.is_odd))
      parts.push_back(std::move(part));
    return concatenate(parts, axis, call.where);
  }
  const Array first = part_of_axis(a, axis, 0, 1), last = part_of_axis(a, axis, extent - 1, 1);
  return concatenate({repeated(call, first, axis, before), a, repeated(call, last, axis, after)}, axis, call.where);
}

// The cells around `inner`, axis after axis: the corners are the last one's.
void fill_rims(const Call& call, const Array& result, const Shape& inner, const std::vector<Width>& widths,
               const PadOptions& options) {
  const Index everything(ellipsis, call.where);
  for (int axis = 0; axis < inner.rank(); ++axis) {
    Array lines = result;
    for (int later = axis + 1; later < inner.rank(); ++later)
      lines = part_of_axis(lines, later, width_of(widths, later).first, inner[later]);
    const auto [before, after] = width_of(widths, axis);
    const auto [first, last] = ends_of(options, axis).values;
    if (before > 0) part_of_axis(lines, axis, 0, before)[everything] = first;
    if (after > 0) part_of_axis(lines, axis, before + inner[axis], after)[everything] = last;
  }
}

// What stands in all cells around, where that is one number.
std::optional<Operand> only_value(const Call& call, const Array& a, const PadOptions& options) {
  if (options.constant_values.empty()) return Operand(0, call.where);
  const auto is_number = [](const Operand& value) {
    return value.kind() != Operand::Kind::Array && value.kind() != Operand::Kind::Complex;
  };
  const Operand& found = options.constant_values.front().first;
  const auto is_found = [&](const Operand& value) {
    return is_number(value) && to_scalar(call, value, a.dtype()).bits == to_scalar(call, found, a.dtype()).bits;
  };
  if (!is_number(found)) return std::nullopt;
  for (const auto& [before, after] : options.constant_values) {
    if (!is_found(before) || !is_found(after)) return std::nullopt;
  }
  return found;
}

// The array that `a` goes into. One number is a value of a loop's kernels and no memory, which rims are not.
Array surroundings(const Call& call, const Array& a, const Shape& shape, const std::vector<Width>& widths, Pad mode,
                   const PadOptions& options) {
  if (mode == Pad::Constant) {
    if (const auto value = only_value(call, a, options)) return full(shape, *value, a.dtype());
  }
  const Array result = empty(shape, a.dtype(), call.where);
  if (mode == Pad::Constant && result.size() > 0) fill_rims(call, result, a.shape(), widths, options);
  return result;
}

Array pad_with(const Call& call, const Array& a, const std::vector<Width>& widths, Pad mode,
               const PadOptions& options) {
  const std::source_location where = call.where;
  const Shape shape = padded_shape(call, a, widths);
  check_options(call, a, mode, options);
  for (const auto* pairs : {&options.constant_values, &options.end_values}) {
    for (const auto& [before, after] : *pairs) {
      check_value(call, a, before);
      check_value(call, a, after);
    }
  }
  if (mode == Pad::Constant || mode == Pad::Empty) {
    const Array result = surroundings(call, a, shape, widths, mode, options);
    Array inner = result;
    for (int axis = 0; axis < shape.rank(); ++axis)
      inner = part_of_axis(inner, axis, width_of(widths, axis).first, a.shape()[axis]);
    if (a.size() > 0) std::move(inner)[Index(ellipsis, where)] = Operand(a, where);
    return result;
  }
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto [before, after] = width_of(widths, axis);
    if (a.shape()[axis] == 0 && before + after > 0)
      padded_along(call, a, axis, mode, {before, after}, ends_of(options, axis));
  }
  Array result = a;
  for (int axis = 0; axis < shape.rank(); ++axis)
    result = padded_along(call, result, axis, mode, width_of(widths, axis), ends_of(options, axis));
  return unshared(result, a, where);
}

Pad mode_of(const Call& call, std::string_view mode) {
  constexpr std::pair<std::string_view, Pad> kModes[] = {
      {"constant", Pad::Constant}, {"edge", Pad::Edge},           {"wrap", Pad::Wrap},
      {"reflect", Pad::Reflect},   {"symmetric", Pad::Symmetric}, {"linear_ramp", Pad::LinearRamp},
      {"maximum", Pad::Maximum},   {"minimum", Pad::Minimum},     {"mean", Pad::Mean},
      {"median", Pad::Median},     {"empty", Pad::Empty}};
  for (const auto& [word, named] : kModes) {
    if (word == mode) return named;
  }
  fail<ValueError>(call, "the mode is \"", mode,
                   "\": use constant, edge, wrap, reflect, symmetric, linear_ramp, maximum, minimum, mean, median or "
                   "empty");
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

Array pad(const Array& a, const std::vector<Width>& widths, Pad mode, const PadOptions& options,
          std::source_location where) {
  return pad_with(Call{"pad", where}, a, widths, mode, options);
}

Array pad(const Array& a, const std::vector<Width>& widths, std::string_view mode, const PadOptions& options,
          std::source_location where) {
  const Call call{"pad", where};
  return pad_with(call, a, widths, mode_of(call, mode), options);
}

Array pad(const Array& a, const std::vector<Width>& widths, Pad mode, const Operand& value,
          std::source_location where) {
  const Call call{"pad", where};
  check_value(call, a, value);
  PadOptions options;
  if (mode == Pad::Constant) options.constant_values = {{value, value}};
  if (mode == Pad::LinearRamp) options.end_values = {{value, value}};
  return pad_with(call, a, widths, mode, options);
}

Array pad(const Array& a, const std::vector<Width>& widths, std::string_view mode, const Operand& value,
          std::source_location where) {
  return pad(a, widths, mode_of(Call{"pad", where}, mode), value, where);
}

}  // namespace pilum::numeric
