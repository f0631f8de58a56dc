// Sums, products and extrema of each cell and those before it.
#pragma once

#include <optional>
#include <source_location>

#include "pilum/array.h"
#include "pilum/export.h"
#include "pilum/fold.h"
#include "pilum/math.h"

namespace pilum::numeric {

// The sum, the product of each cell and those before it along `axis`, or of all cells row-major, along one axis
// (numpy.cumsum, cumprod). The dtype is that of sum and prod, unless one is given: the cells are cast to it first.
// Integers wrap. IndexError for an axis that is not there; an array without axes is one of one cell.
// Cells are added one after the other in blocks of 1,024, and the blocks' sums likewise: up to 1,024 cells as NumPy
// does, beyond them as exact or more so, with other last bits. The bits are the same on any number of cores and ranks.
// Products of complex numbers go along whole lines, each on one core.
PILUM_API Array cumsum(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {},
                       std::source_location where = std::source_location::current());
PILUM_API Array cumprod(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {},
                        std::source_location where = std::source_location::current());
// The same with 0 and 1 in place of each NaN (numpy.nancumsum, nancumprod).
PILUM_API Array nancumsum(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {},
                          std::source_location where = std::source_location::current());
PILUM_API Array nancumprod(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {},
                           std::source_location where = std::source_location::current());

namespace detail {
PILUM_API Array accumulate(Fold fold, const Array& a, int axis, std::optional<DType> dtype, std::source_location where);
[[noreturn]] PILUM_API void refuse_to_accumulate(std::source_location where);
}  // namespace detail

// accumulate(np::add, a), and of multiply, minimum and maximum: numpy.add.accumulate(a, axis, dtype) and so on. The
// dtypes of add and multiply are those of cumsum, the others' is the array's; nan where a cell so far is nan.
// ShapeError for an array without axes, ValueError for another function.
inline Array accumulate(Array (*function)(const Operand&, const Operand&), const Array& a, int axis = 0,
                        std::optional<DType> dtype = {}, std::source_location where = std::source_location::current()) {
  using Function = Array (*)(const Operand&, const Operand&);
  if (function == static_cast<Function>(add)) return detail::accumulate(Fold::Sum, a, axis, dtype, where);
  if (function == static_cast<Function>(multiply)) return detail::accumulate(Fold::Product, a, axis, dtype, where);
  if (function == static_cast<Function>(minimum)) return detail::accumulate(Fold::Minimum, a, axis, dtype, where);
  if (function == static_cast<Function>(maximum)) return detail::accumulate(Fold::Maximum, a, axis, dtype, where);
  detail::refuse_to_accumulate(where);
}

}  // namespace pilum::numeric
