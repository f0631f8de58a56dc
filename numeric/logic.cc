// & | ^ ~ ! of arrays: bit by bit of integers, logic of bools.
#include "numeric/elementwise.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

using kernel::Op;

// Integers and bools have bits to speak of. `instead` is what is often meant.
Rule bitwise_rule(const Call& call, Operands operands, Op op, const char* instead) {
  const DType dtype = common_dtype(operands);
  if (is_floating(dtype))
    fail<DTypeError>(call, "bitwise operations take integers and bools, and these operands are ", dtype, ": ", instead);
  return Rule{op, dtype, dtype};
}

constexpr const char* kCompareFirst = "compare first, in parentheses, as in (a > 0) & (b < 1), or cast with astype";

// Computed in bools, which every input is cast to.
Array logical(const char* name, Op op, const Operand& a, const Operand& b) {
  const Call call{name, a.where()};
  const Operand* const operands[] = {&a, &b};
  return record_new(call, Rule{op, DType::Bool, DType::Bool}, operands);
}

}  // namespace

Rule bitwise_and_rule(const Call& call, Operands operands) {
  return bitwise_rule(call, operands, Op::And, kCompareFirst);
}
Rule bitwise_or_rule(const Call& call, Operands operands) {
  return bitwise_rule(call, operands, Op::Or, kCompareFirst);
}
Rule bitwise_xor_rule(const Call& call, Operands operands) {
  return bitwise_rule(call, operands, Op::Xor, "np::power(a, b) is a to the power of b; or cast with astype");
}

Array operator&(const Operand& a, const Operand& b) {
  return record_binary("bitwise_and", bitwise_and_rule, a, b);
}
Array operator|(const Operand& a, const Operand& b) {
  return record_binary("bitwise_or", bitwise_or_rule, a, b);
}
Array operator^(const Operand& a, const Operand& b) {
  return record_binary("bitwise_xor", bitwise_xor_rule, a, b);
}

Array operator~(const Operand& a) {
  const Call call{"invert", a.where()};
  static_cast<void>(dtype_of_operand(call, a));
  const Operand* const operands[] = {&a};
  return record_new(call, bitwise_rule(call, operands, Op::Not, "compare first, as in ~(a > 0), or cast with astype"),
                    operands);
}

Array operator!(const Array& a) {
  const ArrayState* state = ArrayAccess::state(a);
  return logical_not(Operand(a, state ? state->store().where : std::source_location()));
}

Array logical_not(const Operand& a) {
  const Call call{"logical_not", a.where()};
  const DType dtype = dtype_of_operand(call, a);
  const Operand zero(0, call.where);
  const Operand* const operands[] = {&a, &zero};
  if (dtype == DType::Bool) return record_new(call, Rule{Op::Not, dtype, dtype}, Operands(operands).first(1));
  return record_new(call, Rule{Op::Equal, dtype, DType::Bool}, operands);
}

Array logical_and(const Operand& a, const Operand& b) {
  return logical("logical_and", Op::And, a, b);
}
Array logical_or(const Operand& a, const Operand& b) {
  return logical("logical_or", Op::Or, a, b);
}
Array logical_xor(const Operand& a, const Operand& b) {
  return logical("logical_xor", Op::Xor, a, b);
}

}  // namespace pilum::numeric
