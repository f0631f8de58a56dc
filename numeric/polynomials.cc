#include "pilum/polynomials.h"

#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/dtype_rules.h"
#include "numeric/elementwise.h"
#include "pilum/convolve.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/linalg.h"
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

namespace {

std::int64_t check_line(const Call& call, const Array& p) {
  const Shape& shape = checked_state(call, p).shape;
  if (shape.rank() != 1) fail<ShapeError>(call, "coefficients of shape ", shape, ": give one axis, as of ravel()");
  return shape[0];
}

// n, n - 1, … behind each coefficient's power of x, from the first one on.
Array falling_powers(const Call& call, std::int64_t from, std::int64_t count) {
  const Operand start(from, call.where), stop(from - count, call.where);
  return arange(start, stop, Operand(-1, call.where));
}

Array with_leading_zeros(const Call& call, const Array& p, std::int64_t count) {
  if (p.shape()[0] == count) return p;
  return concatenated(call, {zeros({count - p.shape()[0]}, p.dtype(), call.where), p}, 0);
}

}  // namespace

Array polyfit(const Array& x, const Array& y, int deg, std::source_location where) {
  const Call call{"polyfit", where};
  const Shape &places = checked_state(call, x).shape, &values = checked_state(call, y).shape;
  if (deg < 0) fail<ValueError>(call, "the degree is ", deg, ": give 0 or more");
  if (places.rank() != 1 || places[0] == 0)
    fail<ShapeError>(call, "places of shape ", places, ": give one axis, and a cell at least");
  if (values.rank() < 1 || values.rank() > 2 || values[0] != places[0])
    fail<ShapeError>(call, "values of shape ", values, " for ", places[0], " places: give one for each");
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  const Array line = is_inexact(x.dtype()) ? x : x.astype(DType::Float64, where);
  const Array powers = vander(line, deg + 1, false, where);
  const Array squares = sum(squared_size(call, powers), 0, false, where);
  const Array scale = sqrt(here(squares));
  const Array scaled = here(powers) / here(scale);
  const double rcond =
      static_cast<double>(places[0]) * (is_inexact(x.dtype()) && itemsize(pilum::detail::part_of(x.dtype())) == 4
                                            ? std::numeric_limits<float>::epsilon()
                                            : std::numeric_limits<double>::epsilon());
  const Array found = linalg::lstsq(scaled, y, rcond, where).x;
  return here(found) / here(values.rank() == 1 ? scale : expand_dims(scale, 1, where));
}

Array polyder(const Array& p, int m, std::source_location where) {
  const Call call{"polyder", where};
  check_line(call, p);
  if (m < 0) fail<ValueError>(call, "m is ", m, ": give 0 or more");
  Array derivative = m == 0 ? p.copy(where) : p;
  for (int k = 0; k < m; ++k) {
    const std::int64_t count = std::max<std::int64_t>(derivative.shape()[0] - 1, 0);
    const Array powers = falling_powers(call, count, count), left = part_of_axis(derivative, 0, 0, count);
    derivative = Operand(left, where) * Operand(powers, where);
  }
  return derivative;
}

Array polyint(const Array& p, int m, const std::vector<double>& k, std::source_location where) {
  const Call call{"polyint", where};
  check_line(call, p);
  if (m < 0) fail<ValueError>(call, "m is ", m, ": give 0 or more");
  const std::size_t times = static_cast<std::size_t>(m);
  if (k.size() < times && k.size() != 1)
    fail<ValueError>(call, k.size(), " constants for ", m, " integrals: give one for each, or one");
  Array integral = m == 0 ? p.copy(where) : p;
  for (std::size_t time = 0; time < times; ++time) {
    const std::int64_t count = integral.shape()[0];
    const Array powers = falling_powers(call, count, count);
    const Array quotient = Operand(integral, where) / Operand(powers, where);
    const Array constant = full({1}, Operand(k.size() == 1 ? k[0] : k[time], where), quotient.dtype());
    integral = concatenated(call, {quotient, constant}, 0);
  }
  return integral;
}

Array polyint(const Array& p, int m, std::source_location where) {
  return polyint(p, m, std::vector<double>{0}, where);
}

Array polyadd(const Array& a, const Array& b, std::source_location where) {
  const Call call{"polyadd", where};
  const std::int64_t count = std::max(check_line(call, a), check_line(call, b));
  return Operand(with_leading_zeros(call, a, count), where) + Operand(with_leading_zeros(call, b, count), where);
}

Array polysub(const Array& a, const Array& b, std::source_location where) {
  const Call call{"polysub", where};
  const std::int64_t count = std::max(check_line(call, a), check_line(call, b));
  if (a.dtype() == DType::Bool && b.dtype() == DType::Bool)
    fail<DTypeError>(call, "bools cannot be subtracted: cast one with astype");
  return Operand(with_leading_zeros(call, a, count), where) - Operand(with_leading_zeros(call, b, count), where);
}

