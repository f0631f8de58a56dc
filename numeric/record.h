// The ways an operation is recorded, once its arguments are checked. Nothing is recorded for an empty domain.
#pragma once

#include <array>
#include <span>

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"

namespace pilum::numeric {

// What to compute per cell: inputs are cast to `compute`, and the result (`result` is its dtype) to the output's.
struct Rule {
  kernel::Op op = kernel::Op::Cast;
  DType compute = DType::Float64;
  DType result = DType::Float64;
};

using Operands = std::span<const Operand* const>;

// The shape that all of them broadcast to; checks that they are fit for use.
Shape common_shape(const Call& call, Operands operands, const scheduler::Recorder& recorder);

// A new array of the operands' common shape.
Array record_new(const Call& call, const Rule& rule, Operands operands);
// The same, of `shape`, which they broadcast to.
Array record_new(const Call& call, const Rule& rule, Operands operands, const Shape& shape);
// Throws ValueError for a target whose cells are repeated.
void check_writable(const Call& call, const ArrayState& target);
// Into the target's cells; the operands broadcast to its shape. Throws ValueError for a target whose cells are
// repeated.
void record_into(const Call& call, const Rule& rule, Operands operands, const ArrayState& target);
// A new array of an axis's coordinates.
Array record_index(const Call& call, const Shape& shape, int axis, DType dtype);

}  // namespace pilum::numeric
