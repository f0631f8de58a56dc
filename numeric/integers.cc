// Divisions and their rests, shifts, common divisors.
#include "numeric/elementwise.h"
#include "pilum/creation.h"
#include "pilum/functions.h"

namespace pilum::numeric {
namespace {

using kernel::Op;

// Bools are small integers here.
Rule numbers_rule(Operands operands, Op op) {
  const DType dtype = common_dtype(operands);
  const DType number = dtype == DType::Bool ? DType::Int8 : dtype;
  return Rule{op, number, number};
}

Rule fmod_rule(const Call&, Operands operands) {
  return numbers_rule(operands, Op::Fmod);
}

Rule integers_rule(const Call& call, Operands operands, Op op, const char* what, const char* instead) {
  const Rule rule = numbers_rule(operands, op);
  if (is_floating(rule.compute))
    fail<DTypeError>(call, what, " take integers, and these operands are ", rule.compute, ": ", instead);
  return rule;
}

constexpr const char* kDivisors = "common divisors and multiples";
constexpr const char* kCast = "cast with astype";

Rule gcd_rule(const Call& call, Operands operands) {
  return integers_rule(call, operands, Op::Gcd, kDivisors, kCast);
}
Rule lcm_rule(const Call& call, Operands operands) {
  return integers_rule(call, operands, Op::Lcm, kDivisors, kCast);
}

constexpr const char* kShifted = "shifts";
constexpr const char* kScale = "np::ldexp(a, n) is a times 2 to the power of n; or cast with astype";

}  // namespace

Rule floor_divide_rule(const Call&, Operands operands) {
  return numbers_rule(operands, Op::FloorDivide);
}
Rule left_shift_rule(const Call& call, Operands operands) {
  return integers_rule(call, operands, Op::LeftShift, kShifted, kScale);
}
Rule right_shift_rule(const Call& call, Operands operands) {
  return integers_rule(call, operands, Op::RightShift, kShifted, kScale);
}

Array floor_divide(const Operand& a, const Operand& b) {
  return record_binary("floor_divide", floor_divide_rule, a, b);
}
Array fmod(const Operand& a, const Operand& b) {
  return record_binary("fmod", fmod_rule, a, b);
}

std::pair<Array, Array> divmod(const Operand& a, const Operand& b) {
  const Call call{"divmod", a.where()};
  const Operand* const operands[] = {&a, &b};
  static_cast<void>(common_shape(call, operands, recorder_of(call)));
  const bool first = a.kind() == Operand::Kind::Array, second = b.kind() == Operand::Kind::Array;
  const Array x = first ? held(call, a) : Array(), y = second ? held(call, b) : Array();
  const Operand left = first ? Operand(x, call.where) : a, right = second ? Operand(y, call.where) : b;
  Array quotient = record_binary("divmod", floor_divide_rule, left, right);
  return {std::move(quotient), record_binary("divmod", remainder_rule, left, right)};
}

Array float_power(const Operand& a, const Operand& b) {
  const Call call{"float_power", a.where()};
  const Operand* const operands[] = {&a, &b};
  const Shape shape = common_shape(call, operands, recorder_of(call));
  const DType dtype = is_complex(common_dtype(operands)) ? DType::Complex128 : DType::Float64;
  return record_new(call, Rule{Op::Power, dtype, dtype}, operands, shape);
}

Array reciprocal(const Operand& a) {
  const Call call{"reciprocal", a.where()};
  const DType dtype = dtype_of_operand(call, a);
  const Operand one(1, call.where), zero(0, call.where);
  if (is_complex(dtype)) return complex_power(call, a, Operand(-1, call.where), dtype, held(call, a).shape());
  if (is_floating(dtype)) {
    const Operand* const operands[] = {&one, &a};
    return record_new(call, Rule{Op::Divide, dtype, dtype}, operands);
  }
  const Array given = held(call, a);
  const Array x = dtype == DType::Bool ? given.astype(DType::Int8, call.where) : given;
  const Operand cell(x, call.where);
  const Array size = numeric::abs(cell), is_unit = Operand(size, call.where) == one;
  const Array units = where(Operand(is_unit, call.where), cell, zero);
  return units;
}

Array gcd(const Operand& a, const Operand& b) {
  return record_binary("gcd", gcd_rule, a, b);
}
Array lcm(const Operand& a, const Operand& b) {
  return record_binary("lcm", lcm_rule, a, b);
}

Array operator<<(const Operand& a, const Operand& b) {
  return record_binary("left_shift", left_shift_rule, a, b);
}
Array operator>>(const Operand& a, const Operand& b) {
  return record_binary("right_shift", right_shift_rule, a, b);
}

}  // namespace pilum::numeric
