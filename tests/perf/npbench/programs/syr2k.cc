// C = alpha A B^T + alpha B A^T + beta C, of the lower triangle.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static Outputs syr2k(Inputs& in) {
  auto &A = in["A"], &B = in["B"], &C = in["C"];
  const double alpha = in.real("alpha");
  for (std::int64_t row = 0; row < A.shape()[0]; ++row) {
    const slice to(row + 1);
    C(row, to) *= in.real("beta");
    for (std::int64_t k = 0; k < A.shape()[1]; ++k) {
      C(row, to) += A(to, k) * alpha * B(row, k) + B(to, k) * alpha * A(row, k);
    }
  }
  return {{"C", C}};
}

static const Entry entry("syr2k", syr2k);
