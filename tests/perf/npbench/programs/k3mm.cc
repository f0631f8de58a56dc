// G = (A B) (C D).
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs k3mm(Inputs& in) {
  return {{"G", np::matmul(np::matmul(in["A"], in["B"]), np::matmul(in["C"], in["D"]))}};
}

static const Entry entry("k3mm", k3mm);
