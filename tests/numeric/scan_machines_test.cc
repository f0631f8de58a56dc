// Scans of lines that are cut among processors, or shared by cores, on simulated machines.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;

struct ScanMachine {
  int ranks, processors, workers;
};

class ScansOnMachines : public testing::TestWithParam<ScanMachine> {};

// What cumsum gives of cells along one axis.
std::vector<double> sums_by_blocks(const std::vector<double>& cells) {
  std::vector<double> sums(cells.size());
  double before = -0.0, within = -0.0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0 && i % 1024 == 0) {
      before += within;
      within = -0.0;
    }
    within += cells[i];
    sums[i] = before + within;
  }
  return sums;
}

std::vector<double> drawn_cells(std::size_t count, std::uint64_t seed) {
  std::vector<double> cells(count);
  for (double& cell : cells) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    cell = static_cast<double>(static_cast<std::int64_t>(seed >> 20)) * 1e-9 - 500;
  }
  return cells;
}

void check_scans() {
  constexpr std::int64_t kCells = 70 * 1024 + 331;
  const std::vector<double> line = drawn_cells(kCells, 7), other = drawn_cells(kCells, 8);
  const std::vector<double> sums = sums_by_blocks(line), other_sums = sums_by_blocks(other);
  const np::Array a = np::array(line) + 0.0, b = np::array(other) + 0.0;
  EXPECT_EQ(np::cumsum(a).to_vector<double>(), sums);
  const np::Array rows = np::stack({a, b}), columns = np::stack({a, b}, 1);
  const np::Array along_rows = np::cumsum(rows, 1), along_columns = np::cumsum(columns, 0);
  EXPECT_EQ(along_rows(0).to_vector<double>(), sums);
  EXPECT_EQ(along_rows(1).to_vector<double>(), other_sums);
  EXPECT_EQ(along_columns(np::all, 0).to_vector<double>(), sums);
  EXPECT_EQ(along_columns(np::all, 1).to_vector<double>(), other_sums);
  const np::Array backwards = np::cumsum(np::array(line)(np::slice({}, {}, -1)));
  EXPECT_EQ(backwards.to_vector<double>(), sums_by_blocks({line.rbegin(), line.rend()}));
  const np::Array most = np::accumulate(np::maximum, a);
  EXPECT_EQ(most(-1).item<double>(), *std::max_element(line.begin(), line.end()));
  np::Array part = a(np::slice(5, -3));  // written into what is read
  part[np::all] = np::cumsum(part);
  EXPECT_EQ(part.to_vector<double>(), sums_by_blocks({line.begin() + 5, line.end() - 3}));
  np::Array counts = np::ones(kCells, int64);  // again and again: plans are made again
  for (int round = 0; round < 5; ++round) counts = np::cumsum(counts) - np::arange(kCells);
  EXPECT_TRUE(np::array_equal(counts, np::ones(kCells, int64)));
  // Lines enough for all: none is cut.
  const np::Array square = np::arange(120 * 90, float64).reshape({120, 90});
  for (const int axis : {0, 1}) {
    const np::Array scanned = np::cumsum(square, axis);
    EXPECT_TRUE(np::array_equal(np::diff(scanned, 1, axis),
                                axis == 0 ? square(np::slice(1, {})) : square(np::all, np::slice(1, {}))));
  }
  const np::Array diagonal = np::diagonal(square, 3);
  EXPECT_TRUE(np::array_equal(diagonal, np::arange(87) * 91 + 3));
}

TEST_P(ScansOnMachines, HaveTheSameBitsOnEach) {
  fakes::SimulatedRanks machine;
  machine.ranks = GetParam().ranks;
  machine.processors_per_rank = GetParam().processors;
  machine.workers = GetParam().workers;
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { check_scans(); });
}

INSTANTIATE_TEST_SUITE_P(Machines, ScansOnMachines,
                         testing::Values(ScanMachine{1, 1, 0}, ScanMachine{1, 1, 2}, ScanMachine{2, 1, 0},
                                         ScanMachine{3, 1, 2}, ScanMachine{2, 2, 0}, ScanMachine{4, 1, 0}));

}  // namespace
}  // namespace pilum
