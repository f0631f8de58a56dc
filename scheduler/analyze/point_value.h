// What an elementwise operation computes at a point, and how its arrays are seen from there, as a kernel's text.
#pragma once

#include "runtime/kernel/ir/builder.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// The value of an operation in which the point's coordinate, where it asks for one, is that on `axis` (-1: it is 0).
// input(place, dtype): what the input is there, cast.
template <class Input>
kernel::ValueId add_point_value(kernel::Builder& builder, const Elementwise& elementwise, int axis, Input input) {
  using kernel::Op;
  const DType type = elementwise.compute;
  switch (elementwise.op) {
    case Op::Index: {
      const auto place = axis < 0 ? builder.constant(Scalar::of(std::int64_t{0})) : builder.index(axis);
      return elementwise.inputs.size() == 0 ? place : builder.binary(Op::Add, place, input(0, DType::Int64));
    }
    case Op::Cast: return input(0, type);
    case Op::Select: {
      const auto condition = input(0, DType::Bool);
      const auto a = input(1, type);
      return builder.select(condition, a, input(2, type));
    }
    default: break;
  }
  const auto a = input(0, type);
  if (elementwise.inputs.size() == 1) return builder.unary(elementwise.op, a);
  const auto b = input(1, type);
  if (elementwise.inputs.size() == 2) return builder.binary(elementwise.op, a, b);
  return builder.ternary(elementwise.op, a, b, input(2, type));
}

// The array of a kernel over a domain of so many axes.
[[nodiscard]] kernel::ArrayArgument array_argument(const Store& store, const partitioner::AffineMap& map,
                                                   int domain_rank, kernel::Access access);

}  // namespace pilum::scheduler
