// What NumPy's functions of one or two numbers give: by the C library, in long double where results are rounded.
#pragma once

#include <cstdint>

#include "pilum/dtype.h"
#include "tests/random/program.h"

namespace pilum::random_programs {

// `dtype` is that of the operands and the result (FrexpExponent too). Throw Invalid for what NumPy leaves open.
double float_function(Op op, double a, double b, DType dtype);
// The nearest float16, as a double; infinite beyond 65504.
double rounded_half(double number);
__int128 integer_function(Op op, __int128 a, __int128 b, DType dtype);  // yet to be wrapped
// How far a result may be off: two units in the last place.
double tolerance_of(Op op, double a, double b, double result, DType dtype);

// The dtype that a function computes in, of operands that meet in this one; `widest`: bytes of a cell of theirs. Throws
// Invalid where NumPy refuses, or has a dtype that Pilum lacks.
DType dtype_of_function(Op op, DType dtype, std::size_t widest);
// The dtype of its result, computed in that one.
DType dtype_of_result(Op op, DType dtype);
bool is_function(Op op);

}  // namespace pilum::random_programs
