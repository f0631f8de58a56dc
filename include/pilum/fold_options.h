// What folds may be told beside their axes: sum(a, 0, {.keepdims = true, .initial = 1, .where = a > 0}).
#pragma once

#include <optional>
#include <source_location>

#include "pilum/array.h"
#include "pilum/export.h"
#include "pilum/operand.h"

namespace pilum::numeric {

// NumPy's arguments of these names, each as it is there unless it is given.
struct FoldOptions {
  bool keepdims = false;
  std::optional<Operand> initial = {};  // folded in with the cells: a number, or an array without axes
  std::optional<Array> where = {};      // bools that broadcast to the array: cells count where they are true
  // Of sum, prod, mean, var and std: the cells are cast to it first; it is the result's.
  std::optional<DType> dtype = {};
  int ddof = 0;  // of var and std: the number of cells less this is what is divided by
};

// sum, prod, min, max and mean of math.h, any and all of statistics.h (numpy.sum, …). They throw as these, and
// ShapeError for a `where` that does not broadcast to the array and an `initial` that has axes, DTypeError for a
// `where` that is not of bools and a dtype of min, max, any and all, ValueError for an `initial` of mean, any and all,
// one that the dtype cannot hold, and min and max with `where` and no `initial`. The mean of no cells is nan.
PILUM_API Array sum(const Array& a, Axes axes, const FoldOptions& options,
                    std::source_location where = std::source_location::current());
PILUM_API Array prod(const Array& a, Axes axes, const FoldOptions& options,
                     std::source_location where = std::source_location::current());
PILUM_API Array min(const Array& a, Axes axes, const FoldOptions& options,
                    std::source_location where = std::source_location::current());
PILUM_API Array max(const Array& a, Axes axes, const FoldOptions& options,
                    std::source_location where = std::source_location::current());
PILUM_API Array mean(const Array& a, Axes axes, const FoldOptions& options,
                     std::source_location where = std::source_location::current());
// var and std of statistics.h: nan of no cells. They throw as mean, and DTypeError for a dtype of no floating or
// complex numbers; the others throw ValueError for a `ddof`.
PILUM_API Array var(const Array& a, Axes axes, const FoldOptions& options,
                    std::source_location where = std::source_location::current());
PILUM_API Array std(const Array& a, Axes axes, const FoldOptions& options,
                    std::source_location where = std::source_location::current());
// The same of the cells that are not NaN (numpy.nansum, …): what is folded of those that `where` names.
PILUM_API Array nansum(const Array& a, Axes axes, const FoldOptions& options,
                       std::source_location where = std::source_location::current());
PILUM_API Array nanprod(const Array& a, Axes axes, const FoldOptions& options,
                        std::source_location where = std::source_location::current());
PILUM_API Array nanmean(const Array& a, Axes axes, const FoldOptions& options,
                        std::source_location where = std::source_location::current());
PILUM_API Array nanvar(const Array& a, Axes axes, const FoldOptions& options,
                       std::source_location where = std::source_location::current());
PILUM_API Array nanstd(const Array& a, Axes axes, const FoldOptions& options,
                       std::source_location where = std::source_location::current());
// nanmin and nanmax: the least and the largest of the cells that are not NaN, and of `initial`; it alone where there
// are none. They throw as min and max.
PILUM_API Array nanmin(const Array& a, Axes axes, const FoldOptions& options,
                       std::source_location where = std::source_location::current());
PILUM_API Array nanmax(const Array& a, Axes axes, const FoldOptions& options,
                       std::source_location where = std::source_location::current());
PILUM_API Array any(const Array& a, Axes axes, const FoldOptions& options,
                    std::source_location where = std::source_location::current());
PILUM_API Array all_cells(const Array& a, Axes axes, const FoldOptions& options,
                          std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
