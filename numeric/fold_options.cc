// Folds with an initial value, of chosen cells, in another dtype.
#include "pilum/fold_options.h"

#include <cmath>
#include <complex>
#include <limits>

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "numeric/elementwise.h"
#include "numeric/record.h"
#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/math.h"
#include "pilum/scan.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

void check_fold_options(const Call& call, const Array& a, const Axes& axes, const FoldOptions& options) {
  const Shape& shape = checked_state(call, a).shape;
  check_axes(call, axes, shape.rank());
  if (options.where) {
    const ArrayState& chosen = checked_state(call, *options.where);
    if (chosen.dtype() != DType::Bool) {
      fail<DTypeError>(call, "`where` is ", chosen.dtype(), ": bools choose cells, as of a > 0");
    }
    if (!broadcasts_to(chosen.shape, shape)) {
      fail<ShapeError>(call, "`where` of shape ", chosen.shape, " does not broadcast to ", shape,
                       ": aligned at the last axis, extents must agree or be 1");
    }
  }
  if (options.initial && options.initial->kind() == Operand::Kind::Array) {
    const Shape& initial = checked_state(call, options.initial->array()).shape;
    if (initial.rank() != 0) fail<ShapeError>(call, "an initial value of shape ", initial, ": give one number");
  }
}

void refuse_initial(const Call& call, const FoldOptions& options) {
  if (options.initial) fail<ValueError>(call, "it takes no initial value: sum, prod, min and max do");
}

void refuse_dtype(const Call& call, const FoldOptions& options) {
  if (options.dtype) fail<DTypeError>(call, "it takes no dtype: cast the result with astype");
}

void refuse_ddof(const Call& call, const FoldOptions& options) {
  if (options.ddof != 0) fail<ValueError>(call, "ddof is ", options.ddof, ": var and std take one");
}

Shape shape_of_fold(const Call& call, const Shape& shape, const Axes& axes, bool keepdims) {
  const std::uint8_t folded = folded_axes(call, axes, shape.rank());
  Shape result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool is_folded = folded >> axis & 1;
    if (!is_folded || keepdims) result.push_back(is_folded ? 1 : shape[axis]);
  }
  return result;
}

// How many cells a result is of.
double count_folded(const Call& call, const Shape& shape, const Axes& axes) {
  const std::uint8_t folded = folded_axes(call, axes, shape.rank());
  double count = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) count *= folded >> axis & 1 ? static_cast<double>(shape[axis]) : 1;
  return count;
}

// The initial value as an array without axes, in the name of the call.
Array initial_cell(const Call& call, const Operand& initial, DType dtype) {
  const auto cast = [&](const Operand& number) {
    const Operand* const operands[] = {&number};
    return record_new(call, Rule{kernel::Op::Cast, dtype, dtype}, operands, Shape{});
  };
  switch (initial.kind()) {
    case Operand::Kind::Array: return cast(Operand(initial.array(), call.where));
    case Operand::Kind::Bool: return cast(Operand(initial.integer() != 0, call.where));
    case Operand::Kind::Floating: return cast(Operand(initial.floating(), call.where));
    case Operand::Kind::Complex:
      return cast(Operand(std::complex<double>(initial.floating(), initial.imaginary()), call.where));
    default: break;
  }
  if (initial.is_large()) return cast(Operand(static_cast<std::uint64_t>(initial.integer()), call.where));
  return cast(Operand(initial.integer(), call.where));
}

// The cells, and `otherwise`, a number of their dtype, where they do not count.
Array chosen_cells(const Call& call, const Array& a, const FoldOptions& options, const Operand& otherwise) {
  if (!options.where) return a;
  const Array rest = full({}, otherwise, a.dtype());
  return numeric::where(Operand(*options.where, call.where), Operand(a, call.where), Operand(rest, call.where));
}

Array cast_to_option(const Array& a, const FoldOptions& options, std::source_location where) {
  return options.dtype && *options.dtype != a.dtype() ? a.astype(*options.dtype, where) : a;
}

