// The functions that arrays have as members, too.
#include "numeric/array_state.h"
#include "pilum/bins.h"
#include "pilum/convolve.h"
#include "pilum/dtype_info.h"
#include "pilum/fold_options.h"
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/scan.h"
#include "pilum/sort.h"
#include "pilum/statistics.h"

namespace pilum::numeric {

using Location = std::source_location;

Array Array::any(Axes axes, bool keepdims, Location where) const {
  return numeric::any(*this, axes, keepdims, where);
}
Array Array::all(Axes axes, bool keepdims, Location where) const {
  return all_cells(*this, axes, keepdims, where);
}
Array Array::var(Axes axes, Ddof ddof, bool keepdims, Location where) const {
  return numeric::var(*this, axes, ddof, keepdims, where);
}
Array Array::std(Axes axes, Ddof ddof, bool keepdims, Location where) const {
  return numeric::std(*this, axes, ddof, keepdims, where);
}
Array Array::argmin(std::optional<Axis> axis, bool keepdims, Location where) const {
  return numeric::argmin(*this, axis, keepdims, where);
}
Array Array::argmax(std::optional<Axis> axis, bool keepdims, Location where) const {
  return numeric::argmax(*this, axis, keepdims, where);
}
#define PILUM_FOLD_METHODS(method, fold)                                             \
  Array Array::method(Axes axes, const FoldOptions& options, Location where) const { \
    return numeric::fold(*this, axes, options, where);                               \
  }
PILUM_FOLD_METHODS(sum, sum)
PILUM_FOLD_METHODS(prod, prod)
PILUM_FOLD_METHODS(min, min)
PILUM_FOLD_METHODS(max, max)
PILUM_FOLD_METHODS(mean, mean)
PILUM_FOLD_METHODS(any, any)
PILUM_FOLD_METHODS(all, all_cells)
PILUM_FOLD_METHODS(var, var)
PILUM_FOLD_METHODS(std, std)
#undef PILUM_FOLD_METHODS
#define PILUM_FOLD_OF_ALL(method)                                          \
  Array Array::method(const FoldOptions& options, Location where) const& { \
    return method(Axes(), options, where);                                 \
  }
PILUM_FOLD_OF_ALL(sum)
PILUM_FOLD_OF_ALL(prod)
PILUM_FOLD_OF_ALL(min)
PILUM_FOLD_OF_ALL(max)
PILUM_FOLD_OF_ALL(mean)
PILUM_FOLD_OF_ALL(any)
PILUM_FOLD_OF_ALL(all)
PILUM_FOLD_OF_ALL(var)
PILUM_FOLD_OF_ALL(std)
#undef PILUM_FOLD_OF_ALL
Array Array::ptp(Axes axes, bool keepdims, Location where) const {
  return numeric::ptp(*this, axes, keepdims, where);
}
Array Array::cumsum(std::optional<Axis> axis, std::optional<DType> dtype, Location where) const {
  return numeric::cumsum(*this, axis, dtype, where);
}
Array Array::cumprod(std::optional<Axis> axis, std::optional<DType> dtype, Location where) const {
  return numeric::cumprod(*this, axis, dtype, where);
}
Array Array::argsort(std::optional<Axis> axis, Location where) const {
  return numeric::argsort(*this, axis, where);
}
void Array::sort(Axis axis, Location where) const {
  Array cells = (*this)(ellipsis);
  std::move(cells) = Operand(numeric::sort(*this, axis, where), where);
}
Array Array::searchsorted(const Operand& values, Location where) const {
  return numeric::searchsorted(*this, values, "left", where);
}
Array Array::take(const Array& indices, std::optional<Axis> axis, Location where) const {
  return numeric::take(*this, indices, axis, IndexMode::Raise, where);
}
void Array::put(const Array& indices, const Operand& values) const {
  numeric::put(*this, indices, values);
}
std::vector<Array> Array::nonzero(Location where) const {
  return numeric::nonzero(*this, where);
}
Array Array::compress(const Array& condition, std::optional<Axis> axis, Location where) const {
  return numeric::compress(condition, *this, axis, where);
}
Array Array::choose(const std::vector<Operand>& choices, Location where) const {
  return numeric::choose(*this, choices, IndexMode::Raise, where);
}
Array Array::repeat(std::int64_t count, std::optional<Axis> axis, Location where) const {
  return numeric::repeat(*this, count, axis, where);
}
Array Array::diagonal(std::int64_t offset, Axis axis1, Axis axis2, Location where) const {
  return numeric::diagonal(*this, offset, axis1, axis2, where);
}
Array Array::real(Location where) const {
  return numeric::real(Operand(*this, where));
}
Array Array::imag(Location where) const {
  return numeric::imag(Operand(*this, where));
}
Array Array::conjugate(Location where) const {
  return conj(where);
}
Array Array::astype(DType dtype, Casting casting, Location where) const {
  const Call call{"astype", where};
  const DType own = checked_state(call, *this).dtype();
  if (!can_cast(own, dtype, casting)) {
    fail<DTypeError>(call, own, " is not cast to ", dtype,
                     " by the casting that was asked for: np::can_cast says what is, "
                     "np::Casting::Unsafe allows all");
  }
  return astype(dtype, where);
}
Array Array::round(int decimals, Location where) const {
  return numeric::round(Operand(*this, where), decimals);
}
Array Array::clip(const Operand& low, const Operand& high, Location where) const {
  return numeric::clip(Operand(*this, where), low, high);
}
Array Array::clip(NoBound low, const Operand& high, Location where) const {
  return numeric::clip(Operand(*this, where), low, high);
}
Array Array::clip(const Operand& low, NoBound high, Location where) const {
  return numeric::clip(Operand(*this, where), low, high);
}
Array Array::conj(Location where) const {
  return numeric::conj(Operand(*this, where));
}
Array Array::dot(const Array& b, Location where) const {
  return numeric::dot(*this, b, where);
}
Array Array::trace(std::int64_t offset, Location where) const {
  return numeric::trace(*this, offset, 0, 1, where);
}
Array Array::ravel(Location where) const {
  return numeric::ravel(*this, where);
}
Array Array::flatten(Location where) const {
  return numeric::flatten(*this, where);
}
Array Array::squeeze(Axes axes, Location where) const {
  return numeric::squeeze(*this, axes, where);
}
Array Array::swapaxes(Axis axis1, Axis axis2, Location where) const {
  return numeric::swapaxes(*this, axis1, axis2, where);
}
void Array::fill(const Operand& value) const {
  Array cells = (*this)(ellipsis);
  std::move(cells) = value;
}

}  // namespace pilum::numeric
