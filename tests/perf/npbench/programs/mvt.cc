// x1 += A y1, x2 += A^T y2.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs mvt(Inputs& in) {
  in["x1"] += np::matmul(in["A"], in["y1"]);
  in["x2"] += np::matmul(in["y2"], in["A"]);
  return {{"x1", in["x1"]}, {"x2", in["x2"]}};
}

static const Entry entry("mvt", mvt);
