// A loop whose plans wait for messages at different times on different ranks: as each rank under mpirun.
//   found_programs_ranks CELLS
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "pilum/pilum.h"

namespace np = pilum::numeric;
using np::all, np::slice;

int main(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 31;
  pilum::Runtime runtime;
  np::Array x = np::ones({1, n}, pilum::DType::Float32);
  const np::Array y = np::ones({16, n}, pilum::DType::Float32);
  np::Array s;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    x(all, slice({}, {}, -1)) += x;
    if (round % 64 == 63) x *= std::ldexp(1.0F, -64);
    const np::Array c = np::where(3.0F, x, y);
    s = np::sum(c);
  }
  const float expected = std::ldexp(static_cast<float>(16 * n), kRounds % 64);
  const auto sum = s.item<float>();
  if (sum == expected) return EXIT_SUCCESS;
  std::fprintf(stderr, "rank %d: the sum is %g, expected %g\n", runtime.rank(), sum, expected);
  return EXIT_FAILURE;
}
