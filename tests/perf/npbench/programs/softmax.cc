// The softmax of lines of a four-dimensional float32 array.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs softmax(Inputs& in) {
  const np::Array x = in["x"];
  const np::Array tmp_max = np::max(x, -1, true);
  const np::Array tmp_out = np::exp(x - tmp_max);
  const np::Array tmp_sum = np::sum(tmp_out, -1, true);
  return {{"out", tmp_out / tmp_sum}};
}

static const Entry entry("softmax", softmax);
