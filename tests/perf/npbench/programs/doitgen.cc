// A[r, q, :] = A[r, q, :] C4, in place.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all;

static Outputs doitgen(Inputs& in) {
  auto& A = in["A"];
  const std::int64_t r = A.shape()[0], q = A.shape()[1], p = A.shape()[2];
  A[all] = np::matmul(A.reshape(r, q, 1, p), in["C4"]).reshape(r, q, p);
  return {{"A", A}};
}

static const Entry entry("doitgen", doitgen);
