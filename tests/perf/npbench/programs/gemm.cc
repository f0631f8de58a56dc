// C = alpha A B + beta C.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs gemm(Inputs& in) {
  in["C"][np::all] = in.real("alpha") * np::matmul(in["A"], in["B"]) + in.real("beta") * in["C"];
  return {{"C", in["C"]}};
}

static const Entry entry("gemm", gemm);
