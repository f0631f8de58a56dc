// What NumPy's functions of one or two numbers give: by the C library, in long double where results are rounded.
#pragma once

#include <cstdint>

#include "pilum/dtype.h"
#include "tests/random/program.h"

namespace pilum::random_programs {

// `dtype` is that of the operands and the result (FrexpExponent too). Throw Invalid for what NumPy leaves open.
double float_function(Op op, double a, double b, DType dtype);
std::int64_t integer_function(Op op, std::int64_t a, std::int64_t b, DType dtype);
// How far a result may be off: two units in the last place.
double tolerance_of(Op op, double a, double b, double result, DType dtype);

// The dtype that a function of operands of this one computes in. Throws Invalid where NumPy refuses, or has a dtype
// that Pilum lacks.
DType dtype_of_function(Op op, DType dtype);
// The dtype of its result, computed in that one.
DType dtype_of_result(Op op, DType dtype);
bool is_function(Op op);

}  // namespace pilum::random_programs
