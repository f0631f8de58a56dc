// Questions about all cells, and what arrays have on average. Names and meaning are NumPy's.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <source_location>
#include <utility>

#include "pilum/array.h"
#include "pilum/export.h"

namespace pilum::numeric {

// Is any cell, are all cells, not 0 (numpy.any, numpy.all): bools, over all axes or those given; of no cells false,
// true. NaN is not 0. How many are not 0 (numpy.count_nonzero): int64. Axes and errors as sum.
// (`all` is the word for a whole axis, too: np::all(a == b) and a(all, 0).)
PILUM_API Array any(const Array& a, Axes axes, bool keepdims,
                    std::source_location where = std::source_location::current());
PILUM_API Array all_cells(const Array& a, Axes axes, bool keepdims,
                          std::source_location where = std::source_location::current());
PILUM_API Array count_nonzero(const Array& a, Axes axes = {}, bool keepdims = false,
                              std::source_location where = std::source_location::current());

// The mean of the squares of the distances to the mean, and its root (numpy.var, numpy.std): the sum is divided by the
// number of cells less `ddof`. Of bools and integers float64, else the array's dtype. Axes as mean; nan over no cells.
PILUM_API Array var(const Array& a, Axes axes, Ddof ddof, bool keepdims = false,
                    std::source_location where = std::source_location::current());
PILUM_API Array std(const Array& a, Axes axes, Ddof ddof, bool keepdims = false,
                    std::source_location where = std::source_location::current());
// The largest cell less the smallest (numpy.ptp). ValueError over no cells, DTypeError of bools.
PILUM_API Array ptp(const Array& a, Axes axes = {}, bool keepdims = false,
                    std::source_location where = std::source_location::current());

// Where the least and the largest cell is, the first of several, a NaN before all, complex cells as in sort: int64,
// along `axis`, or counted through the whole array, row-major (numpy.argmin, argmax). ValueError of no cells. Long
// lines are read once; what a temporary is made of may be read twice, and is not written to memory.
PILUM_API Array argmin(const Array& a, std::optional<Axis> axis = {}, bool keepdims = false,
                       std::source_location where = std::source_location::current());
PILUM_API Array argmin(Array&& a, std::optional<Axis> axis = {}, bool keepdims = false,
                       std::source_location where = std::source_location::current());
PILUM_API Array argmax(const Array& a, std::optional<Axis> axis = {}, bool keepdims = false,
                       std::source_location where = std::source_location::current());
PILUM_API Array argmax(Array&& a, std::optional<Axis> axis = {}, bool keepdims = false,
                       std::source_location where = std::source_location::current());

// The mean over all axes or those given, weighted by an array of the same shape, or of the axes that are folded, in the
// order in which they are given (numpy.average). ShapeError for other weights, ValueError of no cells with weights;
// where they add up to 0 the result is nan or infinite (NumPy: ZeroDivisionError). Without weights it is mean.
PILUM_API Array average(const Array& a, Axes axes = {}, std::source_location where = std::source_location::current());
namespace detail {
PILUM_API Array weighted_average(const Array& a, const Array& weights, const Axes& axes, bool keepdims,
                                 std::source_location where);
}  // namespace detail
// A template, so that braces are axes.
template <detail::ArrayLike Weights>
Array average(const Array& a, const Weights& weights, Axes axes = {}, bool keepdims = false,
              std::source_location where = std::source_location::current()) {
  return detail::weighted_average(a, weights, axes, keepdims, where);
}

// The same, and what the weights of each result add up to, of its shape (numpy.average with returned=True).
PILUM_API std::pair<Array, Array> average_and_weights(const Array& a, const Array& weights, Axes axes = {},
                                                      bool keepdims = false,
                                                      std::source_location where = std::source_location::current());

// As sum, prod, min, max, mean, var, std of the cells that are not NaN (numpy.nansum, …). Of NaNs alone 0, 1, or nan.
PILUM_API Array nansum(const Array& a, Axes axes, bool keepdims,
                       std::source_location where = std::source_location::current());
PILUM_API Array nanprod(const Array& a, Axes axes, bool keepdims,
                        std::source_location where = std::source_location::current());
PILUM_API Array nanmin(const Array& a, Axes axes, bool keepdims,
                       std::source_location where = std::source_location::current());
PILUM_API Array nanmax(const Array& a, Axes axes, bool keepdims,
                       std::source_location where = std::source_location::current());
PILUM_API Array nanmean(const Array& a, Axes axes, bool keepdims,
                        std::source_location where = std::source_location::current());
PILUM_API Array nanvar(const Array& a, Axes axes, Ddof ddof, bool keepdims = false,
                       std::source_location where = std::source_location::current());
PILUM_API Array nanstd(const Array& a, Axes axes, Ddof ddof, bool keepdims = false,
                       std::source_location where = std::source_location::current());

// Without keepdims and ddof: templates, as those of math.h.
#define PILUM_FOLD_OVER(fold, ...)                                                                           \
  template <int = 0>                                                                                         \
  Array fold(const Array& a, Axes axes = {}, std::source_location where = std::source_location::current()) { \
    return fold(a, axes, __VA_ARGS__, where);                                                                \
  }
PILUM_FOLD_OVER(any, false)
PILUM_FOLD_OVER(all_cells, false)
PILUM_FOLD_OVER(var, 0, false)
PILUM_FOLD_OVER(std, 0, false)
PILUM_FOLD_OVER(nansum, false)
PILUM_FOLD_OVER(nanprod, false)
PILUM_FOLD_OVER(nanmin, false)
PILUM_FOLD_OVER(nanmax, false)
PILUM_FOLD_OVER(nanmean, false)
PILUM_FOLD_OVER(nanvar, 0, false)
PILUM_FOLD_OVER(nanstd, 0, false)
#undef PILUM_FOLD_OVER

// The places of the least and the largest cell that is no NaN (numpy.nanargmin, nanargmax). Of NaNs alone 0, where
// NumPy throws: cells are looked at when the operation runs. As argmin otherwise.
PILUM_API Array nanargmin(const Array& a, std::optional<Axis> axis = {}, bool keepdims = false,
                          std::source_location where = std::source_location::current());
PILUM_API Array nanargmax(const Array& a, std::optional<Axis> axis = {}, bool keepdims = false,
                          std::source_location where = std::source_location::current());

// The covariances of variables with each other, a row each (or with `rowvar` false a column), over the cells less
// `ddof`; and these divided by both standard deviations (numpy.cov, corrcoef). Complex ones with the conjugate. float64
// or complex128. ShapeError for more than two axes.
PILUM_API Array cov(const Array& m, bool rowvar = true, int ddof = 1,
                    std::source_location where = std::source_location::current());
PILUM_API Array corrcoef(const Array& m, bool rowvar = true,
                         std::source_location where = std::source_location::current());
// Of the variables of both, those of `y` behind those of `m`.
PILUM_API Array cov(const Array& m, const Array& y, bool rowvar = true, int ddof = 1,
                    std::source_location where = std::source_location::current());
PILUM_API Array corrcoef(const Array& m, const Array& y, bool rowvar = true,
                         std::source_location where = std::source_location::current());

// |a - b| <= atol + rtol |b|, or the same infinity; NaN is close to nothing, or to NaN with `equal_nan`
// (numpy.isclose).
PILUM_API Array isclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8,
                        bool equal_nan = false);
// The same of all cells, and equality of shapes and all cells (numpy.allclose, numpy.array_equal). Wait for the answer,
// on every rank.
PILUM_API bool allclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8,
                        bool equal_nan = false);
PILUM_API bool array_equal(const Array& a, const Array& b,
                           std::source_location where = std::source_location::current());
// Whether they are equal once they are broadcast together; false where they cannot be (numpy.array_equiv). Waits.
PILUM_API bool array_equiv(const Array& a, const Array& b,
                           std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
