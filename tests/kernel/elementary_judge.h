// Exact values of elementary functions, by MPFR, and how far a result is from them. Where a build lacks MPFR
// (elementary_judge_absent.cc) none of them is known.
#pragma once

#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel::test {

bool judge_available();

// |got - exact| in units of the last place that the exact value has in the dtype of `got`; of a subnormal one those of
// the smallest normal. Infinite where one is an infinity or a NaN and the other, rounded to the dtype, is not.
// Of functions of one operand, b is left out of account. Where an exact value comes of a difference of larger ones, the
// unit is that of the larger: of logaddexp and logaddexp2 the larger operand, of log_gamma below 0 that of 1.
double error_in_ulps(Op op, double a, double b, double got);
double error_in_ulps(Op op, float a, float b, float got);

}  // namespace pilum::kernel::test
