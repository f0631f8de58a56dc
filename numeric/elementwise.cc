// Operators and functions that work cell by cell.
#include "numeric/elementwise.h"

#include <initializer_list>
#include <limits>

#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

using kernel::Op;

Rule plain(Op op, DType dtype) {
  return Rule{op, dtype, dtype};
}

DType floating(DType dtype) {
  return is_inexact(dtype) ? dtype : DType::Float64;
}

// A result of the operand's dtype, which `op` takes.
Array unary(const Call& call, const Rule& rule, const Operand& a) {
  const Operand* const operands[] = {&a};
  return record_new(call, rule, operands);
}

// Integers of a dtype and a number that is beyond all of them: as if each were compared with the largest one.
Array compare_with_far(const Call& call, Op op, const Operand& cells, const Operand& far, bool far_is_left, DType dtype,
                       const Shape& shape) {
  const Operand largest(range_of(dtype).highest, call.where);
  const bool far_is_above = far.is_large() || far.integer() > 0;
  const bool is_less = op == Op::Less || op == Op::LessEqual, is_greater = op == Op::Greater || op == Op::GreaterEqual;
  const bool holds = op == Op::NotEqual || (far_is_above != far_is_left ? is_less : is_greater);
  const Operand* const operands[] = {&cells, &largest};
  return record_new(call, Rule{holds ? Op::LessEqual : Op::Greater, dtype, DType::Bool}, operands, shape);
}

Op mirrored(Op op) {
  switch (op) {
    case Op::Less: return Op::Greater;
    case Op::LessEqual: return Op::GreaterEqual;
    case Op::Greater: return Op::Less;
    case Op::GreaterEqual: return Op::LessEqual;
    default: return op;
  }
}

// Integers with a sign and uint64, which no integer dtype holds both: negative ones are below, all others are compared
// as uint64.
Array compare_signs(const Call& call, Op op, const Array& with_sign, const Array& without) {
  const Operand cell(with_sign, call.where), other(without, call.where), zero(0, call.where);
  const bool holds_below = op == Op::NotEqual || op == Op::Less || op == Op::LessEqual;
  const Operand* const both[] = {&cell, &other};
  const Array compared = record_new(call, Rule{op, DType::UInt64, DType::Bool}, both);
  const Operand result(compared, call.where);
  return holds_below ? Operand(cell < zero, call.where) | result : Operand(cell >= zero, call.where) & result;
}

Array compare(const char* name, Op op, const Operand& a, const Operand& b) {
  const Call call{name, a.where()};
  const Operand* const operands[] = {&a, &b};
  const Shape shape = common_shape(call, operands, recorder_of(call));
  const DType dtype = common_dtype(operands);
  const bool far_a = overflows(a, dtype), far_b = overflows(b, dtype);
  if (far_a != far_b) return compare_with_far(call, op, far_a ? b : a, far_a ? a : b, far_a, dtype, shape);
  if (is_floating(dtype) && a.kind() == Operand::Kind::Array && b.kind() == Operand::Kind::Array) {
    const DType left = a.array().dtype(), right = b.array().dtype();
    if (is_signed(left) && is_unsigned(right)) return compare_signs(call, op, a.array(), b.array());
    if (is_unsigned(left) && is_signed(right)) return compare_signs(call, mirrored(op), b.array(), a.array());
  }
  return record_new(call, Rule{op, dtype, DType::Bool}, operands, shape);
}

Rule minimum_rule(const Call&, Operands operands) {
  const DType dtype = common_dtype(operands);
  return plain(dtype == DType::Bool ? Op::And : Op::Minimum, dtype);
}

Rule maximum_rule(const Call&, Operands operands) {
  const DType dtype = common_dtype(operands);
  return plain(dtype == DType::Bool ? Op::Or : Op::Maximum, dtype);
}

Rule power_rule(const Call& call, Operands operands, const Shape& shape) {
  const DType common = common_dtype(operands);
  const DType dtype = common == DType::Bool ? DType::Int8 : common;
  const Operand& exponent = *operands[1];
  const bool negative = exponent.kind() == Operand::Kind::Integer && !exponent.is_large() && exponent.integer() < 0;
  if (!is_inexact(dtype) && negative && shape.elements() != 0) {
    fail<ValueError>(call, "integers to the negative power ", exponent.integer(),
                     " are not integers: make one of them floating, as in ", exponent.integer(), ".0");
  }
  return plain(Op::Power, dtype);
}

}  // namespace

Array floating_function(const char* name, Op op, const Operand& a) {
  const Call call{name, a.where()};
  return unary(call, plain(op, function_dtype(dtype_of_operand(call, a))), a);
}

Array held(const Call& call, const Operand& a) {
  if (a.kind() != Operand::Kind::Array) return full({}, a);
  static_cast<void>(checked_state(call, a.array()));
  return a.array();
}

