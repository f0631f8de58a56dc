// Integrals of inverse matrices along a contour in the complex plane.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs contour_integral(Inputs& in) {
  const np::Array Ham = in["Ham"], int_pts = in["int_pts"], Y = in["Y"];
  const auto NR = Y.shape()[0], NM = Y.shape()[1], slab_per_bc = in.whole("slab_per_bc");
  np::Array P0 = np::zeros({NR, NM}, np::complex128);
  np::Array P1 = np::zeros({NR, NM}, np::complex128);
  for (np::Array z : int_pts) {
    np::Array Tz = np::zeros({NR, NR}, np::complex128);
    for (std::int64_t n = 0; n <= slab_per_bc; ++n) {
      const np::Array zz = np::power(z, slab_per_bc / 2.0 - n);
      Tz += zz * Ham[n];
    }
    np::Array X = NR == NM ? np::linalg::inv(Tz) : np::linalg::solve(Tz, Y);
    if (np::abs(z) < 1.0) X = -X;
    P0 += X;
    P1 += z * X;
  }
  return {{"P0", P0}, {"P1", P1}};
}

static const Entry entry("contour_integral", contour_integral);
