// Inverse trigonometric and hyperbolic functions of complex numbers: W. Kahan, "Branch cuts for complex elementary
// functions", in: The State of the Art in Numerical Analysis, 1987. His formulas are sums of what has one sign, so that
// no digits are lost; signs of zeros say on which side of a cut a number lies.
#include <numbers>

#include "runtime/base/check.h"
#include "runtime/kernel/ir/complex_functions.h"

namespace pilum::kernel {
namespace {

constexpr double kHalfPi = std::numbers::pi / 2;

Part either_is_beyond(Parts z, double limit) {
  return (abs(z.re) > z.re.constant(limit)) | (abs(z.im) > z.re.constant(limit));
}

// Far away the inverse sine is i log(2 z) in all its digits: from 2^28 on.
constexpr double kFarOfSine = 0x1p28;
Part doubled_logarithm(Parts z) {
  return complex_function(Op::Log, z).re + z.re.constant(std::numbers::ln2);
}

// The square roots of 1 - z and 1 + z.
struct Roots {
  Parts less, more;

  explicit Roots(Parts z)
      : less(complex_function(Op::Sqrt, {z.re.constant(1) - z.re, -z.im})),
        more(complex_function(Op::Sqrt, {z.re.constant(1) + z.re, z.im})) {}
};

Parts inverse_sine(Parts z) {
  const Roots roots(z);
  const Parts& a = roots.less;
  const Parts& b = roots.more;
  const Parts near = {unary(Op::Arctan, z.re / (a.re * b.re - a.im * b.im)),
                      unary(Op::Arcsinh, a.re * b.im - a.im * b.re)};
  const Parts away = {binary(Op::Arctan2, z.re, abs(z.im)), doubled_logarithm(z)};
  const Parts result = select(either_is_beyond(z, kFarOfSine), away, near);
  return {select(z.re == z.re.constant(0), z.re, result.re), with_sign_of(result.im, z.im)};
}

Parts inverse_cosine(Parts z) {
  const Roots roots(z);
  const Parts& a = roots.less;
  const Parts& b = roots.more;
  const Parts near = {z.re.constant(2) * binary(Op::Arctan2, a.re, b.re),
                      unary(Op::Arcsinh, b.re * a.im - b.im * a.re)};
  const Parts away = {binary(Op::Arctan2, abs(z.im), z.re), doubled_logarithm(z)};
  const Parts result = select(either_is_beyond(z, kFarOfSine), away, near);
  return {select(z.re == z.re.constant(0), z.re.constant(kHalfPi), result.re), with_sign_of(result.im, -z.im)};
}

Parts inverse_hyperbolic_cosine(Parts z) {
  const Parts cosine = inverse_cosine(z);
  return {abs(cosine.im), with_sign_of(cosine.re, z.im)};
}

// 1 / z of numbers so large that squares are not representable; 0 of infinite ones.
Part real_part_of_inverse(Parts z) {
  const Part by_re = abs(z.re) > abs(z.im), ratio = select(by_re, z.im, z.re) / select(by_re, z.re, z.im);
  const Part half = z.re.constant(0.5);  // of a sum that may be too large
  const Part sum = half * select(by_re, z.re, z.im) + half * select(by_re, z.im, z.re) * ratio;
  const Part inverse = half * (select(by_re, z.re.constant(1), ratio) / sum);
  return select(is_infinite(z.re) | is_infinite(z.im), z.re.constant(0), inverse);
}

// Beyond 2^60 it is 1 / z and a quarter of a turn.
Parts inverse_hyperbolic_tangent(Parts z) {
  const auto number = [&](double value) { return z.re.constant(value); };
  const Part zero = number(0), one = number(1), x = abs(z.re), y = abs(z.im);
  const Part beside = one - x;
  const Part near_re = unary(Op::Log1p, number(4) * x / (beside * beside + y * y)) * number(0.25);
  const Part at_one = (unary(Op::Log, binary(Op::Hypot, number(2), y)) - unary(Op::Log, y)) * number(0.5);
  const Part near_im = binary(Op::Arctan2, number(2) * z.im, beside * (one + x) - y * y) * number(0.5);
  const Part quarter = with_sign_of(number(kHalfPi), z.im);
  const Part is_far = either_is_beyond(z, 0x1p60);
  const Part near = select((x == one) & (y < number(0.5)), at_one, near_re);
  const Part re = select(is_far, real_part_of_inverse(z), near);
  const Part im =
      select(is_far, select((z.im != z.im) | ((z.re != z.re) & !is_infinite(z.im)), z.im + z.re, quarter), near_im);
  return {select(z.re == zero, z.re, with_sign_of(re, z.re)), im};
}

}  // namespace

Parts complex_inverse(Op op, Parts z) {
  switch (op) {
    case Op::Arcsin: return inverse_sine(z);
    case Op::Arcsinh: return turned(inverse_sine(turned_back(z)));
    case Op::Arccos: return inverse_cosine(z);
    case Op::Arccosh: return inverse_hyperbolic_cosine(z);
    case Op::Arctanh: return inverse_hyperbolic_tangent(z);
    case Op::Arctan: return turned_back(inverse_hyperbolic_tangent(turned(z)));
    default: PILUM_CHECK(false, "{} of complex numbers", name(op));
  }
}

}  // namespace pilum::kernel
