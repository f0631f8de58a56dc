// The functions that arrays have as members, too.
#include "pilum/convolve.h"
#include "pilum/functions.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/scan.h"
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
Array Array::cumsum(std::optional<Axis> axis, Location where) const {
  return numeric::cumsum(*this, axis, {}, where);
}
Array Array::cumprod(std::optional<Axis> axis, Location where) const {
  return numeric::cumprod(*this, axis, {}, where);
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
