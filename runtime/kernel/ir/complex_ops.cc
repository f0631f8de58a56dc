#include "runtime/kernel/ir/complex_ops.h"

#include <limits>
#include <numbers>

#include "runtime/base/check.h"

namespace pilum::kernel {
namespace {

// Real numbers of one dtype, with the builder's operations as operators.
struct Part {
  Builder* builder;
  ValueId id;

  DType dtype() const { return builder->dtype(id); }
  Part of(ValueId value) const { return {builder, value}; }
  Part constant(double value) const { return of(builder->constant(cast(Scalar::of(value), dtype()))); }
};

Part unary(Op op, Part a) {
  return a.of(a.builder->unary(op, a.id));
}
Part binary(Op op, Part a, Part b) {
  return a.of(a.builder->binary(op, a.id, b.id));
}
Part select(Part condition, Part a, Part b) {
  return a.of(a.builder->select(condition.id, a.id, b.id));
}
Part operator+(Part a, Part b) {
  return binary(Op::Add, a, b);
}
Part operator-(Part a, Part b) {
  return binary(Op::Subtract, a, b);
}
Part operator*(Part a, Part b) {
  return binary(Op::Multiply, a, b);
}
Part operator/(Part a, Part b) {
  return binary(Op::Divide, a, b);
}
Part operator-(Part a) {
  return unary(Op::Negate, a);
}
Part operator!(Part a) {
  return unary(Op::Not, a);
}
Part operator&(Part a, Part b) {
  return binary(Op::And, a, b);
}
Part operator|(Part a, Part b) {
  return binary(Op::Or, a, b);
}
Part operator==(Part a, Part b) {
  return binary(Op::Equal, a, b);
}
Part operator!=(Part a, Part b) {
  return binary(Op::NotEqual, a, b);
}
Part operator>=(Part a, Part b) {
  return binary(Op::GreaterEqual, a, b);
}
Part operator>(Part a, Part b) {
  return binary(Op::Greater, a, b);
}
Part operator<(Part a, Part b) {
  return binary(Op::Less, a, b);
}
Part abs(Part a) {
  return unary(Op::Absolute, a);
}
Part with_sign_of(Part a, Part b) {
  return binary(Op::Copysign, a, b);
}
Part is_infinite(Part a) {
  return abs(a) == a.constant(std::numeric_limits<double>::infinity());
}
Part is_finite(Part a) {
  return a - a == a.constant(0);
}
Part not_a_number(Part a) {
  return a.constant(std::numeric_limits<double>::quiet_NaN());
}

struct Parts {
  Part re, im;

  ValueId joined() const { return binary(Op::Complex, re, im).id; }
};

Parts parts_of(Builder& builder, ValueId a) {
  return {{&builder, builder.unary(Op::Real, a)}, {&builder, builder.unary(Op::Imaginary, a)}};
}

Parts select(Part condition, Parts a, Parts b) {
  return {select(condition, a.re, b.re), select(condition, a.im, b.im)};
}

Parts multiply(Parts a, Parts b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// By the larger part of the divisor (Smith, Algorithm 116, Communications of the ACM 5, 1962). By 0: as numbers.
Parts divide(Parts a, Parts b) {
  const Part zero = b.re.constant(0), one = b.re.constant(1);
  const Part size_re = abs(b.re), size_im = abs(b.im);
  const Part by_re = size_re >= size_im;
  const Part ratio = select(by_re, b.im, b.re) / select(by_re, b.re, b.im);
  const Part scale = one / select(by_re, b.re + b.im * ratio, b.im + b.re * ratio);
  const Parts quotient = {select(by_re, a.re + a.im * ratio, a.re * ratio + a.im) * scale,
                          select(by_re, a.im - a.re * ratio, a.im * ratio - a.re) * scale};
  return select((size_re == zero) & (size_im == zero), Parts{a.re / size_re, a.im / size_re}, quotient);
}

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
  const Part zero = number(0), infinity = number(std::numeric_limits<double>::infinity());
  root = select((z.re == zero) & (z.im == zero), Parts{zero, z.im}, root);
  const Part nothing = z.im - z.im;  // 0, or NaN
  const Parts of_negative = {abs(nothing), with_sign_of(infinity, z.im)},
              of_positive = {z.re, with_sign_of(nothing, z.im)};
  root = select(is_infinite(z.re), select(z.re < zero, of_negative, of_positive), root);
  return select(is_infinite(z.im), Parts{infinity, z.im}, root);
}

// Near |z| = 1 from what the square of the size is beyond 1.
Parts logarithm(Parts z) {
  const Scales scales = scales_of(z.re.dtype());
  const auto number = [&](double value) { return z.re.constant(value); };
  const Part a = abs(z.re), b = abs(z.im);
  const Part larger = select(a > b, a, b), smaller = select(a > b, b, a);
  const Part large = larger >= number(scales.above), small = larger < number(scales.below);
  const Part scale = select(large, number(1 / scales.grow), select(small, number(scales.grow), number(1)));
  const Part grown = select(large, number(scales.logarithm), select(small, number(-scales.logarithm), number(0)));
  const Part far = unary(Op::Log, binary(Op::Hypot, z.re * scale, z.im * scale)) + grown;
  const Part one = number(1), beyond = (larger - one) * (larger + one) + smaller * smaller;
  const Part near = unary(Op::Log1p, beyond) * number(0.5);
  const Part is_near = (larger > number(0.5)) & (larger < number(1.5)) & (smaller < number(1.5));
  return {select(is_near, near, far), binary(Op::Arctan2, z.im, z.re)};
}

// exp(x) * a for a of at most 1, also where exp(x) alone is too large.
struct Growth {
  Part rest, factor;