Array record_binary(const char* name, Rule (*rule_of)(const Call&, Operands), const Operand& a, const Operand& b) {
  const Call call{name, a.where()};
  const Operand* const operands[] = {&a, &b};
  const Shape shape = common_shape(call, operands, recorder_of(call));
  return record_new(call, rule_of(call, Operands(operands)), operands, shape);
}

DType dtype_of_operand(const Call& call, const Operand& a) {
  if (a.kind() == Operand::Kind::Array) checked_state(call, a.array());
  const Operand* const operands[] = {&a};
  return common_dtype(operands);
}

Rule add_rule(const Call&, Operands operands) {
  const DType dtype = common_dtype(operands);
  return plain(dtype == DType::Bool ? Op::Or : Op::Add, dtype);
}

Rule subtract_rule(const Call& call, Operands operands) {
  const DType dtype = common_dtype(operands);
  if (dtype == DType::Bool) {
    fail<DTypeError>(call, "bools cannot be subtracted: use a != b for where they differ, or cast one with astype");
  }
  return plain(Op::Subtract, dtype);
}

Rule multiply_rule(const Call&, Operands operands) {
  const DType dtype = common_dtype(operands);
  return plain(dtype == DType::Bool ? Op::And : Op::Multiply, dtype);
}

Rule divide_rule(const Call&, Operands operands) {
  return plain(Op::Divide, floating(common_dtype(operands)));
}

Rule remainder_rule(const Call&, Operands operands) {
  const DType dtype = common_dtype(operands);
  return plain(Op::Remainder, dtype == DType::Bool ? DType::Int8 : dtype);
}

Array operator+(const Operand& a, const Operand& b) {
  return record_binary("add", add_rule, a, b);
}
Array operator-(const Operand& a, const Operand& b) {
  return record_binary("subtract", subtract_rule, a, b);
}
Array operator*(const Operand& a, const Operand& b) {
  return record_binary("multiply", multiply_rule, a, b);
}
Array operator/(const Operand& a, const Operand& b) {
  return record_binary("divide", divide_rule, a, b);
}
Array operator%(const Operand& a, const Operand& b) {
  return record_binary("remainder", remainder_rule, a, b);
}

Array operator+(const Operand& a) {
  const Call call{"positive", a.where()};
  const DType dtype = dtype_of_operand(call, a);
  if (dtype == DType::Bool) fail<DTypeError>(call, "a bool has no sign: use it as it is, or cast it with astype");
  return unary(call, plain(Op::Cast, dtype), a);
}

Array operator-(const Operand& a) {
  const Call call{"negative", a.where()};
  const DType dtype = dtype_of_operand(call, a);
  if (dtype == DType::Bool) {
    fail<DTypeError>(call, "a bool cannot be negated: use a == false for its opposite, or cast it with astype");
  }
  return unary(call, plain(Op::Negate, dtype), a);
}

Array operator==(const Operand& a, const Operand& b) {
  return compare("equal", Op::Equal, a, b);
}
Array operator!=(const Operand& a, const Operand& b) {
  return compare("not_equal", Op::NotEqual, a, b);
}
Array operator<(const Operand& a, const Operand& b) {
  return compare("less", Op::Less, a, b);
}
Array operator<=(const Operand& a, const Operand& b) {
  return compare("less_equal", Op::LessEqual, a, b);
}
Array operator>(const Operand& a, const Operand& b) {
  return compare("greater", Op::Greater, a, b);
}
Array operator>=(const Operand& a, const Operand& b) {
  return compare("greater_equal", Op::GreaterEqual, a, b);
}

Array where(const Operand& condition, const Operand& a, const Operand& b) {
  const Call call{"where", condition.where()};
  const Operand* const all_three[] = {&condition, &a, &b};
  const Shape shape = common_shape(call, all_three, recorder_of(call));
  const DType dtype = common_dtype(std::span(all_three).subspan(1));
  return record_new(call, plain(Op::Select, dtype), all_three, shape);
}

Array abs(const Operand& a) {
  const Call call{"abs", a.where()};
  const DType dtype = dtype_of_operand(call, a);
  return unary(call, Rule{dtype == DType::Bool ? Op::Cast : Op::Absolute, dtype, pilum::detail::part_of(dtype)}, a);
}

Array sqrt(const Operand& a) {
  return floating_function("sqrt", Op::Sqrt, a);
}
Array exp(const Operand& a) {
  return floating_function("exp", Op::Exp, a);
}
Array log(const Operand& a) {
  return floating_function("log", Op::Log, a);
}

