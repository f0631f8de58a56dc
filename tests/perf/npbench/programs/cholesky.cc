// A = L L^T, row by row and in place.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static Outputs cholesky(Inputs& in) {
  auto& A = in["A"];
  A(0, 0) = np::sqrt(A(0, 0));
  for (std::int64_t row = 1; row < A.shape()[0]; ++row) {
    for (std::int64_t j = 0; j < row; ++j) {
      A(row, j) -= np::dot(A(row, slice(j)), A(j, slice(j)));
      A(row, j) /= A(j, j);
    }
    A(row, row) -= np::dot(A(row, slice(row)), A(row, slice(row)));
    A(row, row) = np::sqrt(A(row, row));
  }
  return {{"A", A}};
}

static const Entry entry("cholesky", cholesky);
