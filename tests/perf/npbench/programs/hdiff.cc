// Horizontal diffusion with a flux limiter, of the COSMO weather model.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::slice;

static Outputs hdiff(Inputs& in) {
  auto &field = in["field"], &coeff = in["coeff"];
  const slice mid(1, -1), low({}, -2), high(2, {}), mid2(2, -2), low1(1, -2), high1(2, -1), up(1, {}), down({}, -1);
  auto lap = 4.0 * field(mid, mid) - (field(high, mid) + field(low, mid) + field(mid, high) + field(mid, low));
  auto flx = lap(up, mid) - lap(down, mid);
  flx = np::where(flx * (field(high1, mid2) - field(low1, mid2)) > 0, 0, flx);
  auto fly = lap(mid, up) - lap(mid, down);
  fly = np::where(fly * (field(mid2, high1) - field(mid2, low1)) > 0, 0, fly);
  return {{"out", field(mid2, mid2) - coeff * (flx(up) - flx(down) + fly(all, up) - fly(all, down))}};
}

static const Entry entry("hdiff", hdiff);
