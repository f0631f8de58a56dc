#include "numeric/counted_order.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum::numeric {
namespace {

template <class T>
class CountedOrders : public testing::Test {};
using Types = testing::Types<double, float, std::int64_t, std::uint64_t, std::int32_t, std::uint32_t>;
TYPED_TEST_SUITE(CountedOrders, Types);

// Every kind of line: spread out, around one number, equal, of few numbers, of extremes, with zeros of both signs.
template <class T>
T draw(std::mt19937_64& random, int kind) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    std::normal_distribution<T> normal;
    switch (kind) {
      case 0: return normal(random);
      case 1: return 1 + normal(random) * Limits::epsilon();
      case 2: return T(-3.5);
      case 3: return static_cast<T>(static_cast<int>(random() % 7) - 3) * T(0.25);
      case 4: return random() % 2 ? Limits::infinity() : random() % 2 ? -Limits::max() : Limits::denorm_min();
      case 5: return std::copysign(T(random() % 8 == 0), random() % 2 ? T(1) : T(-1)) * T(random() % 2);
      default: return random() % 5 ? std::exp(100 * normal(random) / 3) : Limits::quiet_NaN();
    }
  } else {
    switch (kind) {
      case 0: return static_cast<T>(random());
      case 1: return static_cast<T>(T(1000) + static_cast<T>(random() % 30000));
      case 2: return T(7);
      case 3: return static_cast<T>(random() % 5);
      case 4: return random() % 2 ? Limits::max() : Limits::min();
      default: return static_cast<T>(static_cast<T>(random() % 2) * static_cast<T>(random() >> (random() % 64)));
    }
  }
}

TYPED_TEST(CountedOrders, HaveTheCellsOfAStableSortBitByBit) {
  using T = TypeParam;
  CountedOrder<T> order;  // used again and again
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const int kind = static_cast<int>(seed % 7);
    const std::int64_t count = seed % 5 == 0 ? 1 + static_cast<std::int64_t>(random() % 5)
                                             : 1000 + static_cast<std::int64_t>(random() % 30000);
    const std::int64_t step = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 1 : -1;
    std::vector<T> memory(static_cast<std::size_t>(count * 3)), sorted;
    T* const first = memory.data() + (step < 0 ? count - 1 : 0);
    for (std::int64_t i = 0; i < count; ++i) first[i * step] = draw<T>(random, kind);
    for (std::int64_t i = 0; i < count; ++i) {
      if (first[i * step] == first[i * step]) sorted.push_back(first[i * step]);
    }
    std::stable_sort(sorted.begin(), sorted.end());
    ASSERT_EQ(order.take({first, step, count}), static_cast<std::int64_t>(sorted.size()));
    if (sorted.empty()) continue;
    std::vector<std::int64_t> places;
    for (int i = 0; i < 6; ++i) places.push_back(static_cast<std::int64_t>(random() % sorted.size()));
    places.push_back(0);
    places.push_back(static_cast<std::int64_t>(sorted.size()) - 1);
    std::sort(places.begin(), places.end());
    for (const std::int64_t place : places) {
      for (const std::int64_t one : {place, std::min(place + 1, static_cast<std::int64_t>(sorted.size()) - 1)}) {
        const T cell = order.at(one), expected = sorted[static_cast<std::size_t>(one)];
        EXPECT_EQ(std::memcmp(&cell, &expected, sizeof(T)), 0)
            << "place " << one << ": " << cell << ", not " << expected;
      }
    }
  }
}

// Longer than what is put in order as a whole: medians and quantiles, with NaNs that spread and that are skipped.
TEST(LongQuantiles, AreThoseOfSortedLines) {
  fakes::run_on_simulated_ranks({.ranks = 1}, [](scheduler::Session&) {
    std::mt19937_64 random(20261127);
    std::vector<double> cells(70'001);
    for (double& cell : cells) cell = std::normal_distribution<double>()(random);
    std::vector<double> sorted = cells;
    std::sort(sorted.begin(), sorted.end());
    const Array a = array(cells);
    EXPECT_EQ(median(a).item<double>(), sorted[35'000]);
    EXPECT_EQ(median(a(slice(0, 70'000))).item<double>(), [&] {
      std::vector<double> even(cells.begin(), cells.end() - 1);
      std::sort(even.begin(), even.end());
      return (even[34'999] + even[35'000]) / 2;
    }());
    EXPECT_EQ(quantile(a, {0, 0.25, 1}).to_vector<double>(),
              (std::vector<double>{sorted.front(), sorted[17'500], sorted.back()}));
    Array holes = a.copy();
    holes(5) = std::nan("");
    EXPECT_TRUE(std::isnan(median(holes).item<double>()));
    sorted.erase(std::find(sorted.begin(), sorted.end(), cells[5]));
    EXPECT_EQ(nanmedian(holes).item<double>(), (sorted[34'999] + sorted[35'000]) / 2);
  });
}

}  // namespace
}  // namespace pilum::numeric
