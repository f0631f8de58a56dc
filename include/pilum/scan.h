// Sums, products and extrema of each cell and those before it.
#pragma once

#include <initializer_list>
#include <limits>
#include <optional>
#include <source_location>

#include "pilum/array.h"
#include "pilum/export.h"
#include "pilum/fold.h"
#include "pilum/fold_options.h"
#include "pilum/functions.h"
#include "pilum/math.h"
#include "pilum/statistics.h"

namespace pilum::numeric {

// The sum, the product of each cell and those before it along `axis`, or of all cells row-major, along one axis
// (numpy.cumsum, cumprod). The dtype is that of sum and prod, unless one is given: the cells are cast to it first.
// Integers wrap. IndexError for an axis that is not there; an array without axes is one of one cell.
// Cells are added one after the other in blocks of 1,024, and the blocks' sums likewise: up to 1,024 cells as NumPy
// does, beyond them as exact or more so, with other last bits. The bits are the same on any number of cores and ranks.
// Products of complex numbers go along whole lines, each on one core.
PILUM_API Array cumsum(const Array& a, std::optional<Axis> axis = {}, std::optional<DType> dtype = {},
                       std::source_location where = std::source_location::current());
PILUM_API Array cumprod(const Array& a, std::optional<Axis> axis = {}, std::optional<DType> dtype = {},
                        std::source_location where = std::source_location::current());
// The same with 0 and 1 in place of each NaN (numpy.nancumsum, nancumprod).
PILUM_API Array nancumsum(const Array& a, std::optional<Axis> axis = {}, std::optional<DType> dtype = {},
                          std::source_location where = std::source_location::current());
PILUM_API Array nancumprod(const Array& a, std::optional<Axis> axis = {}, std::optional<DType> dtype = {},
                           std::source_location where = std::source_location::current());

// The array API's (numpy.cumulative_sum, cumulative_prod): with `include_initial` a 0, or a 1, before the first cell of
// each line. Of an array of several axes the axis must be given (ValueError).
PILUM_API Array cumulative_sum(const Array& a, std::optional<Axis> axis = {}, std::optional<DType> dtype = {},
                               bool include_initial = false,
                               std::source_location where = std::source_location::current());
PILUM_API Array cumulative_prod(const Array& a, std::optional<Axis> axis = {}, std::optional<DType> dtype = {},
                                bool include_initial = false,
                                std::source_location where = std::source_location::current());

namespace detail {
using BinaryFunction = Array (*)(const Operand&, const Operand&);
PILUM_API Array accumulate(Fold fold, const Array& a, int axis, std::optional<DType> dtype, std::source_location where);
PILUM_API Array accumulate_associative(BinaryFunction function, const Array& a, int axis, std::optional<DType> dtype,
                                       std::source_location where);
// The cells that count, in the dtype that was asked for, and elsewhere what changes nothing.
PILUM_API Array chosen_for_reduce(std::optional<double> of_none, const Array& a, const Axes& axes,
                                  const FoldOptions& options, std::source_location where);
PILUM_API Array reduce_associative(BinaryFunction function, std::optional<double> of_none, const Array& a,
                                   const Axes& axes, bool keepdims, std::source_location where);
[[noreturn]] PILUM_API void refuse_ungrouped(const char* name, std::source_location where);

inline bool is_one_of(BinaryFunction function, std::initializer_list<BinaryFunction> functions) {
  for (const BinaryFunction one : functions) {
    if (function == one) return true;
  }
  return false;
}
// Whether cells may be grouped in any way.
inline bool is_associative(BinaryFunction function) {
  return is_one_of(function, {logical_and, logical_or, logical_xor, bitwise_and, bitwise_or, bitwise_xor, fmin, fmax,
                              hypot, logaddexp, logaddexp2, gcd, lcm});
}
// What the function of no cells is, where there is such a value.
inline std::optional<double> value_of_none(BinaryFunction function, DType dtype) {
  if (is_one_of(function, {fmin, fmax, lcm})) return {};
  if (is_one_of(function, {logaddexp, logaddexp2})) return -std::numeric_limits<double>::infinity();
  if (is_one_of(function, {bitwise_and})) return dtype == DType::Bool ? 1 : -1;
  return is_one_of(function, {logical_and}) ? 1 : 0;
}
}  // namespace detail

// accumulate(np::add, a), and of multiply, minimum, maximum: numpy.add.accumulate(a, axis, dtype) and so on. The
// dtypes of add and multiply are those of cumsum, the others' is the array's; nan where a cell so far is nan. Of
// fmin, fmax, hypot, logaddexp, logaddexp2, gcd, lcm, logical_and, logical_or, logical_xor, bitwise_and, bitwise_or and
// bitwise_xor, too, whose cells are passed over log2(n) times: the axis is cut as any other. Their dtype is that of
// function(a, a). ShapeError for an array without axes, ValueError for another function.
inline Array accumulate(Array (*function)(const Operand&, const Operand&), const Array& a, Axis axis = 0,
                        std::optional<DType> dtype = {}, std::source_location where = std::source_location::current()) {
  using Function = detail::BinaryFunction;
  if (function == static_cast<Function>(add)) return detail::accumulate(Fold::Sum, a, axis, dtype, where);
  if (function == static_cast<Function>(multiply)) return detail::accumulate(Fold::Product, a, axis, dtype, where);
  if (function == static_cast<Function>(minimum)) return detail::accumulate(Fold::Minimum, a, axis, dtype, where);
  if (function == static_cast<Function>(maximum)) return detail::accumulate(Fold::Maximum, a, axis, dtype, where);
  if (detail::is_associative(function)) return detail::accumulate_associative(function, a, axis, dtype, where);
  detail::refuse_ungrouped("accumulate", where);
}

// reduce(np::hypot, a): numpy.hypot.reduce(a, axis, keepdims=keepdims), of the functions that accumulate takes: along
// the first axis unless others are given, {} for all. add, multiply, minimum, maximum, logical_and and logical_or are
// sum, prod, min, max, all and any; the others are folded by halves, axis by axis, in the dtype of function(a, a).
// ValueError for another function, and over no cells where there is no value of
// none (minimum, maximum, fmin, fmax, lcm).
inline Array reduce(Array (*function)(const Operand&, const Operand&), const Array& a, Axes axes = 0,
                    bool keepdims = false, std::source_location where = std::source_location::current()) {
  using Function = detail::BinaryFunction;
  if (function == static_cast<Function>(add)) return sum(a, axes, keepdims, where);
  if (function == static_cast<Function>(multiply)) return prod(a, axes, keepdims, where);
  if (function == static_cast<Function>(minimum)) return min(a, axes, keepdims, where);
  if (function == static_cast<Function>(maximum)) return max(a, axes, keepdims, where);
  if (function == static_cast<Function>(logical_and)) return all_cells(a, axes, keepdims, where);
  if (function == static_cast<Function>(logical_or)) return any(a, axes, keepdims, where);
  if (!detail::is_associative(function)) detail::refuse_ungrouped("reduce", where);
  return detail::reduce_associative(function, detail::value_of_none(function, a.dtype()), a, axes, keepdims, where);
}
// With the options of fold_options.h: reduce(np::add, a, 0, {.initial = 1, .where = a > 0}). Throws as the folds there;
// fmin, fmax and lcm, which have no value of none, ValueError for a `where` without an `initial`.
inline Array reduce(Array (*function)(const Operand&, const Operand&), const Array& a, Axes axes,
                    const FoldOptions& options, std::source_location where = std::source_location::current()) {
  using Function = detail::BinaryFunction;
  if (function == static_cast<Function>(add)) return sum(a, axes, options, where);
  if (function == static_cast<Function>(multiply)) return prod(a, axes, options, where);
  if (function == static_cast<Function>(minimum)) return min(a, axes, options, where);
  if (function == static_cast<Function>(maximum)) return max(a, axes, options, where);
  if (!detail::is_associative(function)) detail::refuse_ungrouped("reduce", where);
  const Array cells = detail::chosen_for_reduce(detail::value_of_none(function, a.dtype()), a, axes, options, where);
  const Array folded = reduce(function, cells, axes, options.keepdims, where);
  return options.initial ? function(*options.initial, Operand(folded, where)) : folded;
}

}  // namespace pilum::numeric
