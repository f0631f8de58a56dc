// sum, prod, min, max, mean.
#include "numeric/reductions.h"

#include "numeric/axis_parts.h"
#include "numeric/dtype_rules.h"
#include "numeric/elementwise.h"
#include "numeric/field_order.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

using kernel::Fold;

// Bit a: axis a is folded.
std::uint8_t reduced_axes(const Call& call, const Axes& axes, int rank) {
  if (!axes.given()) return static_cast<std::uint8_t>((1u << rank) - 1);
  if (axes.count() > kMaxAxes)
    fail<ValueError>(call, axes.count(), " axes are more than an array can have: name each once");
  unsigned mask = 0;
  for (int place = 0; place < axes.count(); ++place) {
    const unsigned bit = 1u << checked_axis(call, axes[place], rank);
    if (mask & bit) fail<ValueError>(call, "axis ", axes[place], " is named twice: name each axis once");
    mask |= bit;
  }
  return static_cast<std::uint8_t>(mask);
}

struct Reduction {
  Call call;
  Fold fold;
  DType dtype;  // folded in, and the result's
};

Array cast(const Call& call, const Array& a, DType dtype) {
  const Operand operand(a, call.where);
  const Operand* const operands[] = {&operand};
  return record_new(call, Rule{kernel::Op::Cast, dtype, dtype}, operands);
}

Shape kept_shape(const Shape& shape, std::uint8_t reduced) {
  Shape kept;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!(reduced >> axis & 1)) kept.push_back(shape[axis]);
  }
  return kept;
}

void record_fold(const Reduction& reduction, const ArrayState& from, std::uint8_t reduced, const ArrayState& to,
                 scheduler::Recorder& recorder) {
  refuse_complex(reduction.call, from.dtype());
  scheduler::Reduction fold{to.view(), from.view(), reduction.fold, reduced};
  if (!is_in_order(fold.input)) put_in_order(fold);
  recorder.record({reduction.call.name, reduction.call.where, std::move(fold)});
}

// minimum and maximum have nothing to start from.
void check_has_cells(const Reduction& reduction, const Shape& shape, std::uint8_t reduced) {
  if (reduction.fold == Fold::Sum || reduction.fold == Fold::Product) return;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if ((reduced >> axis & 1) && shape[axis] == 0) {
      fail<ValueError>(reduction.call, "axis ", axis, " of shape ", shape, " has no cell to take the ",
                       reduction.call.name, " of: check shape() first");
    }
  }
}

Array fold_nothing(const Reduction& reduction, const Shape& kept) {
  const Operand start(reduction.fold == Fold::Sum ? 0 : 1, reduction.call.where);
  const Operand* const operands[] = {&start};
  return record_new(reduction.call, Rule{kernel::Op::Cast, reduction.dtype, reduction.dtype}, operands, kept);
}

// An array without axes: there is nothing to fold. A sum starts from 0.0, and is that if the cell is -0.0.
Array fold_one(const Reduction& reduction, const Array& a) {
  if (reduction.fold != Fold::Sum) return cast(reduction.call, a, reduction.dtype);
  const Operand cell(a, reduction.call.where);
  const Operand start(0, reduction.call.where);
  const Operand* const operands[] = {&cell, &start};
  return record_new(reduction.call, Rule{kernel::Op::Add, reduction.dtype, reduction.dtype}, operands);
}

Array record_reduction(const Reduction& reduction, const Array& a, std::uint8_t reduced) {
  const Call& call = reduction.call;
  scheduler::Recorder& recorder = recorder_of(call);
  const ArrayState& from = checked_state(call, a, recorder);
  const Shape kept = kept_shape(from.shape, reduced);
  check_has_cells(reduction, from.shape, reduced);
  if (kept.elements() != 0 && from.shape.elements() == 0) return fold_nothing(reduction, kept);
  if (reduced == 0) return fold_one(reduction, a);
  Array result = make_new(recorder, call, kept, reduction.dtype);
  if (kept.elements() != 0) record_fold(reduction, from, reduced, *ArrayAccess::state(result), recorder);
  return result;
}

// The reduced axes come back with extent 1, as a view.
Array restore_axes(const Array& folded, const Shape& from, std::uint8_t reduced, const Call& call) {
  Shape shape = from;
  for (int axis = 0; axis < from.rank(); ++axis) {
    if (reduced >> axis & 1) shape[axis] = 1;
  }
  return folded.reshape(shape, call.where);
}

// The first half of the cells along an axis times the second, again and again: NumPy goes from cell to cell.
Array product_along(const Call& call, Array a, int axis) {
  for (std::int64_t n = a.shape()[axis]; n > 1; n = a.shape()[axis]) {
    const Array low = part_of_axis(a, axis, 0, n / 2), high = part_of_axis(a, axis, n - n / 2, n / 2);
    const Array product = Operand(low, call.where) * Operand(high, call.where);
    a = n % 2 ? concatenate({product, part_of_axis(a, axis, n / 2, 1)}, axis, call.where) : product;
  }
  return a;
}