// sum and prod: `none` is what they are of no cells.
Array folded_total(const Call& call, Array (*fold)(const Array&, Axes, bool, std::source_location), int none,
                   const Array& a, const Axes& axes, const FoldOptions& options) {
  const std::source_location where = call.where;
  check_fold_options(call, a, axes, options);
  refuse_ddof(call, options);
  const DType dtype = options.dtype.value_or(total_dtype(a.dtype()));
  if (dtype == DType::Float16) {  // rounded once, after the initial value, too
    FoldOptions wide = options;
    wide.dtype = DType::Float32;
    return folded_total(call, fold, none, a.astype(dtype, where), axes, wide).astype(dtype, where);
  }
  std::optional<Array> start;
  if (options.initial) start = initial_cell(call, *options.initial, dtype);
  const Array cells = chosen_cells(call, cast_to_option(a, options, where), options, Operand(none, where));
  Array result = cast_to_option(fold(cells, axes, options.keepdims, where), options, where);
  if (!start) return result;
  return none == 0 ? Operand(*start, where) + Operand(result, where) : Operand(*start, where) * Operand(result, where);
}

Array folded_extremum(const Call& call, kernel::Fold fold, const Array& a, const Axes& axes,
                      const FoldOptions& options) {
  const std::source_location where = call.where;
  check_fold_options(call, a, axes, options);
  refuse_dtype(call, options);
  refuse_ddof(call, options);
  if (!options.initial) {
    if (options.where)
      fail<ValueError>(call, "`where` may choose no cell: give an `initial` value, which is the result then");
    return extremum(call, fold, a, axes, options.keepdims);
  }
  const Array start = initial_cell(call, *options.initial, a.dtype());
  if (a.size() == 0) return full(shape_of_fold(call, a.shape(), axes, options.keepdims), Operand(start, where));
  const Array found =
      extremum(call, fold, chosen_cells(call, a, options, Operand(start, where)), axes, options.keepdims);
  return fold == kernel::Fold::Minimum ? minimum(Operand(found, where), Operand(start, where))
                                       : maximum(Operand(found, where), Operand(start, where));
}

// The same of the cells that are not NaN. Those that do not count are NaNs, which a fold of none of them leaves: fmin
// and fmax take the initial value then.
Array folded_nan_extremum(const Call& call, kernel::Fold fold, const Array& a, const Axes& axes,
                          const FoldOptions& options) {
  const bool is_least = fold == kernel::Fold::Minimum;
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  if (!is_inexact(checked_state(call, a).dtype())) return folded_extremum(call, fold, a, axes, options);
  check_fold_options(call, a, axes, options);
  refuse_dtype(call, options);
  refuse_ddof(call, options);
  if (options.where && !options.initial)
    fail<ValueError>(call, "`where` may choose no cell: give an `initial` value, which is the result then");
  const auto found_in = [&](const Array& cells) {
    return is_least ? nanmin(cells, axes, options.keepdims, call.where)
                    : nanmax(cells, axes, options.keepdims, call.where);
  };
  if (!options.initial) return found_in(a);
  const Array start = initial_cell(call, *options.initial, a.dtype());
  if (a.size() == 0) return full(shape_of_fold(call, a.shape(), axes, options.keepdims), here(start));
  const Array found = found_in(chosen_cells(call, a, options, here(std::numeric_limits<double>::quiet_NaN())));
  // NumPy's fold begins with it: of two NaNs it is the result.
  return is_least ? fmin(here(start), here(found)) : fmax(here(start), here(found));
}

// any and all: `none` is what they are of no cells.
Array folded_truth(const Call& call, Array (*fold)(const Array&, Axes, bool, std::source_location), bool none,
                   const Array& a, const Axes& axes, const FoldOptions& options) {
  check_fold_options(call, a, axes, options);
  refuse_initial(call, options);
  refuse_dtype(call, options);
  refuse_ddof(call, options);
  const Array cells = a.dtype() == DType::Bool ? a : a.astype(DType::Bool, call.where);
  return fold(chosen_cells(call, cells, options, Operand(none, call.where)), axes, options.keepdims, call.where);
}

