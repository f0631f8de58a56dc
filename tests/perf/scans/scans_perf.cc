// Scans of float64 against a copy of the same array, in turn; medians are shown. scans_perf [cells] [rounds]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "pilum/pilum.h"
#include "tests/perf/samples.h"

namespace pilum::perf {
namespace {

namespace np = pilum::numeric;
using Function = std::function<np::Array(const np::Array&)>;

double time_of(Runtime& runtime, const Function& function, const np::Array& a) {
  const auto start = Clock::now();
  const np::Array result = function(a);
  runtime.wait();
  return seconds_since(start);
}

void compare(Runtime& runtime, const char* what, const np::Array& a, const Function& function, int rounds) {
  std::vector<double> copies, ours, ratios;
  for (int round = 0; round < rounds + 2; ++round) {
    const double copy = time_of(runtime, [](const np::Array& x) { return x.copy(); }, a);
    const double mine = time_of(runtime, function, a);
    if (round < 2) continue;  // the first ones plan, and take memory
    copies.push_back(copy);
    ours.push_back(mine);
    ratios.push_back(copy / mine);
  }
  const Spread ratio = spread_of(ratios);
  std::printf("%-34s %8.2f ms; copy %8.2f ms; %.2f of a copy's speed (%.2f to %.2f)\n", what,
              spread_of(ours).median * 1e3, spread_of(copies).median * 1e3, ratio.median, ratio.low, ratio.high);
}

void compare_sorts(Runtime& runtime, const np::Array& line, const np::Array& square, int rounds) {
  const auto sorted = [](const np::Array& a) { return np::sort(a); };
  compare(runtime, "sort", line, sorted, rounds);
  compare(runtime, "sort, float32", line.astype<float>(), sorted, rounds);
  const np::Array numbers = np::random::default_rng(3).integers(0, 1'000'000, {line.size()});
  compare(runtime, "sort, int64 below a million", numbers, sorted, rounds);
  compare(runtime, "argsort", line, [](const np::Array& a) { return np::argsort(a); }, rounds);
  compare(runtime, "sort of a square along axis 0", square, [](const np::Array& a) { return np::sort(a, 0); }, rounds);
  compare(runtime, "sort of a square along axis 1", square, [](const np::Array& a) { return np::sort(a, 1); }, rounds);
  const np::Array short_lines = np::random::default_rng(4).random({line.size() / 1000, 1000});
  compare(runtime, "sort of lines of 1000", short_lines, sorted, rounds);
  compare(runtime, "median", line, [](const np::Array& a) { return np::median(a); }, rounds);
}

void run(int argc, char** argv) {
  Runtime runtime(argc, argv);
  const std::int64_t cells = argc > 1 ? std::atoll(argv[1]) : 100'000'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  std::int64_t side = 1;
  while ((side + 1) * (side + 1) <= cells) ++side;
  const np::Array line = np::random::default_rng(1).random({cells});
  compare(runtime, "cumsum", line, [](const np::Array& a) { return np::cumsum(a); }, rounds);
  compare(runtime, "cumprod", line, [](const np::Array& a) { return np::cumprod(a); }, rounds);
  const np::Array half = line.astype<float>(), counts = np::ones(cells, int64);
  compare(runtime, "cumsum, float32", half, [](const np::Array& a) { return np::cumsum(a); }, rounds);
  compare(runtime, "cumsum, int64", counts, [](const np::Array& a) { return np::cumsum(a); }, rounds);
  compare(runtime, "sum", line, [](const np::Array& a) { return np::sum(a); }, rounds);
  compare(runtime, "argmax", line, [](const np::Array& a) { return np::argmax(a); }, rounds);
  const np::Array mask = line < 0.5;
  compare(
      runtime, "a(mask), half of the cells", line, [&](const np::Array& a) -> np::Array { return a(mask); }, rounds);
  compare(runtime, "flatnonzero(mask)", line, [&](const np::Array&) { return np::flatnonzero(mask); }, rounds);
  const np::Array square = np::random::default_rng(2).random({side, side});
  compare(
      runtime, "cumsum of a square along axis 0", square, [](const np::Array& a) { return np::cumsum(a, 0); }, rounds);
  compare(
      runtime, "cumsum of a square along axis 1", square, [](const np::Array& a) { return np::cumsum(a, 1); }, rounds);
  compare_sorts(runtime, line, square, std::min(rounds, 3));
}

}  // namespace
}  // namespace pilum::perf

int main(int argc, char** argv) {
  pilum::perf::run(argc, argv);
  return 0;
}
