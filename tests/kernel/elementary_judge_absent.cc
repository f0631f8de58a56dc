// For builds without MPFR.
#include <cmath>

#include "tests/kernel/elementary_judge.h"

namespace pilum::kernel::test {

bool judge_available() {
  return false;
}
double error_in_ulps(Op, double, double, double) {
  return HUGE_VAL;
}
double error_in_ulps(Op, float, float, float) {
  return HUGE_VAL;
}

}  // namespace pilum::kernel::test
