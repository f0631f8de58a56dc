// A function of the user's own along lines of an array, line by line.
#pragma once

#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "pilum/array.h"
#include "pilum/creation.h"
#include "pilum/export.h"

namespace pilum::numeric {

namespace detail {
PILUM_API std::vector<Array> lines_along(int axis, const Array& a, std::source_location where);
PILUM_API Array joined_lines(const std::vector<Array>& results, int axis, const Array& a, std::source_location where);
}  // namespace detail

// function(line) of each line along `axis`, an Array of one axis, whose result, an Array or a number, stands in the
// line's place: the axes of the result take that of the line (numpy.apply_along_axis).
//
//   np::Array spread = np::apply_along_axis([](const np::Array& row) { return np::max(row) - np::min(row); }, 1, a);
//
// The function is called for each line when the call is recorded, and its operations once a line: for few long lines.
// What takes an axis itself (np::ptp(a, 1)) is one operation for all of them. IndexError for an axis that is not there,
// ValueError of no lines, ShapeError where results differ in shape.
template <class Function>
Array apply_along_axis(Function function, Axis axis, const Array& a,
                       std::source_location where = std::source_location::current()) {
  using Result = std::remove_cvref_t<std::invoke_result_t<Function&, const Array&>>;
  std::vector<Array> results;
  for (const Array& line : detail::lines_along(axis, a, where)) {
    if constexpr (std::is_convertible_v<Result, Array>) {
      results.push_back(function(line));
    } else {
      results.push_back(full({}, Operand(function(line), where)));
    }
  }
  return detail::joined_lines(results, axis, a, where);
}

// function(a, axis) for one axis after the other, each with what the last one gave; a result without that axis gets it
// back with extent 1 (numpy.apply_over_axes). ShapeError for a result of other axes.
template <class Function>
Array apply_over_axes(Function function, const Array& a, const std::vector<int>& axes,
                      std::source_location where = std::source_location::current());

namespace detail {
PILUM_API Array with_folded_axis(const Array& result, const Array& before, int axis, std::source_location where);
}  // namespace detail

template <class Function>
Array apply_over_axes(Function function, const Array& a, const std::vector<int>& axes, std::source_location where) {
  Array value = a;
  for (const int axis : axes) {
    const int along = axis < 0 ? axis + a.ndim() : axis;
    value = detail::with_folded_axis(function(std::as_const(value), along), value, along, where);
  }
  return value;
}

}  // namespace pilum::numeric
