// y = alpha A x + beta B x.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs gesummv(Inputs& in) {
  return {{"y", np::matmul(in.real("alpha") * in["A"], in["x"]) + np::matmul(in.real("beta") * in["B"], in["x"])}};
}

static const Entry entry("gesummv", gesummv);
