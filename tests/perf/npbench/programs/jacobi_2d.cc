// Jacobi's sweeps over a plane.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static Outputs jacobi_2d(Inputs& in) {
  auto &A = in["A"], &B = in["B"];
  const std::int64_t steps = in.whole("steps");
  const slice mid(1, -1), low({}, -2), high(2, {});
  for (std::int64_t step = 0; step < steps; ++step) {
    B(mid, mid) = 0.2 * (A(mid, mid) + A(mid, low) + A(mid, high) + A(high, mid) + A(low, mid));
    A(mid, mid) = 0.2 * (B(mid, mid) + B(mid, low) + B(mid, high) + B(high, mid) + B(low, mid));
  }
  return {{"A", A}, {"B", B}};
}

static const Entry entry("jacobi_2d", jacobi_2d);
