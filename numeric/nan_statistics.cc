// Folds of the cells that are not NaN, and weighted means.
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "numeric/elementwise.h"
#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "numeric/weights.h"
#include "pilum/creation.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

// float16 is computed in float32, and rounded once.
Array widened(const Array& a, std::source_location where) {
  return a.astype(DType::Float32, where);
}
Array narrowed(const Array& a, std::source_location where) {
  return a.astype(DType::Float16, where);
}

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
  if (is_complex(checked_state(call, a).dtype()))
    return complex_extremum(call, fold, a, axes, keepdims, /*skips_nans=*/true);
  if (!is_floating(a.dtype())) return extremum(call, fold, a, axes, keepdims);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double least = fold == kernel::Fold::Maximum ? -kInfinity : kInfinity;
  const Array best = extremum(call, fold, without_nan(call, a, least), axes, keepdims);
  const Array count = count_of(call, a, axes, keepdims);
  const Array none = Operand(count, call.where) == Operand(0, call.where);
  return where(Operand(none, call.where), Operand(std::numeric_limits<double>::quiet_NaN(), call.where),
               Operand(best, call.where));
}

void check_axes_of_mean(const Call& call, const Array& a, const Axes& axes) {
  const int rank = checked_state(call, a).shape.rank();
  if (rank == 0 && axes.count() > 0) static_cast<void>(checked_axis(call, axes[0], rank));
}

Array mean_of(const Call& call, const Array& a, const Axes& axes, bool keepdims) {
  const Array whole = total(call, without_nan(call, a, 0), a.dtype(), axes, keepdims);
  const Array count = count_of(call, a, axes, keepdims);
  return Operand(whole, call.where) / Operand(count, call.where);
}

// Whether there is a result of no cells, or weights that all results share and that are none.
bool has_none_to_weigh(const Shape& shape, std::uint8_t folded, bool are_shared) {
  std::int64_t results = 1, cells = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) (folded >> axis & 1 ? cells : results) *= shape[axis];
  return cells == 0 && (results != 0 || are_shared);
}

Array nan_variance(const Call& call, const Array& a, const Axes& axes, int ddof, bool keepdims) {
  const Array middle = mean_of(call, a, axes, /*keepdims=*/true);
  const Array distance = Operand(a, call.where) - Operand(middle, call.where);
  const Array is_nan = isnan(Operand(a, call.where));
  const Array kept = where(Operand(is_nan, call.where), Operand(0, call.where), Operand(distance, call.where));
  const Array squares = squared_size(call, kept);
  const DType dtype = squares.dtype();
  const Array whole = total(call, squares, dtype, axes, keepdims);
  const Array count = count_of(call, a, axes, keepdims).astype(dtype, call.where);
  const Array freedom = Operand(count, call.where) - Operand(ddof, call.where);
  const Array result = Operand(whole, call.where) / Operand(freedom, call.where);
  const Array none = Operand(freedom, call.where) <= Operand(0, call.where);
  return where(Operand(none, call.where), Operand(std::numeric_limits<double>::quiet_NaN(), call.where),
               Operand(result, call.where));
}

// In float32 for float16.
Array nan_variance_of(const Call& call, const Array& a, const Axes& axes, int ddof, bool keepdims) {
  check_axes(call, axes, checked_state(call, a).shape.rank());
  if (!is_inexact(a.dtype())) return variance(call, a, axes, ddof, keepdims);
  return nan_variance(call, a.dtype() == DType::Float16 ? widened(a, call.where) : a, axes, ddof, keepdims);
}

}  // namespace

Array nansum(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  const Call call{"nansum", where};
  const Array cells = without_nan(call, a, 0);
  return total(call, cells, is_inexact(a.dtype()) ? a.dtype() : total_dtype(a.dtype()), axes, keepdims);
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

Array nanargmin(const Array& a, std::optional<Axis> axis, bool keepdims, std::source_location where) {
  const Call call{"nanargmin", where};
  const Array cells = without_nan(call, a, std::numeric_limits<double>::infinity());
  return first_place(call, kernel::Fold::Minimum, cells, axis, keepdims);
}

Array nanargmax(const Array& a, std::optional<Axis> axis, bool keepdims, std::source_location where) {
  const Call call{"nanargmax", where};
  const Array cells = without_nan(call, a, -std::numeric_limits<double>::infinity());
  return first_place(call, kernel::Fold::Maximum, cells, axis, keepdims);
}

Array nanmean(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  const Call call{"nanmean", where};
  check_axes(call, axes, checked_state(call, a).shape.rank());
  if (!is_inexact(a.dtype())) return mean_of_all(call, a, axes, keepdims);
  if (a.dtype() == DType::Float16) return narrowed(mean_of(call, widened(a, where), axes, keepdims), where);
  return mean_of(call, a, axes, keepdims);
}

Array nanvar(const Array& a, Axes axes, Ddof ddof, bool keepdims, std::source_location where) {
  const Array result = nan_variance_of(Call{"nanvar", where}, a, axes, ddof, keepdims);
  return a.dtype() == DType::Float16 ? narrowed(result, where) : result;
}

Array nanstd(const Array& a, Axes axes, Ddof ddof, bool keepdims, std::source_location where) {
  const Array result = sqrt(Operand(nan_variance_of(Call{"nanstd", where}, a, axes, ddof, keepdims), where));
  return a.dtype() == DType::Float16 ? narrowed(result, where) : result;
}

Array average(const Array& a, Axes axes, std::source_location where) {
  const Call call{"average", where};
  check_axes_of_mean(call, a, axes);
  check_axes(call, axes, a.ndim());
  return mean_of_all(call, a, axes, false);
}

namespace {

// The mean, and what the weights add up to: of no more axes than they have.
std::pair<Array, Array> weigh(const Call& call, const Array& a, const Array& weights, const Axes& axes, bool keepdims) {
  const std::source_location where = call.where;
  check_axes_of_mean(call, a, axes);
  const Array fitting = weights_along(call, a, weights, axes);
  const DType both = promote(a.dtype(), weights.dtype());
  const DType dtype = is_inexact(a.dtype()) ? both : promote(both, DType::Float64);
  if (has_none_to_weigh(a.shape(), folded_axes(call, axes, a.ndim()), weights.shape() != a.shape())) {
    fail<ValueError>(call, "shape ", a.shape(), " has no cells to weigh");
  }
  const DType wide = wide_of(dtype);
  const Array cells = a.astype(wide, where), heavy = fitting.astype(wide, where);
  const Array product = Operand(cells, where) * Operand(heavy, where);
  const Array whole = total(call, product, wide, axes, keepdims), weight = total(call, heavy, wide, axes, keepdims);
  const Array quotient = Operand(whole, where) / Operand(weight, where);
  if (wide == dtype) return {quotient, weight};
  return {narrowed(quotient, where), narrowed(weight, where)};
}

}  // namespace

std::pair<Array, Array> average_and_weights(const Array& a, const Array& weights, Axes axes, bool keepdims,
                                            std::source_location where) {
  return weigh(Call{"average_and_weights", where}, a, weights, axes, keepdims);
}

namespace detail {

Array weighted_average(const Array& a, const Array& weights, const Axes& axes, bool keepdims,
                       std::source_location where) {
  return weigh(Call{"average", where}, a, weights, axes, keepdims).first;
}

}  // namespace detail
}  // namespace pilum::numeric
