// Windows that are run operation by operation: what they compute, where a plan has left their arrays, and when they
// are taken.
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/seeds.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all, np::slice;

// Every window that can.
const fakes::SimulatedRanks kDirect{.ranks = 1, .window = 16, .direct_after = 1};

std::vector<double> count_to(std::int64_t n) {
  std::vector<double> cells(static_cast<std::size_t>(n));
  std::iota(cells.begin(), cells.end(), 0.0);
  return cells;
}

long planned(const scheduler::Session& session) {
  return session.plan_cache().misses;
}

TEST(DirectWindows, ReadAllBeforeTheyWrite) {
  fakes::run_on_simulated_ranks(kDirect, [](scheduler::Session& session) {
    auto a = np::arange(12.0);
    a(slice(1, {})) += a(slice(0, -1));  // its own cells, one before
    std::vector<double> wanted = count_to(12);
    for (std::size_t i = 11; i > 0; --i) wanted[i] += wanted[i - 1];
    EXPECT_EQ(a.to_vector<double>(), wanted);

    a[all] = a(slice({}, {}, -1));
    EXPECT_EQ(a.to_vector<double>(), std::vector<double>(wanted.rbegin(), wanted.rend()));
    EXPECT_EQ(planned(session), 0);

    auto square = np::arange(9.0).reshape({3, 3}).copy();
    square[all] = square.T() + square(0, all);  // a transpose and a row of itself
    EXPECT_EQ(square.to_vector<double>(), (std::vector<double>{0, 4, 8, 1, 5, 9, 2, 6, 10}));

    auto evens = np::arange(8.0);
    evens(slice({}, {}, 2)) = evens(slice(1, {}, 2));
    EXPECT_EQ(evens.to_vector<double>(), (std::vector<double>{1, 1, 3, 3, 5, 5, 7, 7}));
  });
}

TEST(DirectWindows, FoldOfAnArrayIntoItself) {
  fakes::run_on_simulated_ranks(kDirect, [](scheduler::Session&) {
    auto a = np::arange(6.0).reshape({2, 3}).copy();
    a(0, all) = np::sum(a, 0);
    a(1, 1) = np::max(a);
    EXPECT_EQ(a.to_vector<double>(), (std::vector<double>{3, 5, 7, 3, 7, 5}));
  });
}

// A triangular solution: each round sees one cell more. Nothing of it is planned.
TEST(DirectWindows, SlicesThatGrow) {
  fakes::run_on_simulated_ranks(kDirect, [](scheduler::Session& session) {
    constexpr std::int64_t kSize = 40;
    auto x = np::zeros(kSize);
    auto lower = np::tri(kSize) + np::eye(kSize);
    session.wait();
    const long before = planned(session);
    for (std::int64_t k = 0; k < kSize; ++k) x(k) = (1.0 - np::dot(lower(k, slice(k)), x(slice(k)))) / lower(k, k);
    std::vector<double> wanted(kSize);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < k; ++j) sum += wanted[j];
      wanted[k] = (1 - sum) / 2;
    }
    const std::vector<double> found = x.to_vector<double>();
    for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_DOUBLE_EQ(found[k], wanted[k]) << k;
    EXPECT_EQ(planned(session), before);
  });
}

// A plan leaves an array in two places where it reads cells beside those that it writes.
TEST(DirectWindows, AnArrayThatAPlanLeftInParts) {
  constexpr std::int64_t kRows = 40, kColumns = 1000;  // too large to run directly
  fakes::run_on_simulated_ranks(kDirect, [](scheduler::Session& session) {
    auto a = np::zeros({kRows, kColumns});
    a[all] = np::expand_dims(np::arange(static_cast<double>(kRows)), 1);
    a(slice(1, -1), all) = a(slice(0, -2), all) + a(slice(2, {}), all);
    session.wait();
    const long before = planned(session);
    EXPECT_GT(before, 0);
    for (std::int64_t i = 1; i < kRows; ++i) a(i, 3) += a(i - 1, 3);
    std::vector<double> wanted = count_to(kRows);
    for (std::size_t i = 1; i + 1 < wanted.size(); ++i) wanted[i] = 2 * static_cast<double>(i);
    for (std::size_t i = 1; i < wanted.size(); ++i) wanted[i] += wanted[i - 1];
    EXPECT_EQ(np::array(a(all, 3)).to_vector<double>(), wanted);
    EXPECT_EQ(planned(session), before);
    a(slice(1, -1), all) = a(slice(0, -2), all) + a(slice(2, {}), all);  // and a plan again
    EXPECT_DOUBLE_EQ(a(1, 3).item<double>(), wanted[0] + wanted[2]);
    EXPECT_DOUBLE_EQ(a(1, 4).item<double>(), 0 + 4);
  });
}

