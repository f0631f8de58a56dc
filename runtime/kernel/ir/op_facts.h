// What holds for each op, whatever the kernel.
#pragma once

#include "pilum/dtype.h"
#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel {

// How many operands: a; a, b; a, b, c.
constexpr int arity(Op op) {
  if (op <= Op::Constant) return 0;
  if (op <= Op::Log) return 1;
  return op == Op::Select ? 3 : 2;
}

constexpr bool is_comparison(Op op) {
  return op >= Op::Equal && op <= Op::GreaterEqual;
}

// Whether the op takes (last two, if Select) operands of the dtype. Bool arithmetic is NumPy's logic: add and maximum
// are "or", multiply and minimum are "and", subtract is "differs", absolute and negate change nothing.
constexpr bool accepts(Op op, DType dtype) {
  switch (op) {
    case Op::Sqrt:
    case Op::Exp:
    case Op::Log:
    case Op::Divide: return is_floating(dtype);
    case Op::Not:
    case Op::And:
    case Op::Or:
    case Op::Xor: return !is_floating(dtype);
    case Op::Power:
    case Op::Remainder: return dtype != DType::Bool;
    default: return true;
  }
}

}  // namespace pilum::kernel
