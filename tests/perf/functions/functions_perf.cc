// Nanoseconds a cell of draws into an array that there is, beside those of setting it to a number; the least of some
// rounds. Then what it costs to record a vectorized function of 23 operations. functions_perf [CELLS] [ROUNDS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "pilum/pilum.h"

namespace np = pilum::numeric;

int main(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  const std::int64_t cells = argc > 1 ? std::atoll(argv[1]) : 10'000'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
  auto rng = np::random::default_rng(1);
  auto target = np::zeros(cells);
  const auto measure = [&](const char* name, const std::function<void()>& step) {
    double least = 1e300;
    for (int round = -3; round < rounds; ++round) {  // at first plans and kernels are made
      runtime.wait();
      const auto start = std::chrono::steady_clock::now();
      step();
      runtime.wait();
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      if (round >= 0) least = std::min(least, time.count());
    }
    if (runtime.rank() == 0) {
      std::printf("%-22s %7.3f ns a cell, %9.3f ms\n", name, 1e9 * least / static_cast<double>(cells), 1e3 * least);
    }
  };
  measure("target[all] = 1", [&] { target[np::all] = 1.0; });
  measure("random", [&] { target[np::all] = rng.random(cells); });
  measure("normal", [&] { target[np::all] = rng.normal(0.0, 1.0, cells); });
  measure("standard_exponential", [&] { target[np::all] = rng.standard_exponential(cells); });
  measure("integers(0, 10)", [&] { target[np::all] = rng.integers(0, 10, cells); });

  // 23 operations by themselves, and as a function: microseconds a call, recording and analysis, of arrays so small
  // that their cells cost nothing. Groups of calls are what windows hold.
  const auto many = [](auto x, auto y) {
    auto a = x * y + x - y, b = np::maximum(a, x) * 0.5 + np::minimum(y, 1.0);
    auto c = np::where(a > b, a - b, b - a) * x + y * 2.0;
    return np::sqrt(np::abs(c * c + a * a)) - 1.0 / (b * b + 1.0);
  };
  const auto function = np::vectorize(many);
  auto x = np::ones(16), y = np::ones(16);
  const auto calls = [&](const char* name, const auto& call) {
    double least = 1e300;
    for (int round = 0; round < rounds; ++round) {
      runtime.wait();
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 100; ++i) np::Array z = call(x, y);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      least = std::min(least, time.count());
    }
    if (runtime.rank() == 0) std::printf("%-22s %7.3f microseconds a call\n", name, 1e4 * least);
  };
  calls("23 operations", many);
  calls("vectorized", function);
  return 0;
}
