// What programs that measure print.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace pilum::perf {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Spread {
  double low, median, high;
};

inline Spread spread_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return {samples.front(), samples[samples.size() / 2], samples.back()};
}

}  // namespace pilum::perf