void check_mean(const Call& call, const Array& a, const Axes& axes, const FoldOptions& options) {
  check_fold_options(call, a, axes, options);
  refuse_initial(call, options);
  const bool as_without_where = !options.where && a.ndim() == 0 && axes.count() > 0;
  if (as_without_where) static_cast<void>(checked_axis(call, axes[0], 0));  // NumPy's mean takes no axis of none
}

// How many cells each result is of.
Array chosen_count(const Call& call, const Array& a, const Axes& axes, const std::optional<Array>& chosen,
                   bool keepdims) {
  if (!chosen) return full({}, Operand(count_folded(call, a.shape(), axes), call.where));
  return total(call, broadcast_to(*chosen, a.shape(), call.where), DType::Int64, axes, keepdims);
}

Array chosen_mean(const Call& call, const Array& a, const Axes& axes, const FoldOptions& options) {
  const std::source_location where = call.where;
  const DType dtype = options.dtype.value_or(is_inexact(a.dtype()) ? a.dtype() : DType::Float64);
  const FoldOptions of_sum{.keepdims = options.keepdims, .where = options.where, .dtype = wide_of(dtype)};
  const Array whole = folded_total(call, &sum, 0, a, axes, of_sum);
  const Array count = chosen_count(call, a, axes, options.where, options.keepdims);
  const Array quotient = Operand(whole, where) / Operand(count, where);
  return quotient.dtype() == dtype ? quotient : quotient.astype(dtype, where);
}

// Of complex numbers that of their parts.
DType variance_dtype(const Call& call, const Array& a, const FoldOptions& options) {
  if (options.dtype && !is_inexact(*options.dtype))
    fail<DTypeError>(call, "the dtype is ", *options.dtype, ": a variance is of floating or complex numbers");
  const DType dtype = options.dtype.value_or(is_inexact(a.dtype()) ? a.dtype() : DType::Float64);
  return pilum::detail::part_of(dtype);
}

Array rounded(const Array& wide, DType dtype, std::source_location where) {
  return wide.dtype() == dtype ? wide : wide.astype(dtype, where);
}

// As NumPy's _var; float16 in float32. `nan_of_too_few`: as nanvar, where no freedom is left.
Array chosen_variance(const Call& call, const Array& a, const Axes& axes, const FoldOptions& options,
                      bool nan_of_too_few) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  check_mean(call, a, axes, options);
  static_cast<void>(variance_dtype(call, a, options));
  const DType wide = wide_of(options.dtype.value_or(is_inexact(a.dtype()) ? a.dtype() : DType::Float64));
  const Array cells =
      rounded(options.dtype == DType::Float16 ? a.astype(DType::Float16, call.where) : a, wide, call.where);
  const Array chosen = chosen_cells(call, cells, options, here(0));
  const Array whole = total(call, chosen, wide, axes, /*keepdims=*/true);
  const Array middle = here(whole) / here(chosen_count(call, a, axes, options.where, /*keepdims=*/true));
  const Array squares = squared_size(call, here(cells) - here(middle));
  const Array sum = total(call, chosen_cells(call, squares, options, here(0)), squares.dtype(), axes, options.keepdims);
  const Array count = chosen_count(call, a, axes, options.where, options.keepdims);
  const Array freedom = here(count) - here(options.ddof);
  const Array divisor = maximum(here(freedom), here(0)).astype(squares.dtype(), call.where);
  Array result = here(sum) / here(divisor);
  if (!nan_of_too_few) return result;
  const Array none = here(freedom) <= here(0);
  return numeric::where(here(none), here(std::numeric_limits<double>::quiet_NaN()), here(result));
}

// The options with a `where` that leaves NaNs out.
FoldOptions without_nans(const Call& call, const Array& a, const Axes& axes, const FoldOptions& options) {
  check_fold_options(call, a, axes, options);
  if (!is_inexact(a.dtype())) return options;
  const Operand cells(a, call.where);
  const Array is_number = cells == cells;
  FoldOptions result = options;
  result.where =
      options.where ? Array(Operand(is_number, call.where) & Operand(*options.where, call.where)) : is_number;
  return result;
}

}  // namespace

Array sum(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  return folded_total(Call{"sum", where}, &sum, 0, a, axes, options);
}

