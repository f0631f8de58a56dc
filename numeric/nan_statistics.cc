// Folds of the cells that are not NaN, and weighted means.
#include <cmath>
#include <limits>

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

// The array with `number` in place of each NaN.
Array without_nan(const Call& call, const Array& a, double number) {
  if (!is_inexact(checked_state(call, a).dtype())) return a;
  const Array is_nan = isnan(Operand(a, call.where));
  return where(Operand(is_nan, call.where), Operand(number, call.where), Operand(a, call.where));
}

// How many cells are no NaN, in the array's dtype.
Array count_of(const Call& call, const Array& a, const Axes& axes, bool keepdims) {
  const Array is_nan = isnan(Operand(a, call.where));
  const Array cells = logical_not(Operand(is_nan, call.where));
  return total(call, cells, DType::Int64, axes, keepdims).astype(a.dtype(), call.where);
}

Array nan_extremum(const Call& call, kernel::Fold fold, const Array& a, const Axes& axes, bool keepdims) {
  if (!is_floating(checked_state(call, a).dtype())) return extremum(call, fold, a, axes, keepdims);
  const double least = fold == kernel::Fold::Maximum ? -INFINITY : INFINITY;
  const Array best = extremum(call, fold, without_nan(call, a, least), axes, keepdims);
  const Array count = count_of(call, a, axes, keepdims);
  const Array none = Operand(count, call.where) == Operand(0, call.where);
  return where(Operand(none, call.where), Operand(std::numeric_limits<double>::quiet_NaN(), call.where),
               Operand(best, call.where));
}

void check_axes_of_mean(const Call& call, const Array& a, const Axes& axes) {
  const int rank = checked_state(call, a).shape.rank();
  if (rank == 0 && axes.given()) static_cast<void>(checked_axis(call, axes[0], rank));
}

Array mean_of(const Call& call, const Array& a, const Axes& axes, bool keepdims) {
  const Array whole = total(call, without_nan(call, a, 0), a.dtype(), axes, keepdims);
  const Array count = count_of(call, a, axes, keepdims);
  return Operand(whole, call.where) / Operand(count, call.where);
}

// Whether there is a result of no cells.
bool has_none_to_weigh(const Shape& shape, std::optional<int> axis) {
  if (!axis) return shape.elements() == 0;
  const int along = *axis < 0 ? *axis + shape.rank() : *axis;
  bool others = true;
  for (int k = 0; k < shape.rank(); ++k) others &= k == along || shape[k] != 0;
  return others && shape[along] == 0;
}

Array nan_variance(const Call& call, const Array& a, const Axes& axes, int ddof, bool keepdims) {
  const Array middle = mean_of(call, a, axes, /*keepdims=*/true);
  const Array distance = Operand(a, call.where) - Operand(middle, call.where);
  const Array is_nan = isnan(Operand(a, call.where));
  const Array kept = where(Operand(is_nan, call.where), Operand(0, call.where), Operand(distance, call.where));
  const Array squares = Operand(kept, call.where) * Operand(kept, call.where);
  const Array whole = total(call, squares, a.dtype(), axes, keepdims);
  const Array count = count_of(call, a, axes, keepdims);
  const Array freedom = Operand(count, call.where) - Operand(ddof, call.where);
  const Array result = Operand(whole, call.where) / Operand(freedom, call.where);
  const Array none = Operand(freedom, call.where) <= Operand(0, call.where);
  return where(Operand(none, call.where), Operand(std::numeric_limits<double>::quiet_NaN(), call.where),
               Operand(result, call.where));
}

}  // namespace

Array nansum(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  const Call call{"nansum", where};
  const Array cells = without_nan(call, a, 0);
  return total(call, cells, is_inexact(a.dtype()) ? a.dtype() : DType::Int64, axes, keepdims);
}

Array nanprod(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  const Call call{"nanprod", where};
  check_axes(call, axes, checked_state(call, a).shape.rank());
  return prod(without_nan(call, a, 1), axes, keepdims, where);
}

Array nanmin(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  return nan_extremum(Call{"nanmin", where}, kernel::Fold::Minimum, a, axes, keepdims);
}

Array nanmax(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  return nan_extremum(Call{"nanmax", where}, kernel::Fold::Maximum, a, axes, keepdims);
}

Array nanmean(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  const Call call{"nanmean", where};
  check_axes(call, axes, checked_state(call, a).shape.rank());
  if (!is_inexact(a.dtype())) return mean(a, axes, keepdims, where);
  return mean_of(call, a, axes, keepdims);
}

Array nanvar(const Array& a, Axes axes, int ddof, bool keepdims, std::source_location where) {
  const Call call{"nanvar", where};
  check_axes(call, axes, checked_state(call, a).shape.rank());
  refuse_complex(call, a.dtype());
  if (!is_floating(a.dtype())) return var(a, axes, ddof, keepdims, where);
  return nan_variance(call, a, axes, ddof, keepdims);
}

Array nanstd(const Array& a, Axes axes, int ddof, bool keepdims, std::source_location where) {
  return sqrt(Operand(nanvar(a, axes, ddof, keepdims, where), where));
}

Array average(const Array& a, std::optional<int> axis, std::source_location where) {
  const Call call{"average", where};
  const Axes axes = axis ? Axes(*axis) : Axes();
  check_axes_of_mean(call, a, axes);
  check_axes(call, axes, a.ndim());
  return mean(a, axes, false, where);
}

Array average(const Array& a, const Array& weights, std::optional<int> axis, std::source_location where) {
  const Call call{"average", where};
  const Shape& shape = checked_state(call, a).shape;
  const Axes axes = axis ? Axes(*axis) : Axes();
  check_axes_of_mean(call, a, axes);
  Array fitting = weights;
  if (checked_state(call, weights).shape != shape) {
    const int along = axis ? checked_axis(call, *axis, shape.rank()) : -1;
    if (along < 0 || weights.ndim() != 1 || weights.size() != shape[along]) {
      fail<ShapeError>(call, "weights of shape ", weights.shape(), " do not fit ", shape,
                       ": give one for each cell, or one for each along an axis");
    }
    Shape flat;
    for (int k = 0; k < shape.rank(); ++k) flat.push_back(k == along ? shape[k] : 1);
    fitting = broadcast_to(weights.reshape(flat, where), shape, where);
  }
  const DType both = promote(a.dtype(), weights.dtype());
  const DType dtype = is_inexact(a.dtype()) ? both : promote(both, DType::Float64);
  if (has_none_to_weigh(shape, axis)) fail<ValueError>(call, "shape ", shape, " has no cells to weigh");
  const Array cells = a.astype(dtype, where), heavy = fitting.astype(dtype, where);
  const Array product = Operand(cells, where) * Operand(heavy, where);
  const Array whole = total(call, product, dtype, axes, false), weight = total(call, heavy, dtype, axes, false);
  return Operand(whole, where) / Operand(weight, where);
}

}  // namespace pilum::numeric
