// Heat in two dimensions by alternating directions: implicit along columns, then along rows.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static Outputs adi(Inputs& in) {
  auto& u = in["u"];
  const std::int64_t n = u.shape()[0], steps = in.whole("steps");
  const double mul1 = 2.0 / steps * n * n, mul2 = 1.0 / steps * n * n;
  const double a = -mul1 / 2, b = 1 + mul1, c = a, d = -mul2 / 2, e = 1 + mul2, f = d;
  const slice inner(1, -1), before(0, -2), after(2, {});
  auto v = np::zeros_like(u), p = np::zeros_like(u), q = np::zeros_like(u);
  for (std::int64_t step = 0; step < steps; ++step) {
    v(0, inner) = 1;
    p(inner, 0) = 0;
    q(inner, 0) = v(0, inner);
    for (std::int64_t j = 1; j < n - 1; ++j) {
      p(inner, j) = -c / (a * p(inner, j - 1) + b);
      q(inner, j) = (-d * u(j, before) + (1 + 2 * d) * u(j, inner) - f * u(j, after) - a * q(inner, j - 1)) /
                    (a * p(inner, j - 1) + b);
    }
    v(-1, inner) = 1;
    for (std::int64_t j = n - 2; j > 0; --j) v(j, inner) = p(inner, j) * v(j + 1, inner) + q(inner, j);
    u(inner, 0) = 1;
    p(inner, 0) = 0;
    q(inner, 0) = u(inner, 0);
    for (std::int64_t j = 1; j < n - 1; ++j) {
      p(inner, j) = -f / (d * p(inner, j - 1) + e);
      q(inner, j) = (-a * v(before, j) + (1 + 2 * a) * v(inner, j) - c * v(after, j) - d * q(inner, j - 1)) /
                    (d * p(inner, j - 1) + e);
    }
    u(inner, -1) = 1;
    for (std::int64_t j = n - 2; j > 0; --j) u(inner, j) = p(inner, j) * u(inner, j + 1) + q(inner, j);
  }
  return {{"u", u}};
}

static const Entry entry("adi", adi);
