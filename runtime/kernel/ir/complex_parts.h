// Complex numbers as their parts, with the builder's operations as operators.
#pragma once

#include <limits>

#include "runtime/kernel/ir/builder.h"

namespace pilum::kernel {

// Real numbers of one dtype, with the builder's operations as operators.
struct Part {
  Builder* builder;
  ValueId id;

  DType dtype() const { return builder->dtype(id); }
  Part of(ValueId value) const { return {builder, value}; }
  Part constant(double value) const { return of(builder->constant(cast(Scalar::of(value), dtype()))); }
};

inline Part unary(Op op, Part a) {
  return a.of(a.builder->unary(op, a.id));
}
inline Part binary(Op op, Part a, Part b) {
  return a.of(a.builder->binary(op, a.id, b.id));
}
inline Part select(Part condition, Part a, Part b) {
  return a.of(a.builder->select(condition.id, a.id, b.id));
}
inline Part operator+(Part a, Part b) {
  return binary(Op::Add, a, b);
}
inline Part operator-(Part a, Part b) {
  return binary(Op::Subtract, a, b);
}
inline Part operator*(Part a, Part b) {
  return binary(Op::Multiply, a, b);
}
inline Part operator/(Part a, Part b) {
  return binary(Op::Divide, a, b);
}
inline Part operator-(Part a) {
  return unary(Op::Negate, a);
}
inline Part operator!(Part a) {
  return unary(Op::Not, a);
}
inline Part operator&(Part a, Part b) {
  return binary(Op::And, a, b);
}
inline Part operator|(Part a, Part b) {
  return binary(Op::Or, a, b);
}
inline Part operator==(Part a, Part b) {
  return binary(Op::Equal, a, b);
}
inline Part operator!=(Part a, Part b) {
  return binary(Op::NotEqual, a, b);
}
inline Part operator>=(Part a, Part b) {
  return binary(Op::GreaterEqual, a, b);
}
inline Part operator<=(Part a, Part b) {
  return binary(Op::LessEqual, a, b);
}
inline Part operator>(Part a, Part b) {
  return binary(Op::Greater, a, b);
}
inline Part operator<(Part a, Part b) {
  return binary(Op::Less, a, b);
}
inline Part abs(Part a) {
  return unary(Op::Absolute, a);
}
inline Part with_sign_of(Part a, Part b) {
  return binary(Op::Copysign, a, b);
}
inline Part infinity(Part a) {
  return a.constant(std::numeric_limits<double>::infinity());
}
inline Part is_infinite(Part a) {
  return abs(a) == infinity(a);
}
inline Part is_finite(Part a) {
  return a - a == a.constant(0);
}
inline Part not_a_number(Part a) {
  return a.constant(std::numeric_limits<double>::quiet_NaN());
}

struct Parts {
  Part re, im;

  ValueId joined() const { return binary(Op::Complex, re, im).id; }
};

inline Parts parts_of(Builder& builder, ValueId a) {
  return {{&builder, builder.unary(Op::Real, a)}, {&builder, builder.unary(Op::Imaginary, a)}};
}

// Of the number times i: -im, re.
inline Parts turned(Parts z) {
  return {-z.im, z.re};
}
// The number of which that is i times: im, -re.
inline Parts turned_back(Parts z) {
  return {z.im, -z.re};
}

inline Parts select(Part condition, Parts a, Parts b) {
  return {select(condition, a.re, b.re), select(condition, a.im, b.im)};
}

inline Parts multiply(Parts a, Parts b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// By the larger part of the divisor (Smith, Algorithm 116, Communications of the ACM 5, 1962). By 0: as numbers.
inline Parts divide(Parts a, Parts b) {
  const Part zero = b.re.constant(0), one = b.re.constant(1);
  const Part size_re = abs(b.re), size_im = abs(b.im);
  const Part by_re = size_re >= size_im;
  const Part ratio = select(by_re, b.im, b.re) / select(by_re, b.re, b.im);
  const Part scale = one / select(by_re, b.re + b.im * ratio, b.im + b.re * ratio);
  const Parts quotient = {select(by_re, a.re + a.im * ratio, a.re * ratio + a.im) * scale,
                          select(by_re, a.im - a.re * ratio, a.im * ratio - a.re) * scale};
  return select((size_re == zero) & (size_im == zero), Parts{a.re / size_re, a.im / size_re}, quotient);
}

}  // namespace pilum::kernel
