// Points' coordinates, column by column, against plain loops: reads of any columns, of rows beside, writes that join
// one task or not, whole updates between them. Values are small whole numbers. PILUM_TEST_SEED chooses.
#include <algorithm>
#include <cstdint>
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

// Two arrays of rows of few cells, and what they should hold.
class Points {
 public:
  Points(std::uint64_t seed, std::int64_t rows, std::int64_t columns) : random_(seed), rows_(rows), columns_(columns) {
    for (int which = 0; which < 2; ++which) {
      arrays_.push_back((np::arange(rows * columns) % 7 - 3).reshape({rows, columns}).astype(np::float64));
      cells_.emplace_back();
      for (std::int64_t i = 0; i < rows * columns; ++i) cells_.back().push_back(static_cast<double>(i % 7 - 3));
    }
  }

  void step() {
    const int to = below(2), a = below(2), b = below(2);
    const std::int64_t j = below(columns_), k = below(columns_), l = below(columns_);
    switch (below(6)) {
      case 0: {  // neighbouring rows too
        arrays_[at(to)](slice(1, {}), j) = arrays_[at(a)](slice(0, -1), k) - arrays_[at(b)](slice(1, {}), l);
        std::vector<double> values;
        for (std::int64_t i = 1; i < rows_; ++i) values.push_back(cell(a, i - 1, k) - cell(b, i, l));
        for (std::int64_t i = 1; i < rows_; ++i) cell(to, i, j) = values[static_cast<std::size_t>(i - 1)];
        break;
      }
      case 1:
        arrays_[at(to)] += 1.0;
        for (double& value : cells_[at(to)]) value += 1;
        break;
      case 2: {
        auto sum = np::sum(arrays_[at(a)], 1);
        arrays_[at(to)](all, j) = np::minimum(sum, 9.0);
        for (std::int64_t i = 0; i < rows_; ++i) {
          double of_row = 0;
          for (std::int64_t m = 0; m < columns_; ++m) of_row += cell(a, i, m);
          cell(to, i, j) = std::min(of_row, 9.0);
        }
        break;
      }
      default:
        arrays_[at(to)](all, j) = np::clip(arrays_[at(a)](all, k) - arrays_[at(b)](all, l), -5.0, 5.0);
        for (std::int64_t i = 0; i < rows_; ++i) cell(to, i, j) = std::clamp(cell(a, i, k) - cell(b, i, l), -5.0, 5.0);
    }
  }

  void expect_cells() const {
    for (int which = 0; which < 2; ++which) EXPECT_EQ(arrays_[at(which)].to_vector<double>(), cells_[at(which)]);
  }

 private:
  static std::size_t at(int which) { return static_cast<std::size_t>(which); }
  int below(std::int64_t n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  double& cell(int which, std::int64_t i, std::int64_t j) {
    return cells_[at(which)][static_cast<std::size_t>(i * columns_ + j)];
  }

  std::mt19937_64 random_;
  const std::int64_t rows_, columns_;
  std::vector<np::Array> arrays_;
  std::vector<std::vector<double>> cells_;
};

// Both columns are one task's. The second one's new memory, in which no cell was valid yet, was given back when the
// first one's cells were noted.
TEST(Columns, AColumnWrittenToASecondInstanceStaysThere) {
  constexpr std::int64_t kRows = 20;
  fakes::run_on_simulated_ranks({}, [](scheduler::Session&) {
    auto a = np::arange(3 * kRows).reshape({kRows, 3}).astype(np::float64), b = a * 2.0;
    a += 1.0;
    b += 1.0;
    a(slice(1, {}), 1) = a(slice(0, -1), 0) - a(slice(1, {}), 0);
    a(slice(1, {}), 0) = b(slice(0, -1), 1) - a(slice(1, {}), 0);
    const std::vector<double> cells = a.to_vector<double>();
    for (std::int64_t i = 1; i < kRows; ++i) {
      EXPECT_EQ(cells[static_cast<std::size_t>(3 * i + 1)], -3);
      EXPECT_EQ(cells[static_cast<std::size_t>(3 * i)], static_cast<double>(2 * (3 * (i - 1) + 1) + 1 - (3 * i + 1)));
    }
  });
}

TEST(Columns, OfShortRowsAreAsPlainLoopsLeaveThem) {
  struct Machine {
    int ranks, processors, workers;
    bool gpus;
  };
  constexpr Machine kMachines[] = {{1, 1, 2, false}, {2, 1, 0, false}, {1, 3, 0, true}, {2, 2, 0, true}};
  scheduler::for_each_seed(24, [&](std::uint64_t seed) {
    const Machine& of = kMachines[seed % std::size(kMachines)];
    fakes::SimulatedRanks machine;
    machine.ranks = of.ranks;
    machine.processors_per_rank = of.processors;
    machine.workers = of.workers;
    machine.gpus = of.gpus;
    fakes::run_on_simulated_ranks(machine, [seed](scheduler::Session&) {
      Points points(seed, 5 + static_cast<std::int64_t>(seed % 60), 2 + static_cast<std::int64_t>(seed / 60 % 4));
      for (int round = 0; round < 4; ++round) {
        for (int step = 0; step < 12; ++step) points.step();
        points.expect_cells();
      }
    });
  });
}

}  // namespace
}  // namespace pilum