namespace {

// The coefficients from the first one on for which there is no more to leave out, at least one.
template <class IsNone>
Array without_front(const Call& call, const Array& p, const IsNone& is_none) {
  const auto cells = p.astype(DType::Complex128, call.where).to_vector<std::complex<double>>(call.where);
  const auto size = static_cast<std::int64_t>(cells.size());
  std::int64_t first = 0;
  while (first + 1 < size && is_none(cells[static_cast<std::size_t>(first)])) ++first;
  return first == 0 ? p : part_of_axis(p, 0, first, size - first);
}

Array factor_of_product(const Call& call, const Array& p) {
  if (p.size() == 0) return zeros({1}, p.dtype(), call.where);
  return without_front(call, p, [](const std::complex<double>& cell) { return cell == 0.0; });
}

Array in_floating(const Call& call, const Array& p) {
  return is_inexact(p.dtype()) ? p : p.astype(DType::Float64, call.where);
}

}  // namespace

Array polymul(const Array& a, const Array& b, std::source_location where) {
  const Call call{"polymul", where};
  check_line(call, a);
  check_line(call, b);
  return convolve(factor_of_product(call, a), factor_of_product(call, b), "full", where);
}

std::pair<Array, Array> polydiv(const Array& u, const Array& v, std::source_location where) {
  const Call call{"polydiv", where};
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  const std::int64_t many = check_line(call, u), few = check_line(call, v);
  if (many == 0 || few == 0) fail<ValueError>(call, "a polynomial has no coefficients: give one at least");
  const Array divisor = in_floating(call, v);
  const DType dtype = promote(in_floating(call, u).dtype(), divisor.dtype());
  const Array rest = u.astype(dtype, where), scale = here(1) / here(part_of_axis(divisor, 0, 0, 1));
  const std::int64_t steps = std::max<std::int64_t>(many - few + 1, 0);
  const Array quotient = zeros({std::max<std::int64_t>(steps, 1)}, dtype, where);
  for (std::int64_t k = 0; k < steps; ++k) {
    const Array factor = here(scale) * here(part_of_axis(rest, 0, k, 1));
    part_of_axis(quotient, 0, k, 1) = here(factor);
    const Array gone = here(factor) * here(divisor), place = part_of_axis(rest, 0, k, few);
    const Array left = here(place) - here(gone);
    part_of_axis(rest, 0, k, few) = here(left);
  }
  const auto is_nearly_none = [](const std::complex<double>& cell) { return std::abs(cell) <= 1e-8; };
  return {quotient, unshared(without_front(call, rest, is_nearly_none), rest, where)};
}

Array poly(const Array& zeros, std::source_location where) {
  const Call call{"poly", where};
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  const Shape& shape = checked_state(call, zeros).shape;
  const bool is_matrix = shape.rank() == 2 && shape[0] == shape[1] && shape[0] != 0;
  if (!is_matrix && shape.rank() != 1)
    fail<ShapeError>(call, "shape ", shape, " is neither a line of places nor a square matrix");
  const DType own = zeros.dtype();
  const DType dtype = is_inexact(own) && own != DType::Float16 ? own : DType::Float64;
  const Array typed = own == dtype ? zeros : zeros.astype(dtype, where);
  const Array places = is_matrix ? linalg::eigvals(typed, where) : typed;
  const std::int64_t count = places.size();
  if (count == 0) return ones({}, DType::Float64, where);
  const Array coefficients = numeric::zeros({count + 1}, places.dtype(), where);
  part_of_axis(coefficients, 0, 0, 1) = here(1);
  for (std::int64_t k = 0; k < count; ++k) {
    const Array product = here(part_of_axis(coefficients, 0, 0, k + 1)) * here(part_of_axis(places, 0, k, 1));
    const Array left = here(part_of_axis(coefficients, 0, 1, k + 1)) - here(product);
    part_of_axis(coefficients, 0, 1, k + 1) = here(left);
  }
  return is_matrix && !is_complex(dtype) ? real(here(coefficients)) : coefficients;
}

Array roots(const Array& p, std::source_location where) {
  const Call call{"roots", where};
  check_line(call, p);
  const auto cells = p.astype(DType::Complex128, where).to_vector<std::complex<double>>(where);
  const auto is_there = [](const std::complex<double>& cell) { return cell != 0.0; };
  const auto first = std::ranges::find_if(cells, is_there) - cells.begin();
  const auto size = static_cast<std::ptrdiff_t>(cells.size());
  if (first == size) return empty({0}, DType::Complex128, where);
  std::ptrdiff_t last = size - 1;
  while (!is_there(cells[static_cast<std::size_t>(last)])) --last;
  const DType dtype = is_inexact(p.dtype()) && p.dtype() != DType::Float16 ? p.dtype() : DType::Float64;
  const std::int64_t count = last - first;
  Array none = zeros({size - 1 - last}, promote(dtype, DType::Complex64), where);
  if (count == 0) return none;
  const Array typed = p.dtype() == dtype ? p : p.astype(dtype, where);
  const Array companion = eye(count, {}, -1, dtype, where);
  const Array behind = -Operand(part_of_axis(typed, 0, first + 1, count), where);
  companion(Index(0, where)) =
      Operand(Array(Operand(behind, where) / Operand(part_of_axis(typed, 0, first, 1), where)), where);
  return concatenated(call, {linalg::eigvals(companion, where), none}, 0);
}

}  // namespace pilum::numeric
