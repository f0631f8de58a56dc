// s = A^T r, q = A p.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs bicg(Inputs& in) {
  return {{"s", np::matmul(in["r"], in["A"])}, {"q", np::matmul(in["A"], in["p"])}};
}

static const Entry entry("bicg", bicg);
