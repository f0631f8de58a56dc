// The correlations of the columns of a matrix.
#include "tests/perf/npbench/npbench.h"

#include <cmath>

using namespace npbench;
using np::all, np::slice;

static Outputs correlation(Inputs& in) {
  auto& data = in["data"];
  const std::int64_t n = data.shape()[0], m = data.shape()[1];
  auto stddev = np::std(data, 0);
  stddev(stddev <= 0.1) = 1.0;
  data -= np::mean(data, 0);
  data /= std::sqrt(static_cast<double>(n)) * stddev;
  auto corr = np::eye(m);
  for (std::int64_t k = 0; k < m - 1; ++k) {
    corr(k, slice(k + 1, {})) = np::matmul(data(all, k), data(all, slice(k + 1, {})));
    corr(slice(k + 1, {}), k) = corr(k, slice(k + 1, {}));
  }
  return {{"corr", corr}};
}

static const Entry entry("correlation", correlation);
