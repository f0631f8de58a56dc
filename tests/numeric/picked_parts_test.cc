// Updates of few cells by very many points: near the exact sums, with the same bits on every machine, and refused where
// one point is wrong.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;

constexpr std::int64_t kPoints = 4 * 32768 + 3;  // four parts, and three that are left

const fakes::SimulatedRanks kPartMachines[] = {{.ranks = 1},
                                               {.ranks = 1, .processors_per_rank = 3, .workers = 1},
                                               {.ranks = 2, .processors_per_rank = 2},
                                               {.ranks = 3}};

struct Updates {
  std::vector<std::int64_t> places;
  std::vector<double> values;
};

Updates random_updates(std::int64_t cells, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  std::normal_distribution<double> draw;
  Updates updates;
  for (std::int64_t i = 0; i < kPoints; ++i) {
    const auto place = static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(cells));
    updates.places.push_back(dice() % 5 == 0 ? place - cells : place);
    updates.values.push_back(draw(dice));
  }
  return updates;
}

std::int64_t cell_named(std::int64_t place, std::int64_t cells) {
  return place < 0 ? place + cells : place;
}

// The program's cells, which are the same everywhere.
template <class Program>
std::vector<double> on_all_machines(const Program& program) {
  std::vector<double> first;
  for (const fakes::SimulatedRanks& machine : kPartMachines) {
    SCOPED_TRACE(testing::Message() << machine.ranks << " ranks of " << machine.processors_per_rank);
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
      const np::Array result = program();
      const std::vector<double> cells = result.to_vector<double>();
      if (session.rank() != 0) return;
      if (first.empty()) first = cells;
      ASSERT_EQ(cells.size(), first.size());
      for (std::size_t k = 0; k < cells.size(); ++k)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(cells[k]), std::bit_cast<std::uint64_t>(first[k])) << "cell " << k;
    });
  }
  return first;
}

TEST(PickedParts, AddUpToTheExactSums) {
  for (const std::int64_t cells : {1, 7, 400}) {
    const Updates updates = random_updates(cells, static_cast<std::uint64_t>(cells));
    const std::vector<double> sums = on_all_machines([&] {
      np::Array a = np::arange(static_cast<double>(cells));
      np::add_at(a, np::array(updates.places), np::array(updates.values));
      return a;
    });
    std::vector<long double> exact(static_cast<std::size_t>(cells)), sizes(static_cast<std::size_t>(cells));
    for (std::int64_t k = 0; k < cells; ++k) exact[static_cast<std::size_t>(k)] = static_cast<long double>(k);
    for (std::size_t i = 0; i < updates.places.size(); ++i) {
      const auto k = static_cast<std::size_t>(cell_named(updates.places[i], cells));
      exact[k] += static_cast<long double>(updates.values[i]);
      sizes[k] += std::abs(static_cast<long double>(updates.values[i]));
    }
    for (std::size_t k = 0; k < exact.size(); ++k) {
      const long double bound = 1e-13L * (sizes[k] + std::abs(exact[k]));
      EXPECT_LE(std::abs(static_cast<long double>(sums[k]) - exact[k]), bound) << "cell " << k << " of " << cells;
    }
  }
}

TEST(PickedParts, OfRowsAndOfOneNumberForAll) {
  const Updates updates = random_updates(5, 3);
  const std::vector<double> rows = on_all_machines([&] {
    np::Array a = np::zeros({5, 3});
    const np::Array places = np::array(updates.places);
    np::add_at(a, places, np::array(updates.values)(np::all, np::newaxis) * np::array({1.0, 2.0, -4.0}));
    np::Array b = np::zeros({3, 5});
    np::add_at(b, std::vector<np::Array>{np::array({2}), places}, 0.5);
    return np::concatenate({a.ravel(), b.ravel()});
  });
  std::vector<double> counts(5);
  for (const std::int64_t place : updates.places) counts[static_cast<std::size_t>(cell_named(place, 5))] += 0.5;
  for (std::size_t k = 0; k < 5; ++k) {  // products by powers of two have the same roundings
    EXPECT_EQ(rows[3 * k + 1], 2 * rows[3 * k]) << k;
    EXPECT_EQ(rows[3 * k + 2], -4 * rows[3 * k]) << k;
    EXPECT_EQ(rows[15 + k], 0) << k;
    EXPECT_EQ(rows[25 + k], counts[k]) << k;
  }
}

