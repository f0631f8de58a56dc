// Folds with an initial value, of chosen cells, in another dtype.
#include "pilum/fold_options.h"

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "numeric/record.h"
#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/math.h"
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

// any and all: `none` is what they are of no cells.
Array folded_truth(const Call& call, Array (*fold)(const Array&, Axes, bool, std::source_location), bool none,
                   const Array& a, const Axes& axes, const FoldOptions& options) {
  check_fold_options(call, a, axes, options);
  refuse_initial(call, options);
  refuse_dtype(call, options);
  const Array cells = a.dtype() == DType::Bool ? a : a.astype(DType::Bool, call.where);
  return fold(chosen_cells(call, cells, options, Operand(none, call.where)), axes, options.keepdims, call.where);
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
  check_fold_options(call, a, axes, options);
  refuse_initial(call, options);
  const bool as_without_where = !options.where && a.ndim() == 0 && axes.given();
  if (as_without_where) static_cast<void>(checked_axis(call, axes[0], 0));  // NumPy's mean takes no axis of none
  if (!options.where && !options.dtype) return mean(a, axes, options.keepdims, where);
  const DType dtype = options.dtype.value_or(is_inexact(a.dtype()) ? a.dtype() : DType::Float64);
  const FoldOptions of_sum{.keepdims = options.keepdims, .where = options.where, .dtype = wide_of(dtype)};
  const Array whole = folded_total(call, &sum, 0, a, axes, of_sum);
  const Array counted = options.where ? broadcast_to(*options.where, a.shape(), where) : ones({}, DType::Bool, where);
  const Array count = options.where ? total(call, counted, DType::Int64, axes, options.keepdims)
                                    : full({}, Operand(count_folded(call, a.shape(), axes), where));
  const Array quotient = Operand(whole, where) / Operand(count, where);
  return quotient.dtype() == dtype ? quotient : quotient.astype(dtype, where);
}

Array any(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  return folded_truth(Call{"any", where}, &any, false, a, axes, options);
}

Array all_cells(const Array& a, Axes axes, const FoldOptions& options, std::source_location where) {
  return folded_truth(Call{"all", where}, &all_cells, true, a, axes, options);
}

}  // namespace pilum::numeric
