#include "runtime/kernel/ir/half_ops.h"

#include <limits>

#include "runtime/base/check.h"
#include "runtime/kernel/ir/op_facts.h"

namespace pilum::kernel {
namespace {

// Ops of Float32 whose result is a Float16's value where those of the operands are.
bool keeps_halves(Op op) {
  switch (op) {
    case Op::Negate:
    case Op::Absolute:
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Rint:
    case Op::Minimum:
    case Op::Maximum:
    case Op::Copysign:
    case Op::Fmin:
    case Op::Fmax:
    case Op::Select: return true;
    default: return false;
  }
}

// Whether a Float32 is known to be a Float16's value. It looks back so many operations: a chain of selects is short.
bool is_half(const Builder& builder, ValueId a, int depth = 4) {
  const Node& node = builder.node(a);
  switch (node.op) {
    case Op::FromHalf:
    case Op::RoundHalf: return true;
    case Op::Cast: {
      const DType from = builder.dtype(node.a);
      return from == DType::Bool || (is_integer(from) && itemsize(from) == 1);
    }
    case Op::Constant: {
      const Scalar value{DType::Float32, node.bits};
      return cast(cast(value, DType::Float16), DType::Float32) == value;
    }
    default: break;
  }
  if (depth == 0 || !keeps_halves(node.op)) return false;
  const auto holds = [&](ValueId operand) { return operand < 0 || is_half(builder, operand, depth - 1); };
  return (node.op == Op::Select || holds(node.a)) && holds(node.b) && holds(node.c);
}

// The Float16's value as a Float32.
ValueId widened(Builder& builder, ValueId a) {
  const Node& node = builder.node(a);
  if (node.op == Op::Constant) return builder.cast(a, DType::Float32);
  if (node.op != Op::ToHalf) return builder.unary(Op::FromHalf, a);
  const ValueId from = node.a;
  return is_half(builder, from) ? from : builder.unary(Op::RoundHalf, from);
}

// The Float32 rounded to a Float16. Of what was one, or rounded to one, without that.
ValueId rounded(Builder& builder, ValueId a) {
  const Node& node = builder.node(a);
  if (node.op == Op::Constant) return builder.constant(cast(Scalar{DType::Float32, node.bits}, DType::Float16));
  if (node.op == Op::FromHalf) return node.a;
  return builder.unary(Op::ToHalf, node.op == Op::RoundHalf ? node.a : a);
}

ValueId number(Builder& builder, float value) {
  return builder.constant(Scalar::of(value));
}

// The Float16 beside `a` towards `b`. From a normal number it is 1 to 2 of its last digits' 0.6 away, and so it is
// rounded to its neighbour; downwards from a power of 2, where digits are half as far apart, to the one 1.2 of these
// away.
ValueId next_after(Builder& builder, ValueId a, ValueId b) {
  const auto binary = [&](Op op, ValueId x, ValueId y) { return builder.binary(op, x, y); };
  const ValueId size = builder.unary(Op::Absolute, a);
  const ValueId base = binary(Op::Maximum, size, number(builder, 0x1p-14f));
  const ValueId step = binary(Op::Multiply, base, number(builder, 0.6f * 0x1p-10f));
  const ValueId up = binary(Op::Add, a, step), down = binary(Op::Subtract, a, step);
  const ValueId is_less = binary(Op::Less, a, b), is_greater = binary(Op::Greater, a, b);
  const ValueId moved = builder.unary(Op::RoundHalf, builder.select(is_less, up, down));
  const ValueId signed_moved = builder.select(binary(Op::Equal, moved, number(builder, 0)),
                                              binary(Op::Copysign, moved, a), moved);  // towards 0 it keeps its sign
  const ValueId infinite = binary(Op::Equal, size, number(builder, std::numeric_limits<float>::infinity()));
  const ValueId largest = binary(Op::Copysign, number(builder, 65504), a);
  const ValueId found = builder.select(infinite, largest, signed_moved);
  const ValueId same_or_nan = builder.select(binary(Op::Equal, a, b), a, binary(Op::Add, a, b));
  return builder.select(binary(Op::Or, is_less, is_greater), found, same_or_nan);
}

}  // namespace

ValueId half_unary(Builder& builder, Op op, ValueId a) {
  return rounded(builder, builder.unary(op, widened(builder, a)));
}

ValueId half_binary(Builder& builder, Op op, ValueId a, ValueId b) {
  const ValueId x = widened(builder, a), y = widened(builder, b);
  if (op == Op::Nextafter) return rounded(builder, next_after(builder, x, y));
  const ValueId result = builder.binary(op, x, y);
  return is_comparison(op) ? result : rounded(builder, result);
}

ValueId half_cast(Builder& builder, ValueId a, DType to) {
  if (to != DType::Float16) return builder.cast(widened(builder, a), to);
  if (builder.dtype(a) == DType::Float64) a = builder.unary(Op::RoundHalf, a);
  return rounded(builder, builder.cast(a, DType::Float32));
}

ValueId half_select(Builder& builder, ValueId condition, ValueId a, ValueId b) {
  return rounded(builder, builder.select(condition, widened(builder, a), widened(builder, b)));
}

}  // namespace pilum::kernel
