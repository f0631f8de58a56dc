// Long lines that ranks sort together, against the standard library's stable sort: numbers by their order, NaNs last,
// equal cells as they come. And the merging of runs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/run_merge.h"
#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;

// Each has the run it is of, so that the order of equal ones shows.
struct Numbered {
  int number, run;
  friend bool operator<(const Numbered& a, const Numbered& b) { return a.number < b.number; }
  friend bool operator==(const Numbered&, const Numbered&) = default;
};

TEST(RunMerge, AnyPieceOfManyRuns) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 dice(seed);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<Numbered>> cells(1 + dice() % 6);
    std::vector<Numbered> all;
    const unsigned most = 1 + dice() % 40, range = 1 + dice() % 12;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      for (unsigned i = dice() % most; i > 0; --i)
        cells[k].push_back({static_cast<int>(dice() % range), static_cast<int>(k)});
      std::stable_sort(cells[k].begin(), cells[k].end());
      all.insert(all.end(), cells[k].begin(), cells[k].end());
    }
    std::stable_sort(all.begin(), all.end());
    std::vector<np::SortedRun<Numbered>> runs;
    for (const auto& run : cells) runs.push_back({run.data(), std::ssize(run)});
    const auto count = std::ssize(all);
    const auto one = static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(count + 1));
    const auto other = static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(count + 1));
    const std::int64_t begin = std::min(one, other), end = std::max(one, other);
    std::vector<Numbered> merged(static_cast<std::size_t>(end - begin));
    np::merge_part(std::span<const np::SortedRun<Numbered>>(runs), begin, end, merged.data());
    ASSERT_TRUE(std::equal(merged.begin(), merged.end(), all.begin() + begin))
        << cells.size() << " runs, cells " << begin << " to " << end << " of " << count;
  }
}

template <class T>
bool is_before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(b) ? !std::isnan(a) : a < b;
  return a < b;
}

template <class T>
std::vector<T> cells_of(std::mt19937_64& dice, std::int64_t count, bool has_few) {
  std::vector<T> cells;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = dice();
    if constexpr (std::is_floating_point_v<T>) {
      const T special[] = {T(0), -T(0), std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity()};
      const T number = static_cast<T>(static_cast<double>(drawn >> 12) / 0x1p52 - 0.5);
      cells.push_back(drawn % 16 < 5 ? special[drawn % 16] : has_few ? std::round(number * 20) : number);
    } else {
      cells.push_back(static_cast<T>(has_few ? drawn % 5 : drawn));
    }
  }
  return cells;
}

template <class T>
void check_sorts(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed) + ", cells of " + std::to_string(sizeof(T)) + " bytes");
  std::mt19937_64 dice(seed);
  for (const bool has_few : {false, true}) {
    const std::vector<T> cells = cells_of<T>(dice, 66000 + static_cast<std::int64_t>(dice() % 3000), has_few);
    std::vector<std::int64_t> order(cells.size());
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](std::int64_t i) { return cells[static_cast<std::size_t>(i)]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return is_before(at(a), at(b)); });
    std::vector<T> sorted;
    for (const std::int64_t i : order) sorted.push_back(at(i));
    for (const fakes::SimulatedRanks& machine : {fakes::SimulatedRanks{.ranks = 2},
                                                 {.ranks = 3, .processors_per_rank = 2},
                                                 {.ranks = 1, .processors_per_rank = 5}}) {
      fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
        const np::Array a = np::array(cells);
        const std::vector<T> found = np::sort(a).to_vector<T>();
        EXPECT_EQ(std::memcmp(found.data(), sorted.data(), sorted.size() * sizeof(T)), 0) << machine.ranks << " ranks";
        EXPECT_EQ(np::argsort(a).to_vector<std::int64_t>(), order) << machine.ranks << " ranks";
        if (has_few && std::is_integral_v<T>) {
          EXPECT_EQ(np::unique(a).size(), 5);
        }
        const std::vector<T> turned = np::sort(a[np::slice({}, {}, -1)]).template to_vector<T>();  // of a view
        EXPECT_TRUE(std::ranges::equal(turned, sorted, [](T x, T y) { return x == y || (x != x && y != y); }));
      });
    }
  }
}

TEST(SharedSort, IsTheStableSortOfAllCells) {
  const std::uint64_t seed = std::random_device()();
  check_sorts<double>(seed);
  check_sorts<float>(seed);
  check_sorts<std::int64_t>(seed);
  check_sorts<std::uint64_t>(seed);
  check_sorts<std::int8_t>(seed);
}

// Each rank sends the others its part once; nobody has the whole line and sorts it alone.
TEST(SharedSort, EachRankSortsAPart) {
  for (const int rank : {0, 1}) {
    fakes::SimulatedRanks machine{.ranks = 2};
    fakes::PlanningSession planning(machine, rank);
    const np::Array a = np::arange(1 << 20, 0, -1.0);
    static_cast<void>(planning.take_plan());
    const np::Array sorted = np::sort(a);
    std::int64_t sent = 0;
    const scheduler::Plan plan = planning.take_plan();
    for (const scheduler::Send* send : plan.all<scheduler::Send>()) sent += static_cast<std::int64_t>(send->bytes);
    EXPECT_EQ(sent, (std::int64_t{8} << 20) / 2) << "rank " << rank;
  }
}

}  // namespace
}  // namespace pilum
