// Solves L x = b for a lower triangular L.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static Outputs trisolv(Inputs& in) {
  auto &L = in["L"], &b = in["b"];
  auto x = np::zeros(b.shape());
  for (std::int64_t k = 0; k < x.size(); ++k) {
    x(k) = (b(k) - np::matmul(L(k, slice(k)), x(slice(k)))) / L(k, k);
  }
  return {{"x", x}};
}

static const Entry entry("trisolv", trisolv);