  explicit Growth(Part x) : rest(x), factor(x.constant(1)) {
    const bool narrow = x.dtype() == DType::Float32;
    const Part limit = x.constant(narrow ? 88 : 709);
    for (int step = 0; step < 2; ++step) {
      const Part beyond = rest > limit;
      factor = factor * select(beyond, unary(Op::Exp, limit), x.constant(1));
      rest = select(beyond, rest - limit, rest);
    }
    rest = unary(Op::Exp, rest);
  }
};

Parts exponential(Parts z) {
  const Part zero = z.re.constant(0);
  const Part cosine = unary(Op::Cos, z.im), sine = unary(Op::Sin, z.im);
  const Part by_one = unary(Op::Exp, z.re);
  // In one product wherever that does.
  const bool narrow = z.re.dtype() == DType::Float32;
  const Part far = z.re > z.re.constant(narrow ? 88 : 709);
  const Growth growth(z.re);
  const auto grown = [&](Part a) {
    const Part infinite = is_infinite(z.re);
    return select(far & (is_infinite(by_one) & is_finite(z.re)), growth.rest * (growth.factor * a),
                  select(infinite & (a == zero), a, by_one * a));
  };
  Parts result = {grown(cosine), grown(sine)};
  const Part infinity = z.re.constant(std::numeric_limits<double>::infinity());
  const Part lost = is_infinite(z.re) & !is_finite(z.im);  // the angle is none
  result = select(lost, select(z.re > zero, Parts{infinity, not_a_number(zero)}, Parts{zero, with_sign_of(zero, z.im)}),
                  result);
  return select(z.im == zero, Parts{by_one, z.im}, result);
}

// cosh x * c and sinh x * s, also where these alone are too large.
struct Hyperbola {
  Part cosine, sine;
};
Hyperbola hyperbola(Part x, Part c, Part s) {
  const bool narrow = x.dtype() == DType::Float32;
  const Part size = abs(x), half = x.constant(0.5);
  const Part far = size > x.constant(narrow ? 88 : 709);
  const Growth growth(size);
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

// Of the number times i: -im, re; and what is i times the result.
Parts turned(Parts z) {
  return {-z.im, z.re};
}

Parts compute(Op op, Parts z) {
  switch (op) {
    case Op::Negate: return {-z.re, -z.im};
    case Op::Conjugate: return {z.re, -z.im};
    case Op::Sqrt: return square_root(z);
    case Op::Exp: return exponential(z);
    case Op::Log: return logarithm(z);
    case Op::Sinh: return hyperbolic_sine(z);
    case Op::Cosh: return hyperbolic_cosine(z);
    case Op::Sin: {  // -i sinh(i z)
      const Parts result = hyperbolic_sine(turned(z));
      return {result.im, -result.re};
    }
    case Op::Cos: return hyperbolic_cosine(turned(z));
    default: PILUM_CHECK(false, "{} of complex numbers", name(op));
  }
}

}  // namespace

ValueId complex_unary(Builder& builder, Op op, ValueId a) {
  const Parts z = parts_of(builder, a);
  if (op == Op::Absolute) return binary(Op::Hypot, z.re, z.im).id;
  return compute(op, z).joined();
}

ValueId complex_binary(Builder& builder, Op op, ValueId a, ValueId b) {
  const Parts x = parts_of(builder, a), y = parts_of(builder, b);
  switch (op) {
    case Op::Add: return Parts{x.re + y.re, x.im + y.im}.joined();
    case Op::Subtract: return Parts{x.re - y.re, x.im - y.im}.joined();
    case Op::Multiply: return multiply(x, y).joined();
    case Op::Divide: return divide(x, y).joined();
    case Op::Equal: return ((x.re == y.re) & (x.im == y.im)).id;
    case Op::NotEqual: return ((x.re != y.re) | (x.im != y.im)).id;
    default: PILUM_CHECK(false, "{} of complex numbers", name(op));
  }
}

ValueId complex_cast(Builder& builder, ValueId a, DType to) {
  if (!is_complex(builder.dtype(a))) {
    const Part re{&builder, builder.cast(a, detail::part_of(to))};
    return Parts{re, re.constant(0)}.joined();
  }
  const Parts z = parts_of(builder, a);
  if (to == DType::Bool) return ((z.re != z.re.constant(0)) | (z.im != z.im.constant(0))).id;
  if (!is_complex(to)) return builder.cast(z.re.id, to);
  const DType part = detail::part_of(to);
  return builder.binary(Op::Complex, builder.cast(z.re.id, part), builder.cast(z.im.id, part));
}

ValueId complex_select(Builder& builder, ValueId condition, ValueId a, ValueId b) {
  return select(Part{&builder, condition}, parts_of(builder, a), parts_of(builder, b)).joined();
}

}  // namespace pilum::kernel
