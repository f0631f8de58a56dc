// The programs of programs.h: milliseconds a step, beside those of a copy of the bytes that a step must move at least
// (each array that is read or written, once). programs_perf NAME [SIZE] [ROUNDS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "tests/perf/programs/programs.h"

namespace np = pilum::numeric;
using np::all, np::slice;

namespace {

double milliseconds(pilum::Runtime& runtime, const std::function<void()>& step, int steps) {
  runtime.wait();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) step();
  runtime.wait();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / steps;
}

}  // namespace

int main(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  const std::string name = argc > 1 ? argv[1] : "heat";
  const std::int64_t size = argc > 2 ? std::atoll(argv[2]) : (name == "heat" ? 256 : 4096);
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  pilum::programs::Program program = pilum::programs::make_program(name, size);
  const std::int64_t cells = static_cast<std::int64_t>(program.bytes / 16);
  auto from = np::ones({cells}), to = np::zeros({cells});
  const auto copy = [&] {  // each by itself: several would be one pass
    to[all] = from;
    runtime.wait();
  };
  (void)milliseconds(runtime, program.step, 40);  // plans, kernels and graphs are made
  (void)milliseconds(runtime, copy, 4);
  std::vector<double> steps, copies, ratios;
  for (int round = 0; round < rounds; ++round) {
    const int count = 10;
    steps.push_back(milliseconds(runtime, program.step, count));
    copies.push_back(milliseconds(runtime, copy, count));
    ratios.push_back(copies.back() / steps.back());
  }
  const auto median = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  if (runtime.rank() == 0) {
    std::printf("%-20s %6lld  %9.3f ms a step (%.3f .. %.3f), of a copy's speed %.2f\n", name.c_str(),
                static_cast<long long>(size), median(steps), *std::min_element(steps.begin(), steps.end()),
                *std::max_element(steps.begin(), steps.end()), median(ratios));
  }
  return 0;
}
