// y = A^T (A x).
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs atax(Inputs& in) {
  return {{"y", np::matmul(np::matmul(in["A"], in["x"]), in["A"])}};
}

static const Entry entry("atax", atax);
