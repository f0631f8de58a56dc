#include "runtime/kernel/ir/complex_functions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace pilum::kernel {
namespace {

// Numbers so large or small that the sum of the parts' squares is not representable are scaled first.
struct Scales {
  double above, below;  // sizes from which on, and up to which
  double grow;          // an even power of 2, of which the root and the logarithm are known
  double root, logarithm;
};

Scales scales_of(DType part) {
  constexpr double kLn2 = std::numbers::ln2;
  if (part == DType::Float32) return {0x1p120, 0x1p-100, 0x1p54, 0x1p27, 54 * kLn2};
  return {0x1p1000, 0x1p-950, 0x1p108, 0x1p54, 108 * kLn2};
}

// (Hull, Fairgrieve and Tang, ACM TOMS 20, 1994; the special values are C's.)
Parts square_root(Parts z) {
  const Scales scales = scales_of(z.re.dtype());
  const auto number = [&](double value) { return z.re.constant(value); };
  const Part size = binary(Op::Maximum, abs(z.re), abs(z.im));
  const Part large = size >= number(scales.above), small = size < number(scales.below);
  const Part scale = select(large, number(1 / scales.grow), select(small, number(scales.grow), number(1)));
  const Part back = select(large, number(scales.root), select(small, number(1 / scales.root), number(1)));
  const Part re = z.re * scale, im = z.im * scale;
  const Part t = unary(Op::Sqrt, (abs(re) + binary(Op::Hypot, re, im)) * number(0.5));
  const Part other = abs(im) / (t * number(2));
  const Part right = re >= number(0);
  Parts root = {select(right, t, other) * back, with_sign_of(select(right, other, t) * back, z.im)};
  const Part zero = number(0), unbounded = infinity(zero);
  root = select((z.re == zero) & (z.im == zero), Parts{zero, z.im}, root);
  const Part nothing = z.im - z.im;  // 0, or NaN
  const Parts of_negative = {abs(nothing), with_sign_of(unbounded, z.im)},
              of_positive = {z.re, with_sign_of(nothing, z.im)};
  root = select(is_infinite(z.re), select(z.re < zero, of_negative, of_positive), root);
  return select(is_infinite(z.im), Parts{unbounded, z.im}, root);
}

// Near |z| = 1 from what the square of the size is beyond 1.
Parts logarithm(Op op, Parts z) {
  const Scales scales = scales_of(z.re.dtype());
  const double unit = op == Op::Log2 ? std::numbers::log2e : op == Op::Log10 ? std::numbers::log10e : 1;
  const auto number = [&](double value) { return z.re.constant(value); };
  const Part a = abs(z.re), b = abs(z.im);
  const Part larger = select(a > b, a, b), smaller = select(a > b, b, a);
  const Part large = larger >= number(scales.above), small = larger < number(scales.below);
  const Part scale = select(large, number(1 / scales.grow), select(small, number(scales.grow), number(1)));
  const double grow = op == Op::Log2 ? std::round(scales.logarithm * unit) : scales.logarithm * unit;
  const Part grown = select(large, number(grow), select(small, number(-grow), number(0)));
  const Part far = unary(op, binary(Op::Hypot, z.re * scale, z.im * scale)) + grown;
  const Part one = number(1), beyond = (larger - one) * (larger + one) + smaller * smaller;
  const Part near = unary(Op::Log1p, beyond) * number(0.5 * unit);
  const Part is_near = (larger > number(0.5)) & (larger < number(1.5)) & (smaller < number(1.5));
  const Part angle = binary(Op::Arctan2, z.im, z.re);
  return {select(is_near, near, far), op == Op::Log ? angle : angle * number(unit)};
}

// Up to where Exp or Exp2 of a number is finite.
Part largest_exponent(Op op, Part x) {
  const bool narrow = x.dtype() == DType::Float32;
  return x.constant(op == Op::Exp2 ? (narrow ? 127 : 1023) : (narrow ? 88 : 709));
}

// op(x) * a for a of at most 1, also where op(x) alone is too large: Exp or Exp2.
struct Growth {
  Part rest, factor;

  Growth(Op op, Part x) : rest(x), factor(x.constant(1)) {
    const Part limit = largest_exponent(op, x);
    for (int step = 0; step < 2; ++step) {
      const Part beyond = rest > limit;
      factor = factor * select(beyond, unary(op, limit), x.constant(1));
      rest = select(beyond, rest - limit, rest);
    }
    rest = unary(op, rest);
  }
};

// A float64 times a constant of twice its digits: the product, and what it lost by rounding (T. J. Dekker, "A
// floating-point technique for extending the available precision", 1971). Of products that are far too large 0.
struct Pair {
  Part high, low;

