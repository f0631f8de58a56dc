// A = L U, row by row and in place, without pivots.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static void factor(np::Array& A) {
  const std::int64_t n = A.shape()[0];
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      A(i, j) -= np::matmul(A(i, slice(j)), A(slice(j), j));
      A(i, j) /= A(j, j);
    }
    for (std::int64_t j = i; j < n; ++j) A(i, j) -= np::matmul(A(i, slice(i)), A(slice(i), j));
  }
}

static Outputs lu(Inputs& in) {
  factor(in["A"]);
  return {{"A", in["A"]}};
}

static const Entry entry("lu", lu);
