// The mean of data in rings of equal width around the centre, by a mask for each ring.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs azimint_naive(Inputs& in) {
  const auto npt = in.whole("npt");
  const np::Array data = in["data"], radius = in["radius"];
  const np::Array rmax = radius.max();
  np::Array res = np::zeros(npt);
  for (std::int64_t i = 0; i < npt; ++i) {
    const np::Array r1 = rmax * i / npt;
    const np::Array r2 = rmax * (i + 1) / npt;
    const np::Array mask_r12 = np::logical_and(r1 <= radius, radius < r2);
    res(i) = data(mask_r12).mean();
  }
  return {{"res", res}};
}

static const Entry entry("azimint_naive", azimint_naive);
