// Operations of complex numbers as operations of their parts.
#pragma once

#include "runtime/kernel/ir/builder.h"

namespace pilum::kernel {

// Kernels load complex numbers, take them apart (Real, Imaginary), put them together (Complex) and store them; all
// else is written here as nodes of the parts, which are floats: so it has the same bits in every form and on every
// machine, goes in vectors, and fuses. NumPy's algorithms: products as written, Smith's quotients, hypot's sizes; the
// functions have the special values of C's Annex G.
ValueId complex_unary(Builder& builder, Op op, ValueId a);
ValueId complex_binary(Builder& builder, Op op, ValueId a, ValueId b);
// From or to a complex dtype: real numbers become complex ones, of which the real part is what stays; to bool: a != 0.
ValueId complex_cast(Builder& builder, ValueId a, DType to);
ValueId complex_select(Builder& builder, ValueId condition, ValueId a, ValueId b);

}  // namespace pilum::kernel
