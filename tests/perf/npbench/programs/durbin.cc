// Solves the Yule-Walker equations of a Toeplitz matrix, by Durbin's recursion.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static Outputs durbin(Inputs& in) {
  auto& r = in["r"];
  auto y = np::empty_like(r);
  y(0) = -r(0);
  auto alpha = -r(0), beta = np::array(1.0);
  for (std::int64_t k = 1; k < r.size(); ++k) {
    beta *= 1.0 - alpha * alpha;
    alpha = -(r(k) + np::dot(np::flip(r(slice(k))), y(slice(k)))) / beta;
    y(slice(k)) += alpha * np::flip(y(slice(k)));
    y(k) = alpha;
  }
  return {{"y", y}};
}

static const Entry entry("durbin", durbin);
