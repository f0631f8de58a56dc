// The dtypes of what both operators and in-place operators do; and what files of elementwise operations share.
#pragma once

#include "numeric/record.h"

namespace pilum::numeric {

Rule add_rule(const Call& call, Operands operands);
Rule subtract_rule(const Call& call, Operands operands);
Rule multiply_rule(const Call& call, Operands operands);
Rule divide_rule(const Call& call, Operands operands);
Rule remainder_rule(const Call& call, Operands operands);
Rule bitwise_and_rule(const Call& call, Operands operands);
Rule bitwise_or_rule(const Call& call, Operands operands);
Rule bitwise_xor_rule(const Call& call, Operands operands);
Rule left_shift_rule(const Call& call, Operands operands);
Rule right_shift_rule(const Call& call, Operands operands);
Rule floor_divide_rule(const Call& call, Operands operands);

// A new array of the operands' common shape, by the rule.
Array record_binary(const char* name, Rule (*rule_of)(const Call&, Operands), const Operand& a, const Operand& b);
// By an op of floats; integers and bools are computed in float64.
Array floating_function(const char* name, kernel::Op op, const Operand& a);
// The operand as an array, for functions that need it more than once: a temporary ends with its first use.
Array held(const Call& call, const Operand& a);
// Powers of complex numbers: products or a root where one exponent says so.
Array complex_power(const Call& call, const Operand& a, const Operand& exponent, DType dtype, const Shape& shape);
// a * a, or re * re + im * im.
Array squared_size(const Call& call, const Array& a);
// The complex numbers of these parts, in the name of the call.
Array join_parts(const Call& call, const Array& re, const Array& im);
// An operand's dtype; throws for an array that is empty, which has none.
DType dtype_of_operand(const Call& call, const Operand& a);

}  // namespace pilum::numeric
