// C = alpha A B + beta C, where A is symmetric and its lower triangle alone is read.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::slice;

static Outputs symm(Inputs& in) {
  auto &A = in["A"], &B = in["B"], &C = in["C"];
  const double alpha = in.real("alpha");
  auto temp = np::zeros(C.shape());
  C *= in.real("beta");
  for (std::int64_t row = 0; row < C.shape()[0]; ++row) {
    for (std::int64_t column = 0; column < C.shape()[1]; ++column) {
      C(slice(row), column) += alpha * B(row, column) * A(row, slice(row));
      temp(row, column) = np::matmul(B(slice(row), column), A(row, slice(row)));
    }
  }
  C += alpha * B * np::diagonal(A)(all, np::newaxis) + alpha * temp;
  return {{"C", C}};
}

static const Entry entry("symm", symm);
