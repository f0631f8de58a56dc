#include "pilum/polynomials.h"

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/elementwise.h"
#include "pilum/creation.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

template <class Coefficients>
Array horner(const Call& call, std::int64_t count, const Coefficients& coefficient, const Operand& x) {
  const Array at = held(call, x);
  Array value = zeros_like(at, {}, call.where);  // 0 * x is no 0 of infinities, as in NumPy
  for (std::int64_t k = 0; k < count; ++k) {
    const Array scaled = Operand(value, call.where) * Operand(at, call.where);
    value = Operand(scaled, call.where) + coefficient(k);
  }
  return value;
}

}  // namespace

Array polyval(const Array& p, const Operand& x) {
  const Call call{"polyval", x.where()};
  const Shape& shape = checked_state(call, p).shape;
  if (shape.rank() == 0) fail<ShapeError>(call, "the coefficient has no axis: p.reshape({1}) has one");
  std::vector<Array> numbers;
  for (std::int64_t k = 0; k < shape[0]; ++k) numbers.push_back(squeeze(part_of_axis(p, 0, k, 1), 0, call.where));
  if (!numbers.empty()) {
    const Operand first(numbers[0], call.where);
    const Operand* const both[] = {&first, &x};
    static_cast<void>(common_shape(call, both, recorder_of(call)));
  }
  const auto coefficient = [&](std::int64_t k) { return Operand(numbers[static_cast<std::size_t>(k)], call.where); };
  return horner(call, shape[0], coefficient, x);
}

Array polyval(const std::vector<double>& p, const Operand& x) {
  const Call call{"polyval", x.where()};
  const auto coefficient = [&](std::int64_t k) { return Operand(p[static_cast<std::size_t>(k)], call.where); };
  return horner(call, static_cast<std::int64_t>(p.size()), coefficient, x);
}

Array vander(const Array& x, std::optional<std::int64_t> columns, bool increasing, std::source_location where) {
  const Call call{"vander", where};
  const Shape& shape = checked_state(call, x).shape;
  if (shape.rank() != 1) fail<ShapeError>(call, "shape ", shape, " is no line: give one axis, as of ravel()");
  const std::int64_t count = columns.value_or(shape[0]);
  if (count < 0) fail<ValueError>(call, count, " columns: give 0 or more");
  const DType dtype = promote(x.dtype(), DType::Int64);
  const Array out = empty({shape[0], count}, dtype, where);
  if (out.size() == 0) return out;
  const Array base = x.astype(dtype, where);
  Array power = ones({shape[0]}, dtype, where);
  for (std::int64_t k = 0; k < count; ++k) {
    if (k > 0) power = k == 1 ? base : Operand(power, where) * Operand(base, where);
    const Array column = expand_dims(power, 1, where);
    part_of_axis(out, 1, increasing ? k : count - 1 - k, 1) = Operand(column, where);
  }
  return out;
}

}  // namespace pilum::numeric
