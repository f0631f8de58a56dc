// C = alpha A A^T + beta C, of the lower triangle.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static Outputs syrk(Inputs& in) {
  auto &A = in["A"], &C = in["C"];
  for (std::int64_t row = 0; row < A.shape()[0]; ++row) {
    C(row, slice(row + 1)) *= in.real("beta");
    for (std::int64_t k = 0; k < A.shape()[1]; ++k) {
      C(row, slice(row + 1)) += in.real("alpha") * A(row, k) * A(slice(row + 1), k);
    }
  }
  return {{"C", C}};
}

static const Entry entry("syrk", syrk);
