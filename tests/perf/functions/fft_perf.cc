// Milliseconds of Fourier transforms, the median of some rounds. fft_perf [N] [ROUNDS]: of N x N numbers, and lines of
// as many.
#include <complex>
#include <cstdlib>
#include <functional>

#include "pilum/pilum.h"
#include "tests/perf/functions/median_time.h"

namespace np = pilum::numeric;

int main(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 4096;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  auto rng = np::random::default_rng(1);
  const np::Array real = rng.random({n, n}), numbers = real * std::complex<double>(1, -1);
  const np::Array line = numbers.reshape({n * n}), half = np::fft::rfft(real);
  np::Array made;
  const auto measure = [&](const char* name, const std::function<np::Array()>& step) {
    pilum::tell_median_time(runtime, rounds, name, [&] { made = step(); });
  };
  measure("fft rows", [&] { return np::fft::fft(numbers); });
  measure("fft columns", [&] { return np::fft::fft(numbers, {}, 0); });
  measure("fft2", [&] { return np::fft::fft2(numbers); });
  measure("rfft rows", [&] { return np::fft::rfft(real); });
  measure("irfft rows", [&] { return np::fft::irfft(half); });
  measure("fft of one line", [&] { return np::fft::fft(line); });
  measure("spectral derivative", [&] {
    const np::Array k = np::fft::fftfreq(n) * std::complex<double>(0, 1);
    return np::real(np::fft::ifft(np::fft::fft(numbers) * k));
  });
  return 0;
}