// Values that a later window uses, that the program holds, and that nobody wants.
TEST(DirectWindows, ValuesThatOutliveTheirWindow) {
  fakes::run_on_simulated_ranks({.ranks = 1, .window = 3, .direct_after = 1}, [](scheduler::Session&) {
    std::vector<np::Array> held;
    auto a = np::arange(5.0);
    for (int i = 0; i < 20; ++i) {
      auto next = a * 2.0 - np::mean(a);
      if (i % 3 == 0) held.push_back(a);
      a = next + 1.0;
    }
    std::vector<double> cells = count_to(5);
    std::size_t number = 0;
    for (int i = 0; i < 20; ++i) {
      if (i % 3 == 0) {
        EXPECT_EQ(held[number++].to_vector<double>(), cells) << i;
      }
      const double mean = std::accumulate(cells.begin(), cells.end(), 0.0) / 5;
      for (double& cell : cells) cell = cell * 2 - mean + 1;
    }
    EXPECT_EQ(a.to_vector<double>(), cells);
  });
}

// Windows of a loop that comes again and again are planned, and found.
TEST(DirectWindows, WhatComesAgainIsPlanned) {
  fakes::run_on_simulated_ranks({.ranks = 1, .direct_after = 1}, [](scheduler::Session& session) {
    auto a = np::zeros(10);
    for (int i = 0; i < 400; ++i) {
      a += 1.0;
      a *= 0.5;
    }
    session.wait();
    EXPECT_GT(session.plan_cache().hits, 10);
    EXPECT_NEAR(a(0).item<double>(), 1.0, 1e-12);
  });
}

// By default a program is planned, until enough of it was in vain.
TEST(DirectWindows, OnlyAfterPlansWereInVain) {
  fakes::run_on_simulated_ranks({.ranks = 1, .window = 16, .direct_after = 100}, [](scheduler::Session& session) {
    auto a = np::zeros(300);
    for (std::int64_t i = 1; i < 20; ++i) a(slice(0, i)) += 1.0;
    session.wait();
    EXPECT_GT(planned(session), 0);
    for (std::int64_t i = 20; i < 200; ++i) a(slice(0, i)) += 1.0;
    session.wait();
    const long before = planned(session);
    for (std::int64_t i = 200; i < 300; ++i) a(slice(0, i)) += 1.0;
    session.wait();
    EXPECT_EQ(planned(session), before);
    EXPECT_EQ(a(0).item<double>(), 299);
    EXPECT_EQ(a(250).item<double>(), 49);
  });
}

