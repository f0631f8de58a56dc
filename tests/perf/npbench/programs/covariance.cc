// The covariances of the columns of a matrix.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::slice;

static Outputs covariance(Inputs& in) {
  auto& data = in["data"];
  const std::int64_t n = data.shape()[0], m = data.shape()[1];
  auto cov = np::zeros({m, m});
  data -= np::mean(data, 0);
  for (std::int64_t k = 0; k < m; ++k) {
    cov(k, slice(k, {})) = np::matmul(data(all, k), data(all, slice(k, {}))) / (static_cast<double>(n) - 1.0);
    cov(slice(k, {}), k) = cov(k, slice(k, {}));
  }
  return {{"cov", cov}};
}

static const Entry entry("covariance", covariance);
