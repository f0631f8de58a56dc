// Single operations on float64 arrays against loops by hand with OpenMP, in turn: speed of the loop's (its time over
// ours), medians, least and greatest pair. Then what numpy_arrays.py compares. arrays_perf [CELLS] [ROUNDS]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "pilum/pilum.h"
#include "tests/perf/arrays/loops.h"
#include "tests/perf/programs/by_hand/pinned_team.h"
#include "tests/perf/programs/quiet.h"
#include "tests/perf/samples.h"

namespace pilum::perf {
namespace {

namespace np = pilum::numeric;
using by_hand::Stores;

double time_of(const std::function<void()>& step) {
  programs::wait_until_quiet();
  const auto start = Clock::now();
  step();
  return seconds_since(start);
}

class Contest {
 public:
  Contest(Runtime& runtime, int rounds) : runtime_(runtime), rounds_(rounds) {}

  // The faster one of the loops counts.
  void compare(const char* what, const std::function<void()>& ours, const std::function<void(Stores)>& loop) {
    std::vector<double> mine, theirs, ratios;
    for (int round = 0; round < rounds_ + 2; ++round) {
      const double time = time_of(ours_until_done(ours));
      by_hand::PinnedTeam team(2);
      const double by_hand = std::min(time_of([&] { loop(Stores::Plain); }), time_of([&] { loop(Stores::Streaming); }));
      if (round < 2) continue;  // plans are made, and memory is touched
      mine.push_back(time);
      theirs.push_back(by_hand);
      ratios.push_back(by_hand / time);
    }
    const Spread ratio = spread_of(ratios);
    std::printf("%-28s %9.2f ms; by hand %9.2f ms; %.2f of its speed (%.2f to %.2f)\n", what,
                spread_of(mine).median * 1e3, spread_of(theirs).median * 1e3, ratio.median, ratio.low, ratio.high);
  }

  void measure(const char* what, const std::function<void()>& ours) {
    std::vector<double> mine;
    for (int round = 0; round < rounds_ + 2; ++round) {
      const double time = time_of(ours_until_done(ours));
      if (round >= 2) mine.push_back(time);
    }
    const Spread time = spread_of(mine);
    std::printf("%-28s %9.2f ms (%.2f to %.2f)\n", what, time.median * 1e3, time.low * 1e3, time.high * 1e3);
  }

 private:
  std::function<void()> ours_until_done(const std::function<void()>& ours) {
    return [this, &ours] {
      ours();
      runtime_.wait();
    };
  }

  Runtime& runtime_;
  const int rounds_;
};

void run(int argc, char** argv) {
  Runtime runtime(argc, argv);
  const std::int64_t cells = argc > 1 ? std::atoll(argv[1]) : 100'000'000;
  Contest contest(runtime, argc > 2 ? std::atoi(argv[2]) : 9);
  auto rng = np::random::default_rng(1);
  const auto size = static_cast<std::size_t>(cells);
  std::vector<double> x(size), y(size), z(size), out(size);
  const np::Array a = rng.random(cells), b = rng.random(cells), c = rng.random(cells);
  np::Array result = np::zeros(cells);
  for (std::vector<double>* copy : {&x, &y, &z}) *copy = (copy == &x ? a : copy == &y ? b : c).to_vector<double>();
  contest.compare(
      "a + b * c", [&] { result[np::all] = a + b * c; },
      [&](Stores stores) { by_hand::add_product(stores, out.data(), x.data(), y.data(), z.data(), cells); });
  double total = 0;
  const auto read = [&](Stores) { total += by_hand::read(x.data(), cells); };
  contest.compare("sum, against reading", [&] { static_cast<void>(np::sum(a).item<double>()); }, read);
  contest.compare("argmax, against reading", [&] { static_cast<void>(np::argmax(a).item<std::int64_t>()); }, read);
  const np::Array places = rng.integers(0, cells, cells);
  const std::vector<std::int64_t> at = places.to_vector<std::int64_t>();
  contest.compare(
      "take, random places", [&] { result[np::all] = np::take(a, places); },
      [&](Stores stores) { by_hand::take(stores, out.data(), x.data(), at.data(), cells); });
  const np::Array mask = a < 0.5;
  contest.measure("mask read", [&] { const np::Array picked = a(mask); });
  contest.measure("normal", [&] { result[np::all] = rng.standard_normal(cells); });
  contest.measure("sort", [&] { const np::Array sorted = np::sort(a); });
  if (total == 0.5) std::printf("\n");  // it is used
}

}  // namespace
}  // namespace pilum::perf

int main(int argc, char** argv) {
  pilum::perf::run(argc, argv);
  return 0;
}
