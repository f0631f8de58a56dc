// Bodies that issue their launches themselves, in loops that GPUs get as graphs.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;

constexpr std::int64_t kLoopRows = 64, kLoopColumns = 1024, kLoopCells = kLoopRows * kLoopColumns, kLoopBins = 64,
                       kLoopPrime = 1009;
constexpr int kLoopSteps = 16;

std::int64_t first_loop_cell(std::int64_t k) {
  return k * 7919 % kLoopPrime;
}

// The same, cell by cell.
struct CellLoop {
  std::vector<std::int64_t> x = std::vector<std::int64_t>(kLoopCells), bins = std::vector<std::int64_t>(kLoopBins);
  CellLoop() {
    for (std::int64_t k = 0; k < kLoopCells; ++k) x[static_cast<std::size_t>(k)] = first_loop_cell(k);
  }
  void step() {
    std::vector<std::int64_t> sorted = x, next(kLoopCells);
    std::int64_t line = 0;
    for (std::size_t row = 0; row < kLoopRows; ++row) {
      const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(row * kLoopColumns);
      std::sort(begin, begin + kLoopColumns);
      std::int64_t sum = 0;
      for (std::size_t k = row * kLoopColumns; k < (row + 1) * kLoopColumns; ++k) {
        line += x[k];
        sum += x[k];
        next[k] = (sum + sorted[k] + line) % kLoopPrime;
      }
    }
    for (const std::int64_t cell : x) bins[static_cast<std::size_t>(cell % kLoopBins)] += cell;
    x = next;
  }
};

TEST(GraphsOfCalls, ScansSortsAndScattersOfALoopHaveItsCells) {
  CellLoop wanted;
  for (int step = 0; step < kLoopSteps; ++step) wanted.step();
  for (const int gpus : {1, 3}) {
    fakes::SimulatedRanks machine{.ranks = 1, .processors_per_rank = gpus, .window = 12, .gpus = true};
    machine.split_bytes = 4096;
    SCOPED_TRACE(testing::Message() << gpus << " GPUs");
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
      np::Array x = (np::arange(kLoopCells) * 7919 % kLoopPrime).reshape({kLoopRows, kLoopColumns});
      np::Array bins = np::zeros(kLoopBins, np::int64);
      for (int step = 0; step < kLoopSteps; ++step) {
        const np::Array cells = x.reshape({kLoopCells});
        np::add_at(bins, cells % kLoopBins, cells);
        x = (np::cumsum(x, 1) + np::sort(x, 1) + np::cumsum(cells).reshape({kLoopRows, kLoopColumns})) % kLoopPrime;
      }
      EXPECT_EQ(x.to_vector<std::int64_t>(), wanted.x);
      EXPECT_EQ(bins.to_vector<std::int64_t>(), wanted.bins);
      EXPECT_GT(session.profile().counters.graphs.get(), 0);
    });
  }
}

// Products and transforms are parts of graphs where the driver takes them; where it does not, of none, with the same
// cells.
TEST(GraphsOfCalls, ProductsAndTransformsOfALoopAreThereWhereTheDriverTakesThem) {
  std::vector<double> wanted;
  for (const bool captures : {true, false}) {
    for (const int gpus : {1, 2}) {
      SCOPED_TRACE(testing::Message() << gpus << " GPUs, " << (captures ? "graphs" : "none"));
      fakes::SimulatedRanks machine{.ranks = 1, .processors_per_rank = gpus, .window = 12, .gpus = true};
      machine.split_bytes = 1024;
      machine.captures = captures;
      fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
        const np::Array turn = (np::arange(32 * 32) % 3 - 1).reshape({32, 32}).astype(np::float64);
        np::Array x = (np::arange(32 * 32) % 7).reshape({32, 32}).astype(np::float64);
        for (int step = 0; step < kLoopSteps; ++step) {
          x = np::matmul(np::matmul(x, turn), turn.T()) % 5.0;  // whole numbers
          const np::Array back = np::fft::irfft(np::fft::rfft(x, {}, 1), 32, 1);
          x = np::rint(back + x);
          session.flush();
        }
        const std::vector<double> cells = x.to_vector<double>();
        if (wanted.empty()) wanted = cells;
        EXPECT_EQ(cells, wanted);
        EXPECT_EQ(session.profile().counters.graphs.get() > 0, captures);
      });
    }
  }
}

}  // namespace
}  // namespace pilum
