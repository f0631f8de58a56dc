// A = Q R by the modified Gram-Schmidt process, column by column.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all;

static Outputs gramschmidt(Inputs& in) {
  auto& A = in["A"];
  auto Q = np::zeros_like(A), R = np::zeros_like(A);
  for (std::int64_t k = 0; k < A.shape()[1]; ++k) {
    R(k, k) = np::sqrt(np::dot(A(all, k), A(all, k)));
    Q(all, k) = A(all, k) / R(k, k);
    for (std::int64_t j = k + 1; j < A.shape()[1]; ++j) {
      R(k, j) = np::dot(Q(all, k), A(all, j));
      A(all, j) -= Q(all, k) * R(k, j);
    }
  }
  return {{"Q", Q}, {"R", R}};
}

static const Entry entry("gramschmidt", gramschmidt);