// Of complex numbers: the sum of each part, or products of halves. (Their extrema: complex_extremum.)
Array complex_reduction(const Reduction& reduction, const Array& a, std::uint8_t reduced) {
  const Call& call = reduction.call;
  if (reduction.fold == Fold::Sum) {
    const Operand numbers(a, call.where);
    const Reduction of_part{call, Fold::Sum, pilum::detail::part_of(reduction.dtype)};
    return join_parts(call, record_reduction(of_part, real(numbers), reduced),
                      record_reduction(of_part, imag(numbers), reduced));
  }
  const Shape kept = kept_shape(a.shape(), reduced);
  if (a.size() == 0) return fold_nothing(reduction, kept);
  Array product = cast(call, a, reduction.dtype);
  for (int axis = a.ndim() - 1; axis >= 0; --axis) {
    if (reduced >> axis & 1) product = product_along(call, product, axis);
  }
  return product.reshape(kept, call.where);
}

Array reduce(const Reduction& reduction, const Array& a, const Axes& axes, bool keepdims) {
  if (reduction.dtype == DType::Float16) {  // rounded once, at the end
    const Reduction wide{reduction.call, reduction.fold, DType::Float32};
    return reduce(wide, a, axes, keepdims).astype(DType::Float16, reduction.call.where);
  }
  const std::uint8_t reduced = folded_axes(reduction.call, axes, a.ndim());
  Array folded =
      is_complex(reduction.dtype) ? complex_reduction(reduction, a, reduced) : record_reduction(reduction, a, reduced);
  return keepdims ? restore_axes(folded, a.shape(), reduced, reduction.call) : folded;
}

DType dtype_of_array(const Call& call, const Array& a) {
  return checked_state(call, a).dtype();
}

}  // namespace

// As in NumPy axis 0 or -1 of an array that has none, too.
std::uint8_t folded_axes(const Call& call, const Axes& axes, int rank) {
  const bool of_none = rank == 0 && axes.is_number() && (axes[0] == 0 || axes[0] == -1);
  return of_none ? 0 : reduced_axes(call, axes, rank);
}

Array extremum(const Call& call, Fold fold, const Array& a, const Axes& axes, bool keepdims) {
  const DType dtype = dtype_of_array(call, a);
  if (is_complex(dtype)) return complex_extremum(call, fold, a, axes, keepdims, /*skips_nans=*/false);
  if (dtype != DType::Bool) return reduce(Reduction{call, fold, dtype}, a, axes, keepdims);
  const Reduction reduction{call, fold, DType::Int32};  // folds are of numbers
  check_has_cells(reduction, a.shape(), folded_axes(call, axes, a.ndim()));
  return reduce(reduction, cast(call, a, DType::Int32), axes, keepdims).astype(DType::Bool, call.where);
}

void check_axes(const Call& call, const Axes& axes, int rank) {
  static_cast<void>(folded_axes(call, axes, rank));
}

Array total(const Call& call, const Array& a, DType dtype, const Axes& axes, bool keepdims) {
  return reduce(Reduction{call, Fold::Sum, dtype}, a, axes, keepdims);
}

Array sum(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  const Call call{"sum", where};
  return total(call, a, total_dtype(dtype_of_array(call, a)), axes, keepdims);
}

Array prod(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  const Call call{"prod", where};
  const DType dtype = total_dtype(dtype_of_array(call, a));
  return reduce(Reduction{call, Fold::Product, dtype}, a, axes, keepdims);
}

Array min(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  return extremum(Call{"min", where}, Fold::Minimum, a, axes, keepdims);
}

Array max(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  return extremum(Call{"max", where}, Fold::Maximum, a, axes, keepdims);
}

Array mean_of_all(const Call& call, const Array& a, const Axes& axes, bool keepdims) {
  const std::source_location where = call.where;
  const DType own = dtype_of_array(call, a);
  const DType dtype = is_inexact(own) ? own : DType::Float64;
  const std::uint8_t reduced = reduced_axes(call, axes, a.ndim());
  double count = 1;
  for (int axis = 0; axis < a.ndim(); ++axis) {
    if (reduced >> axis & 1) count *= static_cast<double>(a.shape()[axis]);
  }
  const Array whole = total(call, a, wide_of(dtype), axes, keepdims);
  const Operand dividend(whole, where);
  const Operand divisor(count, where);
  const Operand* const operands[] = {&dividend, &divisor};
  return record_new(call, Rule{kernel::Op::Divide, wide_of(dtype), dtype}, operands);
}

Array mean(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  return mean_of_all(Call{"mean", where}, a, axes, keepdims);
}

Array Array::sum(Axes axes, bool keepdims, std::source_location where) const& {
  return numeric::sum(*this, axes, keepdims, where);
}
Array Array::prod(Axes axes, bool keepdims, std::source_location where) const& {
  return numeric::prod(*this, axes, keepdims, where);
}
Array Array::min(Axes axes, bool keepdims, std::source_location where) const& {
  return numeric::min(*this, axes, keepdims, where);
}
Array Array::max(Axes axes, bool keepdims, std::source_location where) const& {
  return numeric::max(*this, axes, keepdims, where);
}
Array Array::mean(Axes axes, bool keepdims, std::source_location where) const& {
  return numeric::mean(*this, axes, keepdims, where);
}

}  // namespace pilum::numeric
