// Milliseconds of updating, counting and finding cells that are named by arrays, the median of some rounds.
// picked_perf [POINTS] [CELLS] [ROUNDS]
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "pilum/pilum.h"
#include "tests/perf/functions/median_time.h"

namespace np = pilum::numeric;

int main(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  const std::int64_t points = argc > 1 ? std::atoll(argv[1]) : 10'000'000;
  const std::int64_t cells = argc > 2 ? std::atoll(argv[2]) : 1'000'000;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 9;
  auto rng = np::random::default_rng(1);
  const np::Array at = rng.integers(0, cells, points), few = rng.integers(0, 100, points);
  const np::Array values = rng.random(points), row = at(np::slice(0, points / 16));
  const np::Array rows = rng.random({points / 16, 16}), sorted = np::sort(rng.random(cells));
  const np::Array line = np::zeros(cells), table = np::zeros({cells, 16}), image = np::zeros({1024, 1024});
  const np::Array y = at % 1024, x = (at * 7) % 1024;
  const np::Array counts = np::zeros(cells, np::int64);
  np::Array written = np::zeros(cells);
  const auto measure = [&](const char* name, const std::function<void()>& step) {
    pilum::tell_median_time(runtime, rounds, name, step);
  };
  np::Array made;
  measure("add_at", [&] { np::add_at(line, at, values); });
  measure("add_at integers", [&] { np::add_at(counts, at, 1); });
  measure("add_at rows", [&] { np::add_at(table, row, rows); });
  measure("add_at pairs", [&] { np::add_at(image, {y, x}, values); });
  measure("assign", [&] { written(at) = values; });
  measure("take", [&] { made = np::take(values, at); });
  measure("bincount", [&] { made = np::bincount(few); });
  measure("bincount weights", [&] { made = np::bincount(few, values); });
  measure("histogram", [&] { made = np::histogram(values, 100, {.range = {{0, 1}}}).first; });
  measure("searchsorted", [&] { made = np::searchsorted(sorted, values); });
  measure("interp", [&] { made = np::interp(values, sorted, line); });
  const double of_line = np::sum(line).item<double>(), of_image = np::sum(image).item<double>();
  if (runtime.rank() == 0) std::printf("sums %.17g %.17g\n", of_line, of_image);
  return 0;
}
