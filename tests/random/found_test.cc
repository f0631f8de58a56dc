// Programs that gave wrong values, or none, once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "pilum/pilum.h"
#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/random/child.h"

namespace pilum::random_programs {
namespace {

namespace np = numeric;
using np::all, np::slice;

// In a child process, which must not take longer than this.
constexpr int kSeconds = 20;

std::optional<std::string> failure_on(const fakes::SimulatedRanks& machine,
                                      const std::function<std::string()>& program) {
  const auto body = [&]() -> std::optional<std::string> {
    std::string failure;
    std::mutex mutex;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      const std::string text = program();
      const std::lock_guard lock(mutex);
      if (!text.empty()) failure = text;
    });
    return failure.empty() ? std::nullopt : std::optional(failure);
  };
  return run_in_child(body, kSeconds);
}

// How many of the cells are not this one.
template <class T>
std::string others(const char* name, const std::vector<T>& cells, T expected) {
  const auto wrong = static_cast<std::int64_t>(cells.size()) - std::count(cells.begin(), cells.end(), expected);
  return wrong == 0
             ? ""
             : std::to_string(wrong) + " of " + std::to_string(cells.size()) + " cells of " + name + " are wrong";
}

// The sum is cut and written where it lies; the maximum, half as large, is on every rank and folded in.
std::string two_reductions(std::int64_t n) {
  const np::Array w = np::ones({2, 2, 1}, DType::Float32), x = np::ones({n}, DType::Float32);
  const np::Array a = w + x;
  const np::Array c = (x + w).astype(DType::Float64);
  const np::Array s = np::sum(c, {0, 1});
  const np::Array m = np::max(a, {0, 1});
  return others("the maximum", m.to_vector<float>(), 2.0F) + others("the sum", s.to_vector<double>(), 8.0);
}

TEST(FoundPrograms, ReductionsOfOneGroupAreFoldedIntoTheirOwnResults) {
  for (const int ranks : {2, 3, 5}) {
    for (const auto& [n, split_bytes] : {std::pair<std::int64_t, std::int64_t>{40'000, 256 << 10}, {12, 64}}) {
      const auto failure =
          failure_on({.ranks = ranks, .split_bytes = split_bytes}, [n = n] { return two_reductions(n); });
      EXPECT_FALSE(failure) << ranks << " ranks, " << n << " cells: " << *failure;
    }
  }
}

// Reversed in place, so that every round sends; and what is made of it, which no later round waits for.
std::string reversed_loop(std::int64_t n) {
  np::Array x = np::ones({1, n}, DType::Float32);
  const np::Array y = np::ones({16, n}, DType::Float32);
  np::Array s;
  for (int round = 0; round < 110; ++round) {
    x(all, slice({}, {}, -1)) += x;
    const np::Array c = np::where(3.0F, x, y);
    s = np::sum(c);
  }
  const auto expected = std::ldexp(static_cast<float>(16 * n), 110);
  return s.item<float>() == expected ? "" : "the sum is " + std::to_string(s.item<float>());
}

TEST(FoundPrograms, APlanThatWaitsForAMessageKeepsNoOtherFromBeingWorkedOn) {
  constexpr std::uint64_t kSeeds = fakes::kIsSanitized ? 3 : 10;  // of the order in which ranks step
  for (const int ranks : {2, 3}) {
    for (const int window : {1, 3}) {
      for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const auto failure =
            failure_on({.ranks = ranks, .seed = seed, .window = window}, [] { return reversed_loop(31); });
        EXPECT_FALSE(failure) << ranks << " ranks, window " << window << ", seed " << seed << ": " << *failure;
        if (failure) return;
      }
    }
  }
}

// Values that wait for their consumers are taken with those, and write an array at two places: two kernels.
std::string chains_after_a_loop(int rounds) {
  const auto data = [](std::int64_t n, std::int64_t factor) {
    std::vector<double> cells;
    for (std::int64_t k = 0; k < n; ++k)
      cells.push_back(static_cast<double>((k * k * 7 + k * factor) % 101 % 25 - 12) / 2);
    return cells;
  };
  const np::Array b = np::array(data(16, 83));
  np::Array a = np::array(data(210, 10)).reshape({14, 15}), c = np::array(data(15, 27)), d;
  for (int round = 0; round < rounds; ++round) {
    d = c + b(slice({}, 0, -1));
    a[all] = (a + a(slice({}, {}, -1), slice({}, {}, -1))) * 0.5;
  }
  c[all] = d * 0.5;
  c(slice(1, {})) -= d(slice({}, -1));
  c(slice(1, {})) = c(slice({}, -1)) * 0.5;
  c(slice(2, {})) += d(slice({}, -2)) * 0.5;
  const std::vector<double> got = c.to_vector<double>();
  return got[0] == -1.5 && got[1] == -0.75 ? "" : std::to_string(got[0]) + ", " + std::to_string(got[1]);
}

TEST(FoundPrograms, ValuesThatWaitTogetherAreNotOneKernelWhereTheyWriteAnArrayAtTwoPlaces) {
  for (const int ranks : {1, 4}) {
    for (int rounds = 1; rounds < 10; ++rounds) {
      const auto failure =
          failure_on({.ranks = ranks, .split_bytes = 37, .window = 16}, [=] { return chains_after_a_loop(rounds); });
      EXPECT_FALSE(failure) << ranks << " ranks, " << rounds << " rounds: the first cells are " << *failure;
    }
  }
}

// A fold of a copy: its result is cut as the copy is, not as what that was copied from.
std::string fold_of_a_copy() {
  std::vector<double> data(165);
  for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<double>(k);
  const np::Array a = np::array(data).reshape({1, 11, 15});
  const np::Array c = a(all, slice(4, {}, 2), slice(2, {}));
  const std::vector<double> g = np::max(c.astype(DType::Float64), {0}).to_vector<double>();
  for (std::size_t i = 0; i < g.size(); ++i) {
    const std::size_t row = 4 + 2 * (i / 13), column = 2 + i % 13;
    if (g[i] != data[15 * row + column]) return "cell " + std::to_string(i) + " is " + std::to_string(g[i]);
  }
  return "";
}

TEST(FoundPrograms, FoldsOfCopiesAreCutAsTheirResultsAre) {
  for (const int ranks : {1, 2, 3, 5}) {
    for (const int processors : {1, 2}) {
      const auto failure =
          failure_on({.ranks = ranks, .processors_per_rank = processors, .split_bytes = 389}, fold_of_a_copy);
      EXPECT_FALSE(failure) << ranks << " ranks of " << processors << ": " << *failure;
    }
  }
}

// The sum of a small array, which lies with one processor, is read by all of a larger one's.
TEST(FoundPrograms, NumbersOfSmallArraysAreOnAllProcessors) {
  for (const int processors : {2, 3}) {
    const auto failure =
        failure_on({.processors_per_rank = processors, .split_bytes = 58, .window = 2}, []() -> std::string {
          std::vector<std::int32_t> data(13);
          for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<std::int32_t>(k);
          np::Array a = np::array(data);
          const np::Array c = np::full({13, 1}, 6.0);
          a(slice({}, {}, -1)) = a;
          const np::Array d = np::sum(a);
          const double g = np::sum(c + d(np::newaxis, np::newaxis)).item<double>();
          return g == 13 * (6 + 78) ? "" : "the sum is " + std::to_string(g);
        });
    EXPECT_FALSE(failure) << processors << " processors: " << *failure;
  }
}

// A diagonal of an array that is cut along both axes: no point lies with the cell that it sees.
std::string diagonals(std::int64_t rows, std::int64_t columns) {
  const auto cell = [](std::int64_t i, std::int64_t j) { return static_cast<double>(10 * i + j + 1); };
  const np::Array one = 10.0 * np::arange(static_cast<double>(rows))(all, np::newaxis);
  const np::Array a = one + np::arange(static_cast<double>(columns)) + 1.0;
  const std::vector<double> seen = np::diag(a).to_vector<double>(), doubled = (np::diagonal(a) * 2).to_vector<double>();
  const double trace = np::trace(a).item<double>();
  np::Array filled = a.copy();
  np::fill_diagonal(filled, 0.5);
  const std::vector<double> cells = filled.to_vector<double>();
  double sum = 0;
  for (std::int64_t i = 0; i < std::min(rows, columns); ++i) {
    const auto place = static_cast<std::size_t>(i);
    if (seen[place] != cell(i, i)) return "cell " + std::to_string(i) + " is " + std::to_string(seen[place]);
    if (doubled[place] != 2 * cell(i, i)) return "doubled it is " + std::to_string(doubled[place]);
    sum += cell(i, i);
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      if (cells[static_cast<std::size_t>(i * columns + j)] != (i == j ? 0.5 : cell(i, j)))
        return "filled, cell " + std::to_string(i) + ", " + std::to_string(j) + " is wrong";
    }
  }
  return trace == sum ? "" : "the trace is " + std::to_string(trace);
}

