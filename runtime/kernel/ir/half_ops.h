// Operations of Float16 numbers as operations of Float32.
#pragma once

#include "runtime/kernel/ir/builder.h"

namespace pilum::kernel {

// Kernels load and store Float16, widen it (FromHalf) and round to it (ToHalf); all else is written here as nodes of
// Float32, so that it goes in vectors and has the same bits in every form and on every machine. Each operation is
// rounded to Float16 as NumPy's is, also where the next one takes its result: that is RoundHalf of a Float32. For +, -,
// *, / and sqrt it is the exact result rounded once: 24 digits are more than 2 * 11 + 1 (Figueroa, SIGNUM 30, 1995).
ValueId half_unary(Builder& builder, Op op, ValueId a);
ValueId half_binary(Builder& builder, Op op, ValueId a, ValueId b);
// From or to Float16, rounded once: of Float64 before it becomes a Float32. Integers beyond Float32's digits are
// infinities.
ValueId half_cast(Builder& builder, ValueId a, DType to);
// Of computed numbers: others are selected by their bits.
ValueId half_select(Builder& builder, ValueId condition, ValueId a, ValueId b);

}  // namespace pilum::kernel
