// Complex numbers: their parts, and what is made of these.
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "numeric/elementwise.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

using kernel::Op;

Array part(const char* name, Op op, const Operand& a, DType dtype) {
  const Operand* const operands[] = {&a};
  return record_new(Call{name, a.where()}, Rule{op, dtype, pilum::detail::part_of(dtype)}, operands);
}

Array multiply(const Call& call, const Array& a, const Array& b) {
  return Operand(a, call.where) * Operand(b, call.where);
}

// 1 / a, by the larger part (NumPy's: not the quotient's bits).
Array one_over(const Call& call, const Array& a) {
  const auto in = [&](const Array& array) { return Operand(array, call.where); };
  const Array re = real(in(a)), im = imag(in(a));
  const Array by_re = abs(in(im)) <= abs(in(re));
  const auto choose = [&](const Array& x, const Array& y) { return where(in(by_re), in(x), in(y)); };
  const Array larger = choose(re, im), smaller = choose(im, re);
  const Array ratio = in(smaller) / in(larger);
  const Array size = in(larger) + in(Array(in(smaller)*in(ratio)));
  const Operand one(1, call.where);
  const Array whole = one / in(size), fraction = in(ratio) / in(size);
  const Array minus_whole = -in(whole), minus_fraction = -in(fraction);
  return join_parts(call, choose(whole, fraction), choose(minus_fraction, minus_whole));
}

constexpr double kLargestExponent = 99;  // beyond it NumPy has no products

// By squares, in NumPy's order.
Array integer_power(const Call& call, const Array& a, int exponent) {
  if (exponent == 3) return multiply(call, a, multiply(call, a, a));
  const Operand one(std::complex<double>(1), call.where);
  Array power = a, result;
  bool any = false;
  for (int rest = std::abs(exponent); rest; rest /= 2) {
    if (rest % 2) result = any ? multiply(call, result, power) : one * Operand(power, call.where);
    any |= rest % 2 != 0;
    if (rest > 1) power = multiply(call, power, power);
  }
  if (exponent > 0) return result;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Array is_zero = Operand(a, call.where) == Operand(0, call.where);
  const Array inverse = one / Operand(result, call.where);
  return where(Operand(is_zero, call.where), Operand(std::complex<double>(kNan, kNan), call.where),
               Operand(inverse, call.where));
}

}  // namespace

Array join_parts(const Call& call, const Array& re, const Array& im) {
  const Operand first(re, call.where), second(im, call.where);
  const Operand* const operands[] = {&first, &second};
  const DType part = re.dtype();
  return record_new(call, Rule{Op::Complex, part, pilum::detail::complex_of(part)}, operands);
}

Array squared_size(const Call& call, const Array& a) {
  if (!is_complex(a.dtype())) return multiply(call, a, a);
  const Operand number(a, call.where);
  const Array re = real(number), im = imag(number);
  const Array of_re = multiply(call, re, re), of_im = multiply(call, im, im);
  return Operand(of_re, call.where) + Operand(of_im, call.where);
}

Array complex_power(const Call& call, const Operand& a, const Operand& exponent, DType dtype, const Shape& shape) {
  const bool is_real = exponent.kind() != Operand::Kind::Array &&
                       (exponent.kind() != Operand::Kind::Complex || exponent.imaginary() == 0);
  const double number = is_real ? value_of(exponent) : 0;
  const bool is_product = std::trunc(number) == number && std::fabs(number) <= kLargestExponent;
  if (!is_real || (!is_product && number != 0.5)) {
    const Operand* const both[] = {&a, &exponent};
    return record_new(call, Rule{Op::Power, dtype, dtype}, both, shape);
  }
  const Operand* const operands[] = {&a};
  Array base = record_new(call, Rule{Op::Cast, dtype, dtype}, operands, shape);
  if (number == 1) return base;
  if (number == 0) return full(shape, Operand(1, call.where), dtype);
  if (number == 0.5) return sqrt(Operand(base, call.where));
  if (number == -1) return one_over(call, base);
  return number == 2 ? multiply(call, base, base) : integer_power(call, base, static_cast<int>(number));
}

Array real(const Operand& a) {
  const DType dtype = dtype_of_operand(Call{"real", a.where()}, a);
  return part("real", is_complex(dtype) ? Op::Real : Op::Cast, a, dtype);
}

Array imag(const Operand& a) {
  const Call call{"imag", a.where()};
  const DType dtype = dtype_of_operand(call, a);
  if (is_complex(dtype)) return part("imag", Op::Imaginary, a, dtype);
  return full(a.kind() == Operand::Kind::Array ? a.array().shape() : Shape{}, Operand(0, call.where), dtype);
}

Array conj(const Operand& a) {
  const Call call{"conj", a.where()};
  const DType dtype = dtype_of_operand(call, a), number = dtype == DType::Bool ? DType::Int8 : dtype;
  const Operand* const operands[] = {&a};
  return record_new(call, Rule{is_complex(dtype) ? Op::Conjugate : Op::Cast, number, number}, operands);
}

Array isreal(const Operand& a) {
  const Call call{"isreal", a.where()};
  const Array x = held(call, a);
  if (!is_complex(x.dtype())) return full(x.shape(), Operand(true, call.where), DType::Bool);
  const Array part = imag(Operand(x, call.where));
  return Operand(part, call.where) == Operand(0, call.where);
}

Array iscomplex(const Operand& a) {
  const Call call{"iscomplex", a.where()};
  const Array x = held(call, a);
  if (!is_complex(x.dtype())) return full(x.shape(), Operand(false, call.where), DType::Bool);
  const Array part = imag(Operand(x, call.where));
  return Operand(part, call.where) != Operand(0, call.where);
}

Array angle(const Operand& a, bool deg) {
  const Call call{"angle", a.where()};
  const Array x = held(call, a);
  const Operand number(x, call.where), zero(0, call.where);
  const Array re = is_complex(x.dtype()) ? real(number) : x, im = is_complex(x.dtype()) ? imag(number) : Array();
  const Array angle = arctan2(is_complex(x.dtype()) ? Operand(im, call.where) : zero, Operand(re, call.where));
  return deg ? Operand(angle, call.where) * Operand(180 / std::numbers::pi, call.where) : angle;
}

}  // namespace pilum::numeric
