// Functions of complex numbers, made of those of real ones.
#pragma once

#include "runtime/kernel/ir/complex_parts.h"

namespace pilum::kernel {

// Elementary functions and square roots. Those that C has (Annex G) have its special values; but for Sqrt Exp Log Sin
// Cos Sinh Cosh, parts of float32 are computed in float64.
Parts complex_function(Op op, Parts z);
// Arcsin Arccos Arctan Arcsinh Arccosh Arctanh, of parts of float64.
Parts complex_inverse(Op op, Parts z);
Parts complex_power(Parts a, Parts b);

}  // namespace pilum::kernel
