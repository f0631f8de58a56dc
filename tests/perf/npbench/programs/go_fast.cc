// A matrix and the sum of tanh of its diagonal, cell by cell.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs go_fast(Inputs& in) {
  const np::Array a = in["a"];
  np::Array trace = np::zeros({});
  for (std::int64_t i = 0; i < a.shape()[0]; ++i) trace += np::tanh(a(i, i));
  return {{"out", a + trace}};
}

static const Entry entry("go_fast", go_fast);
