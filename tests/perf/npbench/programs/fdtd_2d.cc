// Electric and magnetic fields in a plane, on a staggered grid (Yee's scheme).
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::slice;

static Outputs fdtd_2d(Inputs& in) {
  auto &ex = in["ex"], &ey = in["ey"], &hz = in["hz"], &fict = in["fict"];
  const slice low({}, -1), high(1, {});
  for (std::int64_t t = 0; t < fict.size(); ++t) {
    ey(0) = fict(t);
    ey(high) -= 0.5 * (hz(high) - hz(low));
    ex(all, high) -= 0.5 * (hz(all, high) - hz(all, low));
    hz(low, low) -= 0.7 * (ex(low, high) - ex(low, low) + ey(high, low) - ey(low, low));
  }
  return {{"ex", ex}, {"ey", ey}, {"hz", hz}};
}

static const Entry entry("fdtd_2d", fdtd_2d);
