// Sorts of lines of many kinds: sorts_perf ROUNDS, for numpy_sorts.py, which compares them with NumPy's. A row of each:
// the function, dtype, cells of a line, lines, axis, what is in it, the least and the median time in microseconds.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "pilum/pilum.h"
#include "tests/perf/samples.h"

namespace pilum::perf {
namespace {

namespace np = numeric;

// Of so many cells, as numpy_sorts.py makes them, but for which numbers the random ones are.
np::Array cells_of(const std::string& kind, std::int64_t count, DType dtype) {
  auto rng = np::random::default_rng(1);
  const double range = itemsize(dtype) == 1 ? 100 : itemsize(dtype) == 2 ? 30000 : 1e9;
  const auto random = [&] { return (rng.random(count) * range).astype(dtype); };
  if (kind == "sorted") return np::sort(random());
  if (kind == "reversed") return np::flip(np::sort(random())).copy();
  if (kind == "few") return np::floor(rng.random(count) * 5).astype(dtype);
  if (kind == "constant") return np::full({count}, 7).astype(dtype);
  return random();
}

struct Case {
  std::int64_t cells, lines;
  int axis;
};

void measure(Runtime& runtime, int rounds, const char* function, DType dtype, const Case& of, const std::string& kind) {
  np::Array a = cells_of(kind, of.cells * of.lines, dtype);
  if (of.lines > 1) a = of.axis == 0 ? a.reshape({of.lines, of.cells}).T().copy() : a.reshape({of.lines, of.cells});
  runtime.wait();
  const bool places = std::string(function) == "argsort";
  const auto repeats = std::max<std::int64_t>(1, 100'000 / a.size());
  std::vector<double> times;
  for (int round = 0; round < rounds + 1; ++round) {
    const auto start = Clock::now();
    for (std::int64_t k = 0; k < repeats; ++k) {
      const np::Array sorted = places ? np::argsort(a, of.axis) : np::sort(a, of.axis);
      runtime.wait();
    }
    if (round > 0) times.push_back(seconds_since(start) * 1e6 / static_cast<double>(repeats));
  }
  const Spread time = spread_of(times);
  std::printf("%s %s %lld %lld %d %s %.2f %.2f\n", function, name(dtype), static_cast<long long>(of.cells),
              static_cast<long long>(of.lines), of.axis, kind.c_str(), time.low, time.median);
  std::fflush(stdout);
}

void run(int argc, char** argv) {
  Runtime runtime(argc, argv);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::int64_t most = argc > 2 ? std::atoll(argv[2]) : 10'000'000;
  for (const char* function : {"sort", "argsort"}) {
    for (const DType dtype : {DType::Float64, DType::Int64, DType::Float32, DType::Int32, DType::UInt16, DType::Int8}) {
      for (const std::int64_t cells : {100, 1000, 10'000, 1'000'000, 10'000'000}) {
        if (cells > most) continue;
        for (const char* kind : {"random", "sorted", "reversed", "few", "constant"}) {
          if (cells == 10'000'000 && std::string(kind) != "random") continue;
          measure(runtime, rounds, function, dtype, {cells, 1, -1}, kind);
        }
      }
      for (const std::int64_t cells : {100, 1000}) {
        for (const int axis : {-1, 0}) measure(runtime, rounds, function, dtype, {cells, 2000, axis}, "random");
      }
    }
  }
}

}  // namespace
}  // namespace pilum::perf

int main(int argc, char** argv) {
  pilum::perf::run(argc, argv);
  return 0;
}
