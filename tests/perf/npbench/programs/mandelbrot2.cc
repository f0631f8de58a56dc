// How many iterations points of the complex plane stay within a horizon; those that left it are dropped.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::newaxis;

static Outputs mandelbrot2(Inputs& in) {
  const auto xn = in.whole("xn"), yn = in.whole("yn"), itermax = in.whole("itermax");
  const double horizon = in.real("horizon");
  const np::Array grid = np::indices({xn, yn});
  np::Array Xi = grid(0), Yi = grid(1);
  const np::Array X = np::linspace(in.real("xmin"), in.real("xmax"), xn)(Xi);
  const np::Array Y = np::linspace(in.real("ymin"), in.real("ymax"), yn)(Yi);
  np::Array C = X + Y * std::complex<double>(0, 1);
  np::Array N_ = np::zeros(C.shape(), np::int64);
  np::Array Z_ = np::zeros(C.shape(), np::complex128);
  Xi = Xi.ravel();
  Yi = Yi.ravel();
  C = C.ravel();
  np::Array Z = np::zeros(C.shape(), np::complex128);
  for (std::int64_t i = 0; i < itermax; ++i) {
    if (Z.size() == 0) break;
    Z[all] = Z * Z;
    Z += C;
    const np::Array I = np::abs(Z) > horizon;
    const np::Array rows = Xi(I), columns = Yi(I);
    N_(rows, columns) = i + 1;
    Z_(rows, columns) = Z(I);
    const np::Array stays = !I;
    Z = Z(stays);
    Xi = Xi(stays);
    Yi = Yi(stays);
    C = C(stays);
  }
  return {{"Z", Z_.T()}, {"N", N_.T()}};
}

static const Entry entry("mandelbrot2", mandelbrot2);
