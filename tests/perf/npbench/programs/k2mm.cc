// D = alpha A B C + beta D.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs k2mm(Inputs& in) {
  in["D"][np::all] = np::matmul(np::matmul(in.real("alpha") * in["A"], in["B"]), in["C"]) + in.real("beta") * in["D"];
  return {{"D", in["D"]}};
}

static const Entry entry("k2mm", k2mm);