namespace {

// a / |a|, and 0 of 0. Of one infinite part its sign, of two NaNs.
Array complex_sign(const Call& call, const Array& x) {
  const auto in = [&](const Array& array) { return Operand(array, call.where); };
  const Operand number(x, call.where), zero(0, call.where);
  const Array re = real(number), im = imag(number), size = abs(number);
  const Array is_none = in(size) == zero, is_large = isinf(in(size));
  const auto part = [&](const Array& own, const Array& other) {
    const Array share = in(own) / in(size), unit = copysign(Operand(1, call.where), in(own));
    const Array whole = isinf(in(own)), left = isinf(in(other)), both = in(whole)&in(left);
    const Array of_one = where(in(whole), in(unit), zero);
    const Array nan = where(in(both), Operand(std::numeric_limits<double>::quiet_NaN(), call.where), in(of_one));
    const Array of_large = where(in(is_large), in(nan), in(share));
    return where(in(is_none), zero, in(of_large));
  };
  return join_parts(call, part(re, im), part(im, re));
}

}  // namespace

Array sign(const Operand& a) {
  const Call call{"sign", a.where()};
  const Array x = held(call, a);
  if (is_complex(x.dtype())) return complex_sign(call, x);
  if (x.dtype() == DType::Bool) fail<DTypeError>(call, "a bool has no sign: use it as it is, or cast it with astype");
  const Operand cell(x, call.where), zero(0, call.where), one(1, call.where), minus_one(-1, call.where);
  if (is_unsigned(x.dtype())) return where(Operand(cell > zero, call.where), one, cell);
  const Array of_zeros = where(Operand(cell == zero, call.where), zero, cell);  // and of nan
  const Array of_negatives = where(Operand(cell < zero, call.where), minus_one, Operand(of_zeros, call.where));
  return where(Operand(cell > zero, call.where), one, Operand(of_negatives, call.where));
}

Array isnan(const Operand& a) {
  const Call call{"isnan", a.where()};
  const Array x = held(call, a);
  return Operand(x, call.where) != Operand(x, call.where);
}

Array isfinite(const Operand& a) {
  const Call call{"isfinite", a.where()};
  const Array x = held(call, a);
  const Operand cell(x, call.where);
  return is_inexact(x.dtype()) ? Operand(cell - cell, call.where) == Operand(0, call.where) : cell == cell;
}

Array isinf(const Operand& a) {
  const Call call{"isinf", a.where()};
  const Array x = held(call, a);
  if (is_complex(x.dtype())) {
    const Operand number(x, call.where);
    const Array re = real(number), im = imag(number);
    return Operand(isinf(Operand(re, call.where)), call.where) | Operand(isinf(Operand(im, call.where)), call.where);
  }
  const Operand cell(x, call.where), infinity(std::numeric_limits<double>::infinity(), call.where);
  return is_floating(x.dtype()) ? Operand(abs(cell), call.where) == infinity : cell != cell;
}

Array minimum(const Operand& a, const Operand& b) {
  return record_binary("minimum", minimum_rule, a, b);
}
Array maximum(const Operand& a, const Operand& b) {
  return record_binary("maximum", maximum_rule, a, b);
}

Array clip(const Operand& a, const Operand& low, const Operand& high) {
  const Call call{"clip", a.where()};
  const Operand* const all_three[] = {&a, &low, &high};
  static_cast<void>(common_shape(call, all_three, recorder_of(call)));  // refused before anything is recorded
  return record_binary("clip", minimum_rule, Operand(record_binary("clip", maximum_rule, a, low), call.where), high);
}
Array clip(const Operand& a, NoBound, const Operand& high) {
  return record_binary("clip", minimum_rule, a, high);
}
Array clip(const Operand& a, const Operand& low, NoBound) {
  return record_binary("clip", maximum_rule, a, low);
}

// Some numbers as exponents stand for an operation that is rounded correctly, as in NumPy. Of those, the root alone has
// other values than a power has by the C standard: of -inf (NaN, not inf) and of -0.0 (-0.0, not 0.0).
Array power(const Operand& a, const Operand& b) {
  const Call call{"power", a.where()};
  const Operand* const both[] = {&a, &b};
  const Shape shape = common_shape(call, both, recorder_of(call));
  const Rule rule = power_rule(call, both, shape);
  if (is_complex(rule.compute)) return complex_power(call, a, b, rule.compute, shape);
  const double exponent = b.kind() == Operand::Kind::Array ? 0 : value_of(b);
  const auto record = [&](Op op, std::initializer_list<const Operand*> operands) {
    return record_new(call, plain(op, rule.compute), Operands(operands.begin(), operands.size()), shape);
  };
  if (exponent == 2) return record(Op::Multiply, {&a, &a});
  if (exponent == 1) return record(Op::Cast, {&a});
  const bool is_root = is_floating(rule.compute) && rule.compute != DType::Float16;  // of which NumPy has C's
  if (is_root && exponent == 0.5) return record(Op::Sqrt, {&a});
  if (is_floating(rule.compute) && exponent == -1) {
    const Operand one(1, call.where);
    return record(Op::Divide, {&one, &a});
  }
  return record(Op::Power, {&a, &b});
}

}  // namespace pilum::numeric
