// How many iterations points of the complex plane stay within a horizon, by masks.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs mandelbrot1(Inputs& in) {
  const auto xn = in.whole("xn"), yn = in.whole("yn"), maxiter = in.whole("maxiter");
  const double horizon = in.real("horizon");
  const np::Array X = np::linspace(in.real("xmin"), in.real("xmax"), xn);
  const np::Array Y = np::linspace(in.real("ymin"), in.real("ymax"), yn);
  const np::Array C = X + Y(np::all, np::newaxis) * std::complex<double>(0, 1);
  np::Array N = np::zeros(C.shape(), np::int64);
  np::Array Z = np::zeros(C.shape(), np::complex128);
  for (std::int64_t n = 0; n < maxiter; ++n) {
    const np::Array I = np::abs(Z) < horizon;
    N(I) = n;
    Z(I) = np::square(Z(I)) + C(I);
  }
  N(N == maxiter - 1) = 0;
  return {{"Z", Z}, {"N", N}};
}

static const Entry entry("mandelbrot1", mandelbrot1);
