// Gauss and Seidel's sweeps with nine neighbours, each cell after the one on its left.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static Outputs seidel_2d(Inputs& in) {
  auto& A = in["A"];
  const std::int64_t n = A.shape()[0], steps = in.whole("steps");
  const slice inner(1, -1), left({}, -2), right(2, {});
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::int64_t i = 1; i < n - 1; ++i) {
      A(i, inner) += A(i - 1, left) + A(i - 1, inner) + A(i - 1, right) + A(i, right) + A(i + 1, left) +
                     A(i + 1, inner) + A(i + 1, right);
      for (std::int64_t j = 1; j < n - 1; ++j) {
        A(i, j) += A(i, j - 1);
        A(i, j) /= 9.0;
      }
    }
  }
  return {{"A", A}};
}

static const Entry entry("seidel_2d", seidel_2d);
