// Operators and functions that work cell by cell.
#include "numeric/elementwise.h"

#include "pilum/math.h"

namespace pilum::numeric {
namespace {

using kernel::Op;

Rule plain(Op op, DType dtype) {
  return Rule{op, dtype, dtype};
}

DType floating(DType dtype) {
  return is_floating(dtype) ? dtype : DType::Float64;
}

Array binary(const char* name, Rule (*rule_of)(const Call&, Operands), const Operand& a, const Operand& b) {
  const Call call{name, a.where()};
  const Operand* const operands[] = {&a, &b};
  const Shape shape = common_shape(call, operands, recorder_of(call));
  return record_new(call, rule_of(call, Operands(operands)), operands, shape);
}

// A result of the operand's dtype, which `op` takes.
Array unary(const Call& call, const Rule& rule, const Operand& a) {
  const Operand* const operands[] = {&a};
  return record_new(call, rule, operands);
}

// Empty arrays have no dtype: to be called before it is asked for.
DType dtype_of_operand(const Call& call, const Operand& a) {
  if (a.kind() == Operand::Kind::Array) checked_state(call, a.array());
  const Operand* const operands[] = {&a};
  return common_dtype(operands);
}

Array compare(const char* name, Op op, const Operand& a, const Operand& b) {
  const Call call{name, a.where()};
  const Operand* const operands[] = {&a, &b};
  const Shape shape = common_shape(call, operands, recorder_of(call));
  DType dtype = common_dtype(operands);
  if (overflows(a, dtype) || overflows(b, dtype)) dtype = DType::Int64;  // compared as the numbers they are
  return record_new(call, Rule{op, dtype, DType::Bool}, operands, shape);
}

Array floating_function(const char* name, Op op, const Operand& a) {
  const Call call{name, a.where()};
  return unary(call, plain(op, floating(dtype_of_operand(call, a))), a);
}

Rule minimum_rule(const Call&, Operands operands) {
  const DType dtype = common_dtype(operands);
  return plain(dtype == DType::Bool ? Op::And : Op::Minimum, dtype);
}

Rule maximum_rule(const Call&, Operands operands) {
  const DType dtype = common_dtype(operands);
  return plain(dtype == DType::Bool ? Op::Or : Op::Maximum, dtype);
}

Rule power_rule(const Call& call, Operands operands) {
  const DType common = common_dtype(operands);
  const DType dtype = common == DType::Bool ? DType::Int64 : common;
  const Operand& exponent = *operands[1];
  if (!is_floating(dtype) && exponent.kind() == Operand::Kind::Integer && exponent.integer() < 0) {
    fail<ValueError>(call, "integers to the negative power ", exponent.integer(),
                     " are not integers: make one of them floating, as in ", exponent.integer(), ".0");
  }
  return plain(Op::Power, dtype);
}

}  // namespace

Rule add_rule(const Call&, Operands operands) {
  const DType dtype = common_dtype(operands);
  return plain(dtype == DType::Bool ? Op::Or : Op::Add, dtype);
}

Rule subtract_rule(const Call& call, Operands operands) {
  const DType dtype = common_dtype(operands);
  if (dtype == DType::Bool) {
    fail<DTypeError>(call, "bools have no difference: use a != b for where they differ, or cast one with astype");
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

Array operator+(const Operand& a, const Operand& b) {
  return binary("add", add_rule, a, b);
}
Array operator-(const Operand& a, const Operand& b) {
  return binary("subtract", subtract_rule, a, b);
}
Array operator*(const Operand& a, const Operand& b) {
  return binary("multiply", multiply_rule, a, b);
}
Array operator/(const Operand& a, const Operand& b) {
  return binary("divide", divide_rule, a, b);
}

Array operator-(const Operand& a) {
  const Call call{"negative", a.where()};
  const DType dtype = dtype_of_operand(call, a);
  if (dtype == DType::Bool) {
    fail<DTypeError>(call, "a bool has no negative: use a == false for its opposite, or cast it with astype");
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
  return unary(call, plain(dtype == DType::Bool ? Op::Cast : Op::Absolute, dtype), a);
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

Array minimum(const Operand& a, const Operand& b) {
  return binary("minimum", minimum_rule, a, b);
}
Array maximum(const Operand& a, const Operand& b) {
  return binary("maximum", maximum_rule, a, b);
}

Array power(const Operand& a, const Operand& b) {
  const bool square = (b.kind() == Operand::Kind::Integer && b.integer() == 2) ||
                      (b.kind() == Operand::Kind::Floating && b.floating() == 2);
  if (!square) return binary("power", power_rule, a, b);
  // One multiplication, rounded as the exact square is. NumPy's ** does the same.
  const Call call{"power", a.where()};
  const Operand* const asked[] = {&a, &b};
  const Operand* const operands[] = {&a, &a};
  const Shape shape = common_shape(call, asked, recorder_of(call));
  return record_new(call, plain(Op::Multiply, power_rule(call, asked).result), operands, shape);
}

}  // namespace pilum::numeric
