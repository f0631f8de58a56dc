// How long steps take on all processors, as programs here print it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "pilum/pilum.h"

namespace pilum {

// Milliseconds: the median of so many rounds, the least and the most. At first plans and kernels are made.
inline void tell_median_time(Runtime& runtime, int rounds, const char* name, const std::function<void()>& step) {
  std::vector<double> times;
  for (int round = -3; round < rounds; ++round) {
    runtime.wait();
    const auto start = std::chrono::steady_clock::now();
    step();
    runtime.wait();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (round >= 0) times.push_back(1e3 * time.count());
  }
  std::sort(times.begin(), times.end());
  if (runtime.rank() == 0)
    std::printf("%-22s %9.3f ms (%.3f to %.3f)\n", name, times[times.size() / 2], times.front(), times.back());
}

}  // namespace pilum
