// Jacobi's sweeps over a line.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static Outputs jacobi_1d(Inputs& in) {
  auto &A = in["A"], &B = in["B"];
  const std::int64_t steps = in.whole("steps");
  const slice inner(1, -1), left({}, -2), right(2, {});
  for (std::int64_t step = 0; step < steps; ++step) {
    B(inner) = 0.33333 * (A(left) + A(inner) + A(right));
    A(inner) = 0.33333 * (B(left) + B(inner) + B(right));
  }
  return {{"A", A}, {"B", B}};
}

static const Entry entry("jacobi_1d", jacobi_1d);