// Where memory does not do nothing has run, and the session goes on.
TEST(DirectWindows, MemoryThatDoesNotDo) {
  fakes::run_on_simulated_ranks({.ranks = 1, .direct_after = 1, .memory = 1 << 20}, [](scheduler::Session& session) {
    auto a = np::ones(1000);
    session.wait();
    {
      auto large = np::empty(100'000);  // 800 KB
      a += 1.0;
      large(slice(0, 10)) = a(slice(0, 10));
      session.wait();
      auto more = np::empty(60'000);
      a += 1.0;
      more(slice(0, 10)) = a(slice(0, 10));
      EXPECT_THROW(session.wait(), MemoryError);
    }
    EXPECT_EQ(a(999).item<double>(), 3);
    a += 1.0;
    EXPECT_EQ(a(999).item<double>(), 4);
  });
}

// What a program with a wrong index is told, is what it is told of a plan.
TEST(DirectWindows, AWrongIndexIsToldWithItsLine) {
  const auto told = [](int direct_after, int ranks = 1) -> std::string {
    try {
      fakes::run_on_simulated_ranks({.ranks = ranks, .direct_after = direct_after}, [](scheduler::Session& session) {
        const auto places = np::array({1, 7});
        const auto taken = np::take(np::arange(5.0), places);
        session.wait();
      });
    } catch (const IndexError& error) {
      return error.what();
    }
    return "no IndexError";
  };
  EXPECT_NE(told(1).find("[take]"), std::string::npos) << told(1);
  EXPECT_NE(told(1).find("direct_machines_test.cc:"), std::string::npos) << told(1);
  EXPECT_EQ(told(1), told(0));
  EXPECT_EQ(told(1, 2), told(0, 2));
}

// Reshaped copies, and cells from outside, into views.
TEST(DirectWindows, CopiesInAnotherShape) {
  fakes::run_on_simulated_ranks(kDirect, [](scheduler::Session&) {
    const auto matrix = np::array({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
    EXPECT_EQ((matrix.T().reshape({2, 3}) + 0.0).to_vector<double>(), (std::vector<double>{1, 4, 2, 5, 3, 6}));
    auto a = np::zeros({3, 4});
    a(all, slice({}, {}, 2)) = matrix.reshape({3, 2});
    EXPECT_EQ(a.to_vector<double>(), (std::vector<double>{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0}));
    a(slice({}, 2), slice({}, 2)) = a(slice({}, 2), slice(2, {})).T();
    EXPECT_EQ(a(slice({}, 2), all).copy().to_vector<double>(), (std::vector<double>{2, 4, 2, 0, 0, 0, 4, 0}));
    EXPECT_EQ(np::arange(6.0).reshape({1, 6, 1}).reshape({3, 2}).to_vector<double>(), count_to(6));
  });
}

// Parts of one array by one another, against plain loops. Values are small whole numbers.
TEST(DirectWindows, RandomPartsOfOneArray) {
  static constexpr std::int64_t kSize = 9;
  scheduler::for_each_seed(60, [](std::uint64_t seed) {
    fakes::SimulatedRanks machine{.ranks = 1, .window = static_cast<int>(1 + seed % 7), .direct_after = 1};
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      std::mt19937_64 random(seed);
      const auto below = [&random](std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
      };
      auto a = np::arange(static_cast<double>(kSize * kSize)).reshape({kSize, kSize}).copy();
      std::vector<double> cells = count_to(kSize * kSize);
      const auto cell = [&cells](std::int64_t i, std::int64_t j) -> double& {
        return cells[static_cast<std::size_t>(i * kSize + j)];
      };
      for (int step = 0; step < 30; ++step) {
        const std::int64_t rows = 1 + below(kSize), columns = 1 + below(kSize);
        const std::int64_t i = below(kSize - rows + 1), j = below(kSize - columns + 1);
        const std::int64_t k = below(kSize - rows + 1), l = below(kSize - columns + 1);
        const auto part = [&](std::int64_t row, std::int64_t column) {
          return a(slice(row, row + rows), slice(column, column + columns));
        };
        std::vector<double> values;
        if (below(4) == 0) {  // a fold of the part's rows
          for (std::int64_t x = 0; x < rows; ++x) {
            double least = cell(k + x, l);
            for (std::int64_t y = 0; y < columns; ++y) least = std::min(least, cell(k + x, l + y));
            values.push_back(least);
          }
          a(slice(i, i + rows), j) = np::min(part(k, l), 1);
          for (std::int64_t x = 0; x < rows; ++x) cell(i + x, j) = values[static_cast<std::size_t>(x)];
          continue;
        }
        for (std::int64_t x = 0; x < rows; ++x) {
          for (std::int64_t y = 0; y < columns; ++y)
            values.push_back(std::min(cell(i + x, j + y) - cell(k + x, l + y), 1000.0));
        }
        part(i, j)[all] = np::minimum(part(i, j) - part(k, l), 1000.0);
        for (std::int64_t x = 0; x < rows; ++x) {
          for (std::int64_t y = 0; y < columns; ++y)
            cell(i + x, j + y) = values[static_cast<std::size_t>(x * columns + y)];
        }
      }
      EXPECT_EQ(a.to_vector<double>(), cells);
    });
  });
}

}  // namespace
}  // namespace pilum
