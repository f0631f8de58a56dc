// Waves on a square with a rim that absorbs them, driven at one point.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::slice;

static Outputs wave_2d(Inputs& in) {
  np::Array u = in["u"];
  np::Array u_old = u.copy();
  const auto n = u.shape()[0], steps = in.whole("steps"), width = in.whole("width");
  const double c = in.real("c");
  const slice mid(1, -1), lo(0, -2), hi(2, {});
  const np::Array i = np::arange(n);
  const np::Array rim = np::minimum(i, n - 1 - i);
  const np::Array depth = np::clip(width - np::minimum(rim(all, np::newaxis), rim), 0, {}) / double(width);
  const np::Array damping = np::exp(-0.3 * np::square(depth));
  np::Array energy = np::empty(steps);
  for (std::int64_t t = 0; t < steps; ++t) {
    np::Array u_new = np::zeros_like(u);
    const np::Array laplacian = u(lo, mid) + u(hi, mid) + u(mid, lo) + u(mid, hi) - 4 * u(mid, mid);
    u_new(mid, mid) = 2 * u(mid, mid) - u_old(mid, mid) + c * c * laplacian;
    u_new(n / 2, n / 2) += std::sin(0.3 * static_cast<double>(t));
    u_new *= damping;
    u_old = u * damping;
    u = u_new;
    energy(t) = np::sum(np::square(u - u_old));
  }
  return {{"u", u}, {"energy", energy}};
}

static const Entry entry("wave_2d", wave_2d);