  Pair(Part a, double factor, double rest) : high(a * a.constant(factor)), low(high) {
    const auto split = [](Part x) {
      const Part shifted = x * x.constant(0x1p27 + 1);
      return shifted - (shifted - x);
    };
    const Part b = a.constant(factor), a1 = split(a), b1 = split(b), a2 = a - a1, b2 = b - b1;
    low = a1 * b1 - high + a1 * b2 + a2 * b1 + a2 * b2 + a * a.constant(rest);
    low = select(abs(a) < a.constant(0x1p900), low, a.constant(0));
  }
};

// Exp, or Exp2 of the real part, by an angle.
Parts exponential(Op op, Parts z) {
  const Part zero = z.re.constant(0);
  const Part cosine = unary(Op::Cos, z.im), sine = unary(Op::Sin, z.im);
  const Part by_one = unary(op, z.re);
  // In one product wherever that does.
  const Part far = z.re > largest_exponent(op, z.re);
  const Growth growth(op, z.re);
  const auto grown = [&](Part a) {
    const Part infinite = is_infinite(z.re);
    return select(far & (is_infinite(by_one) & is_finite(z.re)), growth.rest * (growth.factor * a),
                  select(infinite & (a == zero), a, by_one * a));
  };
  Parts result = {grown(cosine), grown(sine)};
  const Part lost = is_infinite(z.re) & !is_finite(z.im);  // the angle is none
  result = select(lost,
                  select(z.re > zero, Parts{infinity(zero), not_a_number(zero)}, Parts{zero, with_sign_of(zero, z.im)}),
                  result);
  return select(z.im == zero, Parts{by_one, z.im}, result);
}

// cosh x * c and sinh x * s, also where these alone are too large.
struct Hyperbola {
  Part cosine, sine;
};
Hyperbola hyperbola(Part x, Part c, Part s) {
  const Part size = abs(x), half = x.constant(0.5);
  const Part far = size > largest_exponent(Op::Exp, x);
  const Growth growth(Op::Exp, size);
  const Part sign = with_sign_of(x.constant(1), x);
  const auto grown = [&](Part a) { return growth.rest * (growth.factor * (half * a)); };
  return {select(far, grown(c), unary(Op::Cosh, x) * c), select(far, grown(sign * s), unary(Op::Sinh, x) * s)};
}

Parts hyperbolic_sine(Parts z) {
  const Part zero = z.re.constant(0), c = unary(Op::Cos, z.im), s = unary(Op::Sin, z.im);
  const Hyperbola of_cosine = hyperbola(z.re, s, c);
  const Part lost = is_infinite(z.re) & !is_finite(z.im);
  const Parts result = {select((z.re == zero) & !is_finite(z.im), z.re, of_cosine.sine),
                        select(z.im == zero, z.im, of_cosine.cosine)};
  return select(lost, Parts{z.re, not_a_number(zero)}, result);
}

Parts hyperbolic_cosine(Parts z) {
  const Part zero = z.re.constant(0), c = unary(Op::Cos, z.im), s = unary(Op::Sin, z.im);
  const Hyperbola both = hyperbola(z.re, c, s);
  const Part lost = is_infinite(z.re) & !is_finite(z.im);
  const Part no_sine = with_sign_of(zero, z.re) * with_sign_of(z.re.constant(1), z.im);
  const Parts result = {both.cosine, select((z.re == zero) | (z.im == zero), no_sine, both.sine)};
  return select(lost, Parts{abs(z.re), not_a_number(zero)}, result);
}

// (Kahan, "Branch cuts for complex elementary functions", 1987.) Beyond 22 all digits of the real part are those of 1.
Parts hyperbolic_tangent(Parts z) {
  const auto number = [&](double value) { return z.re.constant(value); };
  const Part zero = number(0), one = number(1), size = abs(z.re), far = size > number(22);
  const Part t = unary(Op::Tan, z.im), s = unary(Op::Sinh, select(far, one, z.re));
  const Part beta = one + t * t, divisor = one + beta * s * s;
  const Part rho = unary(Op::Sqrt, one + s * s);
  const Parts near = {beta * rho * s / divisor, t / divisor};
  const Part decay = unary(Op::Exp, size * number(-2));
  const Part ripple = number(4) * (unary(Op::Sin, z.im) * unary(Op::Cos, z.im)) * decay;
  const Part no_angle = is_infinite(z.re) & !is_finite(z.im);
  const Parts away = {with_sign_of(one + (z.im - z.im) * decay, z.re),
                      select(no_angle, with_sign_of(zero, z.im), ripple)};
  const Parts result = select(far, {select(no_angle, with_sign_of(one, z.re), away.re), away.im}, near);
  return {select((z.re == zero) & !is_finite(z.im), z.re, result.re), select(z.im == zero, z.im, result.im)};
}

// As NumPy: exp(x) cos(y) - 1 is expm1(x) cos(y) - 2 sin(y / 2)^2.
Parts exponential_less_one(Parts z) {
  const auto number = [&](double value) { return z.re.constant(value); };
  const Parts whole = exponential(Op::Exp, z);
  const Part rise = unary(Op::Expm1, z.re), half = unary(Op::Sin, z.im * number(0.5));
  const Part near = rise * unary(Op::Cos, z.im) - number(2) * half * half;
  const Part gone = (z.re < number(-40)) & (is_finite(z.im) | is_infinite(z.re));
  const Part re = select(z.re > number(40), whole.re, select(gone, number(-1), near));
  return {select(z.im == number(0), rise, re), whole.im};
}

// log(1 + z), near 0 from what the square of the size of 1 + z is beyond 1.
Parts logarithm_of_one_more(Parts z) {
  const auto number = [&](double value) { return z.re.constant(value); };
  const Parts far = logarithm(Op::Log, {z.re + number(1), z.im});
  const Part near = unary(Op::Log1p, z.re * (z.re + number(2)) + z.im * z.im) * number(0.5);
  const Part is_near = (abs(z.re) < number(0.5)) & (abs(z.im) < number(0.5));
  return {select(is_near, near, far.re), far.im};
}

// 2^z: the angle y log(2) in twice its digits.
Parts exponential_of_two(Parts z) {
  const Pair angle(z.im, std::numbers::ln2, 0x1.abc9e3b39803fp-56);
  const Parts power = exponential(Op::Exp2, {z.re, angle.high});
  const Part turns = is_finite(power.re) & is_finite(power.im) & (z.im != z.im.constant(0));
  return select(turns, {power.re - angle.low * power.im, power.im + angle.low * power.re}, power);
}

// sin(pi z) / (pi z). The real part is taken by whole turns first, which is exact.
Parts sine_over_itself(Parts z) {
  const auto number = [&](double value) { return z.re.constant(value); };
  const Part zero = number(0), one = number(1), pi = number(std::numbers::pi);
  const Part turn = z.re - number(2) * unary(Op::Rint, z.re * number(0.5));
  const Part beyond = abs(turn) > number(0.5);
  const Part angle = pi * select(beyond, with_sign_of(one, turn) - turn, turn);
  const Part s = unary(Op::Sin, angle), c = select(beyond, -unary(Op::Cos, angle), unary(Op::Cos, angle));
  const Pair height(z.im, std::numbers::pi, 0x1.1a62633145c07p-53);
  const Hyperbola sine = hyperbola(height.high, s, c), slope = hyperbola(height.high, c, s);
  const Parts numerator = {sine.cosine + height.low * slope.sine, sine.sine + height.low * slope.cosine};
  const Parts quotient = divide(numerator, {z.re * pi, height.high});
  return select((z.re == zero) & (z.im == zero), Parts{one, zero}, quotient);
}

// Parts of float32 as parts of float64, in which a function is computed.
Parts in_dtype(Parts z, DType dtype) {
  Builder& builder = *z.re.builder;
  return {z.re.of(builder.cast(z.re.id, dtype)), z.im.of(builder.cast(z.im.id, dtype))};
}

Parts wide_function(Op op, Parts z) {
  switch (op) {
    case Op::Exp2: return exponential_of_two(z);
    case Op::Expm1: return exponential_less_one(z);
    case Op::Log2:
    case Op::Log10: return logarithm(op, z);
    case Op::Log1p: return logarithm_of_one_more(z);
    case Op::Tan: return turned_back(hyperbolic_tangent(turned(z)));
    case Op::Tanh: return hyperbolic_tangent(z);
    case Op::Sinc: return sine_over_itself(z);
    default: return complex_inverse(op, z);
  }
}

}  // namespace

