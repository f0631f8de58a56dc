// A += u1 v1^T + u2 v2^T, x += beta A^T y + z, w += alpha A x.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs gemver(Inputs& in) {
  auto &A = in["A"], &w = in["w"], &x = in["x"];
  A += np::outer(in["u1"], in["v1"]) + np::outer(in["u2"], in["v2"]);
  x += np::matmul(in.real("beta") * in["y"], A) + in["z"];
  w += np::matmul(in.real("alpha") * A, x);
  return {{"A", A}, {"w", w}, {"x", x}};
}

static const Entry entry("gemver", gemver);
