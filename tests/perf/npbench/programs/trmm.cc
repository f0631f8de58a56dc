// B = alpha A^T B, where A is lower triangular with 1 on its diagonal.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static Outputs trmm(Inputs& in) {
  auto &A = in["A"], &B = in["B"];
  for (std::int64_t row = 0; row < B.shape()[0]; ++row) {
    for (std::int64_t column = 0; column < B.shape()[1]; ++column) {
      B(row, column) += np::dot(A(slice(row + 1, {}), row), B(slice(row + 1, {}), column));
    }
  }
  B *= in.real("alpha");
  return {{"B", B}};
}

static const Entry entry("trmm", trmm);