TEST(PickedParts, ExtremesAreThoseOfALoop) {
  Updates updates = random_updates(9, 11);
  updates.values[70000] = std::numeric_limits<double>::quiet_NaN();
  updates.values[kPoints - 1] = -50;
  updates.places[kPoints - 1] = (cell_named(updates.places[70000], 9) + 1) % 9;
  const std::vector<double> found = on_all_machines([&] {
    np::Array least = np::full({9}, 1.0), most = np::full({9}, -1.0);
    np::minimum_at(least, np::array(updates.places), np::array(updates.values));
    np::maximum_at(most, np::array(updates.places), np::array(updates.values));
    return np::concatenate({least, most});
  });
  std::vector<double> wanted(18, 1);
  std::fill(wanted.begin() + 9, wanted.end(), -1);
  for (std::size_t i = 0; i < updates.places.size(); ++i) {
    const auto k = static_cast<std::size_t>(cell_named(updates.places[i], 9));
    const double value = updates.values[i];
    wanted[k] = std::isnan(wanted[k]) || std::isnan(value) ? std::numeric_limits<double>::quiet_NaN()
                                                           : std::min(wanted[k], value);
    wanted[k + 9] = std::isnan(wanted[k + 9]) || std::isnan(value) ? std::numeric_limits<double>::quiet_NaN()
                                                                   : std::max(wanted[k + 9], value);
  }
  for (std::size_t k = 0; k < 18; ++k) {
    if (std::isnan(wanted[k]))
      EXPECT_TRUE(std::isnan(found[k])) << k;
    else
      EXPECT_EQ(found[k], wanted[k]) << k;
  }
}

// Of minus zeros alone the sum is what it is one after the other; a cell that nobody names stays as it is.
TEST(PickedParts, ZerosKeepTheirSigns) {
  const std::vector<double> cells = on_all_machines([&] {
    np::Array a = np::array({-0.0, 0.0, -0.0});
    np::add_at(a, np::arange(kPoints) % 2, -0.0);
    return a;
  });
  EXPECT_TRUE(std::signbit(cells[0]));
  EXPECT_FALSE(std::signbit(cells[1]));
  EXPECT_TRUE(std::signbit(cells[2]));
}

// The values are cells of the array itself, as they were before.
TEST(PickedParts, ValuesMayBeTheArraysOwn) {
  const std::vector<double> cells = on_all_machines([&] {
    np::Array a = np::array({1.0, 2.0});
    np::add_at(a, np::arange(kPoints) % 2, np::broadcast_to(a(0), {kPoints}));
    return a;
  });
  constexpr std::int64_t kOdd = kPoints / 2, kEven = kPoints - kOdd;
  EXPECT_EQ(cells[0], 1 + static_cast<double>(kEven));
  EXPECT_EQ(cells[1], 2 + static_cast<double>(kOdd));
}

TEST(PickedParts, AnIndexOutsideIsOneOfTheArray) {
  for (const std::int64_t wrong : {std::int64_t{5}, std::int64_t{100'000}, kPoints - 1}) {
    std::string text;
    try {
      fakes::run_on_simulated_ranks({.ranks = 1}, [&](scheduler::Session& session) {
        np::Array places = np::arange(kPoints) % 6, a = np::zeros({6});
        places(wrong) = 6;
        np::add_at(a, places, 1.0);
        session.wait();
      });
    } catch (const IndexError& error) {
      text = error.what();
    }
    EXPECT_NE(text.find("[add_at] index 6 is outside axis 0, which has 6 cells"), std::string::npos) << text;
    EXPECT_NE(text.find("picked_parts_test.cc"), std::string::npos) << text;
  }
}

TEST(PickedParts, OnGpusHaveTheBitsOfCores) {
  if (fakes::kIsSanitized) GTEST_SKIP() << "a hundred thousand threads, one after the other";
  const Updates updates = random_updates(3, 5);
  std::vector<double> wanted;
  for (const bool gpus : {false, true}) {
    fakes::run_on_simulated_ranks({.ranks = 1, .processors_per_rank = 1 + gpus, .gpus = gpus},
                                  [&](scheduler::Session&) {
                                    np::Array a = np::ones({3});
                                    np::add_at(a, np::array(updates.places), np::array(updates.values));
                                    const std::vector<double> cells = a.to_vector<double>();
                                    if (!gpus) wanted = cells;
                                    EXPECT_EQ(cells, wanted);
                                  });
  }
}

}  // namespace
}  // namespace pilum
