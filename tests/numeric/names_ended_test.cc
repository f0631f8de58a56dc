// Values that nobody holds are not made, on several ranks either, which ask one another. When a name ends is each
// rank's own: what holds on one is held for all.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr std::int64_t kRows = 240, kColumns = 18;
constexpr int kSteps = 24;

// A scheme of fluxes, `u -= 0.25 * (f - roll(f, 1))`, with a value that is written again and one of which half is used.
// What it computes on the way is shown to `see`.
template <class See>
std::vector<double> run_scheme(See see) {
  np::Array u = np::arange(static_cast<double>(kRows * kColumns)).reshape({kRows, kColumns}) % 7.0;
  for (int step = 0; step < kSteps; ++step) {
    np::Array right = np::roll(u, -1, 0);
    see(right);
    np::Array flux = np::zeros_like(u);
    flux[all] = u * right;
    flux[all] = flux * 0.5 + u;
    see(flux);
    np::Array change = flux - np::roll(flux, 1, 0);
    see(change);
    u[all] = np::fmod(u - 0.25 * change, 8.0);
    np::Array smooth = u + np::roll(u, 1, 1);
    see(smooth);
    u(slice(0, {}, 2)) = np::fmod(smooth(slice(0, {}, 2)), 8.0);
  }
  return u.to_vector<double>();
}

double& at(std::vector<double>& cells, std::int64_t row, std::int64_t column) {
  row = (row + kRows) % kRows;
  column = (column + kColumns) % kColumns;
  return cells[static_cast<std::size_t>(row * kColumns + column)];
}

std::vector<double> run_scheme_naively() {
  std::vector<double> u(kRows * kColumns), flux(u.size()), smooth(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = static_cast<double>(i % 7);
  const auto each = [](auto body) {
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (std::int64_t column = 0; column < kColumns; ++column) body(row, column);
    }
  };
  for (int step = 0; step < kSteps; ++step) {
    each([&](auto i, auto j) { at(flux, i, j) = at(u, i, j) * at(u, i + 1, j) * 0.5 + at(u, i, j); });
    each([&](auto i, auto j) {
      at(u, i, j) = std::fmod(at(u, i, j) - 0.25 * (at(flux, i, j) - at(flux, i - 1, j)), 8.0);
    });
    each([&](auto i, auto j) { at(smooth, i, j) = at(u, i, j) + at(u, i, j - 1); });
    each([&](auto i, auto j) {
      if (i % 2 == 0) at(u, i, j) = std::fmod(at(smooth, i, j), 8.0);
    });
  }
  return u;
}

void drop(const np::Array&) {}

// Of all ranks' tasks, where nothing is held.
std::int64_t moved_bytes(int ranks, bool gpus) {
  fakes::SimulatedRanks machine{.ranks = ranks, .gpus = gpus};
  machine.split_bytes = gpus ? 4 : 64;
  machine.show_stats = true;
  std::atomic<std::int64_t> moved = 0;
  const std::vector<double> expected = run_scheme_naively();
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
    EXPECT_EQ(run_scheme(drop), expected) << ranks << " ranks";
    moved += session.moved_bytes();
  });
  return moved;
}

TEST(NamesEnded, RanksMoveAsFewBytesAsOneDoes) {
  const std::int64_t one = moved_bytes(1, false);
  for (const int ranks : {2, 3}) {
    const std::int64_t all = moved_bytes(ranks, false);
    EXPECT_LT(static_cast<double>(all), 1.25 * static_cast<double>(one)) << ranks << " ranks";
  }
}

TEST(NamesEnded, RanksOfAGpuMoveAsFewBytesAsOneDoes) {
  EXPECT_LT(static_cast<double>(moved_bytes(2, true)), 1.25 * static_cast<double>(moved_bytes(1, true)));
}

// Held for some of the steps, by this rank.
class SchemeKeeper {
 public:
  explicit SchemeKeeper(unsigned seed) : dice_(seed) {}
  void operator()(const np::Array& value) {
    if (dice_() % 4 == 0) kept_.push_back(value);
    while (!kept_.empty() && dice_() % 3 == 0) kept_.pop_front();
  }

 private:
  std::mt19937 dice_;
  std::deque<np::Array> kept_;
};

TEST(NamesEnded, WhenIsEachRanksOwn) {
  const std::vector<double> expected = run_scheme_naively();
  for (const int ranks : {2, 3, 5}) {
    for (const int who : {-1, 0, ranks - 1}) {  // all ranks, or one
      for (const int window : {0, 7}) {
        fakes::SimulatedRanks machine{.ranks = ranks, .seed = static_cast<std::uint64_t>(10 * ranks + who + 1)};
        machine.window = window;
        machine.interpret = true;
        SCOPED_TRACE(testing::Message() << ranks << " ranks, names held by " << who << ", windows of " << window);
        fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
          SchemeKeeper keeper(static_cast<unsigned>(100 * ranks + session.rank()));
          EXPECT_EQ(who < 0 || who == session.rank() ? run_scheme(keeper) : run_scheme(drop), expected);
        });
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

// Names that end on all ranks, but on each at another call, are read for the last time by all.
TEST(NamesEnded, WhatAllHoldIsThere) {
  for (const int ranks : {2, 3}) {
    fakes::run_on_simulated_ranks({.ranks = ranks, .interpret = true}, [&](scheduler::Session&) {
      std::vector<np::Array> kept;
      const std::vector<double> found = run_scheme([&](const np::Array& value) {
        if (kept.size() < 6) kept.push_back(value);
      });
      EXPECT_EQ(found, run_scheme_naively());
      // right, flux, change, smooth; right, flux: of the steps' first values.
      std::vector<double> right = kept[0].to_vector<double>(), flux = kept[1].to_vector<double>();
      for (std::int64_t row = 0; row < kRows; ++row) {
        for (std::int64_t column = 0; column < kColumns; ++column) {
          const auto first = [](std::int64_t i, std::int64_t j) {
            return static_cast<double>((i % kRows * kColumns + j) % 7);
          };
          EXPECT_EQ(at(right, row, column), first(row + 1, column));
          EXPECT_EQ(at(flux, row, column), first(row, column) * first(row + 1, column) * 0.5 + first(row, column));
        }
      }
    });
  }
}

}  // namespace
}  // namespace pilum
