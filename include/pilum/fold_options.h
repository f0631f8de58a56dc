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
  std::optional<Operand> initial;  // folded in with the cells: a number, or an array without axes
  std::optional<Array> where;      // bools that broadcast to the array: cells count where they are true
  std::optional<DType> dtype;      // of sum, prod and mean: the cells are cast to it first; it is the result's
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
PILUM_API Array any(const Array& a, Axes axes, const FoldOptions& options,
                    std::source_location where = std::source_location::current());
PILUM_API Array all_cells(const Array& a, Axes axes, const FoldOptions& options,
                          std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
