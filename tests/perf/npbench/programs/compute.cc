// clip(a) * x + b * y + z of integers.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs compute(Inputs& in) {
  const auto a = in.whole("a"), b = in.whole("b"), c = in.whole("c");
  return {{"out", np::clip(in["array_1"], 2, 10) * a + in["array_2"] * b + c}};
}

static const Entry entry("compute", compute);
