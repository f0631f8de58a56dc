// What cells that go from rank to rank cost: an array is turned round, so that all of them go to another rank.
//   exchange_perf [MIB] [ROUNDS]
// MIB (256) an array on each rank. Prints what a rank sends and receives in a second, together, median and spread of
// ROUNDS (9).
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "pilum/pilum.h"
#include "tests/perf/samples.h"

int main(int argc, char** argv) {
  namespace np = pilum::numeric;
  using pilum::perf::Clock;
  constexpr int kTurns = 4;
  pilum::Runtime runtime(argc, argv);
  const std::int64_t mib = argc > 1 ? std::atoll(argv[1]) : 256;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  if (mib < 1 || rounds < 1) {
    std::fprintf(stderr, "exchange_perf: MIB and ROUNDS are 1 or more\n");
    return 2;
  }
  const std::int64_t cells = mib * runtime.ranks() * (1 << 20) / 8;
  np::Array from = np::arange(static_cast<double>(cells)), to = np::zeros({cells});
  const auto turn = [&] {
    to[np::all] = from(np::slice({}, {}, -1)) + 1.0;
    std::swap(from, to);
  };
  for (int i = 0; i < 2 * kTurns; ++i) turn();
  runtime.wait();
  std::vector<double> speeds;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < kTurns; ++i) turn();
    runtime.wait();
    speeds.push_back(2e-9 * kTurns * static_cast<double>(mib << 20) / pilum::perf::seconds_since(start));
  }
  const pilum::perf::Spread speed = pilum::perf::spread_of(speeds);
  std::printf("%lld MiB from each of %d ranks to another: %.2f GB/s sent and received (%.2f .. %.2f), value %.1f\n",
              static_cast<long long>(mib), runtime.ranks(), speed.median, speed.low, speed.high,
              from(0).item<double>());
}