Array prod(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  return folded_total(Call{"prod", where}, &prod, 1, a, axes, options);
}

Array min(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  return folded_extremum(Call{"min", where}, kernel::Fold::Minimum, a, axes, options);
}

Array max(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  return folded_extremum(Call{"max", where}, kernel::Fold::Maximum, a, axes, options);
}

Array mean(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  const Call call{"mean", where};
  check_mean(call, a, axes, options);
  refuse_ddof(call, options);
  if (!options.where && !options.dtype) return mean(a, axes, options.keepdims, where);
  return chosen_mean(call, a, axes, options);
}

Array var(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  const Call call{"var", where};
  return rounded(chosen_variance(call, a, axes, options, /*nan_of_too_few=*/false), variance_dtype(call, a, options),
                 where);
}

Array std(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  const Call call{"std", where};
  const Array squares = chosen_variance(call, a, axes, options, /*nan_of_too_few=*/false);
  return rounded(sqrt(Operand(squares, where)), variance_dtype(call, a, options), where);
}

Array nansum(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  const Call call{"nansum", where};
  return folded_total(call, &sum, 0, a, axes, without_nans(call, a, axes, options));
}

Array nanprod(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  const Call call{"nanprod", where};
  return folded_total(call, &prod, 1, a, axes, without_nans(call, a, axes, options));
}

Array nanmean(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  const Call call{"nanmean", where};
  check_fold_options(call, a, axes, options);
  refuse_initial(call, options);
  if (!is_inexact(a.dtype())) check_mean(call, a, axes, options);  // NumPy's nanmean is its mean then
  refuse_ddof(call, options);
  return chosen_mean(call, a, axes, without_nans(call, a, axes, options));
}

Array nanvar(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  const Call call{"nanvar", where};
  const FoldOptions chosen = without_nans(call, a, axes, options);
  return rounded(chosen_variance(call, a, axes, chosen, is_inexact(a.dtype())), variance_dtype(call, a, options),
                 where);
}

Array nanstd(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  const Call call{"nanstd", where};
  const FoldOptions chosen = without_nans(call, a, axes, options);
  const Array squares = chosen_variance(call, a, axes, chosen, is_inexact(a.dtype()));
  return rounded(sqrt(Operand(squares, where)), variance_dtype(call, a, options), where);
}

Array nanmin(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  return folded_nan_extremum(Call{"nanmin", where}, kernel::Fold::Minimum, a, axes, options);
}

Array nanmax(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  return folded_nan_extremum(Call{"nanmax", where}, kernel::Fold::Maximum, a, axes, options);
}

Array any(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  return folded_truth(Call{"any", where}, &any, false, a, axes, options);
}

Array all_cells(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  return folded_truth(Call{"all", where}, &all_cells, true, a, axes, options);
}

Array detail::chosen_for_reduce(std::optional<double> of_none, const Array& a, const Axes& axes,
                                const FoldOptions& options, std::source_location where) {
  const Call call{"reduce", where};
  check_fold_options(call, a, axes, options);
  refuse_ddof(call, options);
  if (!options.where) return cast_to_option(a, options, where);
  if (!of_none && !options.initial)
    fail<ValueError>(call, "`where` may choose no cell: give an `initial` value, which is the result then");
  Array cells = cast_to_option(a, options, where);
  if (!of_none) {
    const Array start = initial_cell(call, *options.initial, cells.dtype());
    return chosen_cells(call, cells, options, Operand(start, where));
  }
  if (is_integer(cells.dtype())) {
    if (std::isinf(*of_none)) {
      cells = cells.astype(function_dtype(cells.dtype()), where);
    } else {
      const bool all_bits = *of_none < 0 && range_of(cells.dtype()).lowest == 0;  // of unsigned ones
      const Operand none = all_bits ? Operand(range_of(cells.dtype()).highest, where)
                                    : Operand(static_cast<std::int64_t>(*of_none), where);
      return chosen_cells(call, cells, options, none);
    }
  }
  return chosen_cells(call, cells, options, Operand(*of_none, where));
}

}  // namespace pilum::numeric
