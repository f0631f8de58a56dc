// Heat in three dimensions, by seven neighbours.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static void step(np::Array& to, const np::Array& from) {
  const slice mid(1, -1), low({}, -2), high(2, {});
  auto center = from(mid, mid, mid);
  to(mid, mid, mid) = 0.125 * (from(high, mid, mid) - 2.0 * center + from(low, mid, mid)) +
                      0.125 * (from(mid, high, mid) - 2.0 * center + from(mid, low, mid)) +
                      0.125 * (from(mid, mid, high) - 2.0 * center + from(mid, mid, low)) + center;
}

static Outputs heat_3d(Inputs& in) {
  auto &A = in["A"], &B = in["B"];
  const std::int64_t steps = in.whole("steps");
  for (std::int64_t t = 0; t < steps; ++t) {
    step(B, A);
    step(A, B);
  }
  return {{"A", A}, {"B", B}};
}

static const Entry entry("heat_3d", heat_3d);
