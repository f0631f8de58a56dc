// Sorts and quantiles of arrays that are cut among processors, on simulated machines.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;

void check_sorts() {
  constexpr std::int64_t kRows = 61, kColumns = 47;
  std::vector<std::int64_t> cells(kRows * kColumns);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::int64_t>(i * 7919 % 1009);
  const np::Array a = np::array(cells).reshape({kRows, kColumns}) + 0;
  std::vector<std::int64_t> by_rows = cells, flat = cells;
  for (std::int64_t row = 0; row < kRows; ++row)
    std::sort(by_rows.begin() + row * kColumns, by_rows.begin() + (row + 1) * kColumns);
  std::sort(flat.begin(), flat.end());
  EXPECT_EQ(np::sort(a).to_vector<std::int64_t>(), by_rows);
  EXPECT_EQ(np::sort(a, {}).to_vector<std::int64_t>(), flat);
  EXPECT_EQ(np::take_along_axis(a, np::argsort(a, 0), 0).to_vector<std::int64_t>(),
            np::sort(a, 0).to_vector<std::int64_t>());
  const std::vector<std::int64_t> down = np::sort(a, 0).T().to_vector<std::int64_t>();
  for (std::int64_t column = 0; column < kColumns; ++column)
    EXPECT_TRUE(std::is_sorted(down.begin() + column * kRows, down.begin() + (column + 1) * kRows));
  const std::vector<double> medians = np::median(a, 1).to_vector<double>();
  const std::vector<double> lowest = np::quantile(a, {0.0, 1.0}, 1)(0).to_vector<double>();
  for (std::int64_t row = 0; row < kRows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    EXPECT_EQ(medians[at], static_cast<double>(by_rows[at * kColumns + kColumns / 2]));
    EXPECT_EQ(lowest[at], static_cast<double>(by_rows[at * kColumns]));
  }
  EXPECT_EQ(np::median(a).item<double>(), static_cast<double>(flat[flat.size() / 2]));
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  EXPECT_EQ(np::unique(a).to_vector<std::int64_t>(), flat);
  np::Array again = a.copy();  // plans are made again
  for (int round = 0; round < 4; ++round) again[np::all] = np::sort(again * -1, round % 2);
  EXPECT_EQ(np::sum(again).item<std::int64_t>(), np::sum(a).item<std::int64_t>());
}

// Enough cells that numbers are found by marks; and few of many drawn.
void check_marks() {
  constexpr std::int64_t kCells = 5000;
  std::vector<std::int64_t> cells(kCells), among;
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::int64_t>(i * 7919 % 2003) - 1000;
  cells[7] = INT64_MIN, cells[8] = INT64_MAX, cells[9] = -501, cells[10] = 903;
  for (std::int64_t i = -500; i < 900; i += 37) among.push_back(i % 5 ? i : -i);
  among.push_back(among.front());
  std::vector<bool> expected;
  for (const std::int64_t cell : cells) expected.push_back(std::find(among.begin(), among.end(), cell) != among.end());
  const np::Array a = np::array(cells) + 0, b = np::array(among);
  EXPECT_EQ(np::isin(a, b).to_vector<bool>(), expected);
  EXPECT_EQ(np::isin(a.reshape({50, 100}), b.astype(np::int16)).to_vector<bool>(), expected);
  EXPECT_EQ(np::isin(a, np::concatenate({b, np::array({INT64_MAX, INT64_MIN})})).to_vector<bool>(), [&] {
    std::vector<bool> more = expected;
    more[7] = more[8] = true;
    return more;
  }());
  const std::vector<std::int64_t> drawn =
      np::random::default_rng(3).choice(50'000, 400, /*replace=*/false).to_vector<std::int64_t>();
  EXPECT_EQ(np::sum(np::isin(np::arange(50'000), np::array(drawn))).item<std::int64_t>(), 400);
}

struct SortMachine {
  int ranks, processors, workers;
  bool gpus;
};
class SortsOnMachines : public testing::TestWithParam<SortMachine> {};

TEST_P(SortsOnMachines, GiveTheSameOnEach) {
  fakes::SimulatedRanks machine;
  machine.ranks = GetParam().ranks;
  machine.processors_per_rank = GetParam().processors;
  machine.workers = GetParam().workers;
  machine.gpus = GetParam().gpus;
  machine.split_bytes = 64;
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { check_sorts(); });
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { check_marks(); });
}

INSTANTIATE_TEST_SUITE_P(Machines, SortsOnMachines,
                         testing::Values(SortMachine{1, 1, 0, false}, SortMachine{1, 1, 2, false},
                                         SortMachine{2, 1, 0, false}, SortMachine{3, 1, 2, false},
                                         SortMachine{2, 2, 0, false}, SortMachine{4, 1, 0, false},
                                         SortMachine{1, 2, 0, true}, SortMachine{3, 1, 0, true}));

}  // namespace
}  // namespace pilum
