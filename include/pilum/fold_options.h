// What folds may be told beside their axes: sum(a, 0, {.keepdims = true, .initial = 1, .where = a > 0}), and std(a,
// {.ddof = 1}) of all axes.
#pragma once

#include <optional>
#include <source_location>

#include "pilum/array.h"
#include "pilum/export.h"
#include "pilum/operand.h"

namespace pilum::numeric {

namespace detail {
struct ByName {};
}  // namespace detail

// NumPy's arguments of these names, each as it is there unless it is given.
struct FoldOptions {
  detail::ByName by_name = {};  // {0, 1} are axes
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

inline Array amin(const Array& a, Axes axes, const FoldOptions& options,
                  std::source_location where = std::source_location::current()) {
  return min(a, axes, options, where);
}
inline Array amax(const Array& a, Axes axes, const FoldOptions& options,
                  std::source_location where = std::source_location::current()) {
  return max(a, axes, options, where);
}

// Over all axes: sum(a, {.initial = 1}), std(a, {.ddof = 1}).
#define PILUM_FOLD_OF_ALL(fold)                                                     \
  inline Array fold(const Array& a, const FoldOptions& options,                     \
                    std::source_location where = std::source_location::current()) { \
    return fold(a, Axes(), options, where);                                         \
  }
PILUM_FOLD_OF_ALL(sum)
PILUM_FOLD_OF_ALL(prod)
PILUM_FOLD_OF_ALL(min)
PILUM_FOLD_OF_ALL(max)
PILUM_FOLD_OF_ALL(mean)
PILUM_FOLD_OF_ALL(var)
PILUM_FOLD_OF_ALL(std)
PILUM_FOLD_OF_ALL(nansum)
PILUM_FOLD_OF_ALL(nanprod)
PILUM_FOLD_OF_ALL(nanmean)
PILUM_FOLD_OF_ALL(nanvar)
PILUM_FOLD_OF_ALL(nanstd)
PILUM_FOLD_OF_ALL(nanmin)
PILUM_FOLD_OF_ALL(nanmax)
PILUM_FOLD_OF_ALL(any)
PILUM_FOLD_OF_ALL(all_cells)
#undef PILUM_FOLD_OF_ALL
// Of temporaries, which sum(a + b) takes by the same reference.
#define PILUM_FOLD_OF_ALL(fold)                                                     \
  inline Array fold(Array&& a, const FoldOptions& options,                          \
                    std::source_location where = std::source_location::current()) { \
    return fold(a, Axes(), options, where);                                         \
  }
PILUM_FOLD_OF_ALL(sum)
PILUM_FOLD_OF_ALL(prod)
PILUM_FOLD_OF_ALL(min)
PILUM_FOLD_OF_ALL(max)
PILUM_FOLD_OF_ALL(mean)
#undef PILUM_FOLD_OF_ALL
inline Array All::operator()(const Array& a, const FoldOptions& options, std::source_location where) const {
  return all_cells(a, Axes(), options, where);
}
inline Array All::operator()(const Selection& a, const FoldOptions& options, std::source_location where) const {
  return all_cells(a, Axes(), options, where);
}

}  // namespace pilum::numeric
