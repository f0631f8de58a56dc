// One node as a C++ expression. Private to the emitter.
#pragma once

#include <string>

#include "runtime/kernel/host/host_types.h"

namespace pilum::kernel {

// The node's value from its operands' names. Not for loads and indices, which know their row (host_row.h).
std::string expression(const HostPlan& plan, ValueId id, Form form);
// `a op b` of values of the dtype; any text as operands.
std::string binary_expression(Op op, DType dtype, Form form, const std::string& a, const std::string& b);
// Whether a cast is a function of the prelude's: C++ has none from a float to an integer that is narrow or without a
// sign and does not hold the float's whole part. It is cast to a wider integer first, and that wraps.
bool wraps(DType from, DType to);
std::string wrap_name(DType to);
// "v3" or "w3".
std::string value_name(ValueId id, Form form);
// Whether a node's vectors keep, in a variable of the call's, what the next vector takes of what was computed; its
// name.
bool keeps_pairs(const HostPlan& plan, ValueId id);
std::string pairs_name(ValueId id);
// Whether the node's vectors are quotients by one number, for which there is its reciprocal; and whether a node is such
// a number. The reciprocal's name.
bool divides_by_number(const HostPlan& plan, ValueId id);
bool is_divisor(const HostPlan& plan, ValueId id);
std::string reciprocal_name(ValueId id);
// A number in every lane: a zero is taken from it, which is exact.
std::string splat(const std::string& number, const char* vector);
// The same of a value of the dtype.
std::string splat(DType dtype, const std::string& number);
// What lies at a pointer of any type, as a value of the type. Kernels are compiled without type-based alias rules.
std::string cell_at(const char* type, const std::string& place);
// A number of the dtype as a literal, exact.
std::string literal(DType dtype, std::uint64_t bits);

}  // namespace pilum::kernel