TEST(FoundPrograms, DiagonalsOfArraysThatAreCutAlongBothAxes) {
  for (const auto& [rows, columns] : {std::pair{2, 2}, {4, 4}, {3, 5}, {5, 3}}) {
    for (const int ranks : {4, 6, 8, 9}) {
      const auto failure = failure_on({.ranks = ranks, .split_bytes = 1},
                                      [rows = rows, columns = columns] { return diagonals(rows, columns); });
      EXPECT_FALSE(failure) << rows << " x " << columns << " on " << ranks << " ranks: " << *failure;
    }
  }
}

// Each round turns one array and compares it with another one, which is added to by what comes of it: the window went
// round in a circle for what that is computed of.
std::string compared_with_what_turns(int rounds) {
  std::vector<double> cells(64, -1.0), turned(143);
  for (std::size_t k = 0; k < turned.size(); ++k) turned[k] = static_cast<double>(k % 7);
  np::Array a = np::full({8, 8}, -1.0), b = np::array(turned).reshape({11, 13});
  for (int round = 0; round < rounds; ++round) {
    b[all] = b(slice({}, {}, -1), slice({}, {}, -1));
    a[all] += (a.T() != b(slice(2, 10), slice(10, 2, -1)));
    std::reverse(turned.begin(), turned.end());
    const std::vector<double> before = cells;
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t j = 0; j < 8; ++j) cells[i * 8 + j] += before[j * 8 + i] != turned[(i + 2) * 13 + 10 - j];
    }
  }
  return a.to_vector<double>() == cells ? "" : "cells are wrong";
}

TEST(FoundPrograms, AnArrayIsAddedToByWhatItIsTurned) {
  for (const int ranks : {1, 2, 3}) {
    for (const int rounds : {2, 3, 8}) {
      for (const std::int64_t split_bytes : {64, 255092}) {
        const auto failure = failure_on({.ranks = ranks, .split_bytes = split_bytes},
                                        [rounds] { return compared_with_what_turns(rounds); });
        EXPECT_FALSE(failure) << rounds << " rounds on " << ranks << " ranks: " << *failure;
      }
    }
  }
}

}  // namespace
}  // namespace pilum::random_programs