Parts complex_function(Op op, Parts z) {
  switch (op) {
    case Op::Sqrt: return square_root(z);
    case Op::Exp: return exponential(op, z);
    case Op::Log: return logarithm(op, z);
    case Op::Sinh: return hyperbolic_sine(z);
    case Op::Cosh: return hyperbolic_cosine(z);
    case Op::Sin: return turned_back(hyperbolic_sine(turned(z)));
    case Op::Cos: return hyperbolic_cosine(turned(z));
    default: return in_dtype(wide_function(op, in_dtype(z, DType::Float64)), z.re.dtype());
  }
}

// Whole exponents below 100 by squares, as NumPy; any other as C does: exp(b log(a)).
Parts complex_power(Parts a, Parts b) {
  const auto number = [&](double value) { return a.re.constant(value); };
  const Part zero = number(0), one = number(1);
  const Parts wide = multiply(in_dtype(b, DType::Float64), logarithm(Op::Log, in_dtype(a, DType::Float64)));
  const Parts general = in_dtype(exponential(Op::Exp, wide), a.re.dtype());
  const Part size = abs(b.re), is_whole = (b.im == zero) & (unary(Op::Floor, b.re) == b.re) & (size < number(100));
  Part rest = select(is_whole, size, zero);
  Parts squares = a, product = {one, zero};
  const Parts square = multiply(a, a);
  for (int bit = 0; bit < 7; ++bit) {
    if (bit > 0) squares = bit == 1 ? square : multiply(squares, squares);
    const Part half = unary(Op::Floor, rest * number(0.5));
    product = select(rest != half * number(2), multiply(product, squares), product);
    rest = half;
  }
  product = select(b.re < zero, divide({one, zero}, product), product);
  product = select(b.re == one, a, select(b.re == number(2), square, product));
  const Parts of_zero = select(b.re > zero, Parts{zero, zero}, Parts{not_a_number(zero), not_a_number(zero)});
  const Parts result = select((a.re == zero) & (a.im == zero), of_zero, select(is_whole, product, general));
  return select((b.re == zero) & (b.im == zero), Parts{one, zero}, result);
}

}  // namespace pilum::kernel
