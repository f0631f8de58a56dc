// Solves A x = b by A = L U without pivots.
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

static Outputs ludcmp(Inputs& in) {
  auto &A = in["A"], &b = in["b"];
  factor(A);
  auto x = np::zeros_like(b), y = np::zeros_like(b);
  const std::int64_t n = A.shape()[0];
  for (std::int64_t k = 0; k < n; ++k) y(k) = b(k) - np::matmul(A(k, slice(k)), y(slice(k)));
  for (std::int64_t k = n - 1; k >= 0; --k) {
    x(k) = (y(k) - np::matmul(A(k, slice(k + 1, {})), x(slice(k + 1, {})))) / A(k, k);
  }
  return {{"A", A}, {"x", x}, {"y", y}};
}

static const Entry entry("ludcmp", ludcmp);
