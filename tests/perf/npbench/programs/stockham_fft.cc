// Fourier's transform of R^K numbers by Stockham's algorithm.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::slice;

static Outputs stockham_fft(Inputs& in) {
  const auto R = in.whole("R"), K = in.whole("K");
  const np::Array x = in["x"];
  const std::int64_t N = x.size();
  const double pi = np::pi;
  const std::complex<double> factor(0, -2 * pi);
  const np::Array i_coord = np::arange(R)(all, np::newaxis), j_coord = np::arange(R);
  const np::Array dft_mat = np::exp(factor * i_coord * j_coord / R);
  np::Array y = x.copy();
  const np::Array ii_coord = np::arange(R)(all, np::newaxis), jj_coord = np::arange(N);
  std::int64_t before = 1;
  for (std::int64_t i = 0; i < K; ++i) {
    const std::int64_t after = N / before / R;
    const np::Array yv = y.reshape(before, R, after);
    const np::Array tmp_perm = yv.transpose(1, 0, 2);
    const np::Array tmp = np::exp(factor * ii_coord * jj_coord[slice(before)] / (before * R));
    const np::Array D = np::repeat(tmp.reshape(R, before, 1), after, 2);
    const np::Array tmp_twid = tmp_perm.reshape({N}) * D.reshape({N});
    y[all] = np::matmul(dft_mat, tmp_twid.reshape(R, N / R)).reshape({N});
    before *= R;
  }
  return {{"y", y}};
}

static const Entry entry("stockham_fft", stockham_fft);
