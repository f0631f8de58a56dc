// The program's own memory as arrays, and arrays' memory for the program, inside a program of MPI's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pilum/mpi.h>
#include <pilum/pilum.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/embedding/host_program.h"

namespace pilum::test {
namespace {

namespace np = pilum::numeric;
using np::slice;
using testing::HasSubstr;

constexpr std::int64_t kRows = 37, kColumns = 29;
constexpr std::int64_t kCut = 15;  // rank 0 has the rows before it

double start(std::int64_t i, std::int64_t j) {
  return static_cast<double>((i * 31 + j * 17) % 23);
}

// Jacobi's sweeps by hand, on the whole.
std::vector<double> sweep_by_hand(int steps) {
  std::vector<double> grid(kRows * kColumns);
  const auto at = [](std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i * kColumns + j); };
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) grid[at(i, j)] = start(i, j);
  }
  for (int step = 0; step < steps; ++step) {
    std::vector<double> next = grid;
    for (std::int64_t i = 1; i + 1 < kRows; ++i) {
      for (std::int64_t j = 1; j + 1 < kColumns; ++j)
        next[at(i, j)] = 0.25 * (grid[at(i - 1, j)] + grid[at(i + 1, j)] + grid[at(i, j - 1)] + grid[at(i, j + 1)]);
    }
    grid = next;
  }
  return grid;
}

void sweep(np::Array& grid, int steps) {
  auto inner = grid(slice(1, -1), slice(1, -1));
  const auto north = grid(slice(0, -2), slice(1, -1)), south = grid(slice(2, {}), slice(1, -1));
  const auto west = grid(slice(1, -1), slice(0, -2)), east = grid(slice(1, -1), slice(2, {}));
  for (int step = 0; step < steps; ++step) inner[np::all] = 0.25 * (north + south + west + east);
}

// A rank's rows in a larger buffer of the program's, off any line, with gaps between rows.
struct HostBlock {
  static constexpr std::int64_t kPitch = kColumns + 6, kAhead = 3;
  std::int64_t lo, hi;
  std::vector<double> memory;

  HostBlock(std::int64_t lo, std::int64_t hi)
      : lo(lo), hi(hi), memory(static_cast<std::size_t>(kAhead + (hi - lo) * kPitch), -777) {
    for (std::int64_t i = lo; i < hi; ++i) {
      for (std::int64_t j = 0; j < kColumns; ++j) at(i, j) = start(i, j);
    }
  }
  double* first() { return memory.data() + kAhead; }
  double& at(std::int64_t i, std::int64_t j) { return first()[(i - lo) * kPitch + j]; }
  Box box() const { return Box({lo, 0}, {hi, kColumns}); }
  long spoilt_gaps() {
    long count = 0;
    for (std::size_t k = 0; k < memory.size(); ++k) {
      const auto place = static_cast<std::int64_t>(k) - kAhead;
      if (place < 0 || place % kPitch >= kColumns) count += memory[k] != -777;
    }
    return count;
  }
};

void expect_holds(HostBlock& block, const std::vector<double>& whole) {
  for (std::int64_t i = block.lo; i < block.hi; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j)
      ASSERT_EQ(block.at(i, j), whole[static_cast<std::size_t>(i * kColumns + j)]) << i << ", " << j;
  }
  ASSERT_EQ(block.spoilt_gaps(), 0);
}

// Two of three ranks lend their rows, a stencil runs, and each reads its memory.
TEST(FromLocal, AStencilOverBlocksOfTwoOfThreeRanks) {
  const Subset subset(world_rank() < 2);
  if (!subset) return;
  HostBlock block(world_rank() == 0 ? 0 : kCut, world_rank() == 0 ? kCut : kRows);
  const pilum::Runtime runtime(subset.get());
  auto grid = np::from_local(block.first(), {HostBlock::kPitch, 1}, block.box(), {kRows, kColumns});
  {
    const np::Local local = grid.local();
    ASSERT_EQ(local.size(), 1u);
    EXPECT_EQ(local[0].data(), block.first());  // no copy: the address is the program's
    EXPECT_EQ(local[0].box(), block.box());
    EXPECT_EQ(local[0].stride(0), HostBlock::kPitch);
  }
  sweep(grid, 25);
  const_cast<pilum::Runtime&>(runtime).wait();
  expect_holds(block, sweep_by_hand(25));
  sweep(grid, 30);  // as a replayed plan
  EXPECT_EQ(grid.to_vector<double>(), sweep_by_hand(55));
  {
    const np::Local local = grid.local();
    EXPECT_EQ(local[0].data(), block.first());
    expect_holds(block, sweep_by_hand(55));
    const auto cells = local[0].cells<const double, 2>();
    EXPECT_EQ(cells(block.lo, 3), block.at(block.lo, 3));
    EXPECT_EQ(&cells(block.hi - 1, 5), &block.at(block.hi - 1, 5));
  }
}

TEST(FromLocal, TheEndOfTheRuntimeBringsTheValuesHome) {
  HostBlock block(kRows * world_rank() / world_size(), kRows * (world_rank() + 1) / world_size());
  {
    const pilum::Runtime runtime(MPI_COMM_WORLD);
    auto grid = np::from_local(block.first(), {HostBlock::kPitch, 1}, block.box(), {kRows, kColumns});
    sweep(grid, 12);  // its handles are gone before it is run
  }
  expect_holds(block, sweep_by_hand(12));
}

TEST(FromLocal, WritesOfTheProgramAreSeenByAllRanks) {
  std::vector<double> memory(10, 1.0);
  const std::int64_t rank = world_rank();
  const std::int64_t n = std::int64_t{10} * world_size();
  pilum::Runtime runtime(MPI_COMM_WORLD);
  auto line = np::from_local(memory.data(), {}, Box({10 * rank}, {10 * (rank + 1)}), {n});
  const auto neighbours = [&] { return (line(slice(0, -2)) + line(slice(2, {}))).to_vector<double>(); };
  EXPECT_EQ(neighbours(), std::vector<double>(static_cast<std::size_t>(n - 2), 2.0));  // halos are there now
  {
    const np::Local local = line.local(np::Access::Write);
    ASSERT_EQ(local.size(), 1u);
    const std::span<double> cells = local[0].span<double>();
    ASSERT_EQ(cells.data(), memory.data());
    for (double& cell : cells) cell = 10.0 * static_cast<double>(rank + 1);
  }
  std::vector<double> expected;
  for (std::int64_t i = 1; i + 1 < n; ++i) {
    const std::int64_t left = (i - 1) / 10 + 1, right = (i + 1) / 10 + 1;
    expected.push_back(10.0 * static_cast<double>(left) + 10.0 * static_cast<double>(right));
  }
  EXPECT_EQ(neighbours(), expected);
}

TEST(FromLocal, TheOwnerIsKeptUntilTheMemoryIsUsedNoMore) {
  pilum::Runtime runtime(MPI_COMM_WORLD);
  auto memory = std::make_shared<std::vector<double>>(100, 1.5);
  const std::weak_ptr<std::vector<double>> alive = memory;
  const std::int64_t rank = world_rank();
  auto line = np::from_local(memory->data(), {}, Box({100 * rank}, {100 * (rank + 1)}), {100 * world_size()},
                             {.owner = memory});
  memory.reset();
  line *= 2.0;
  auto total = np::sum(line);
  line = np::Array();
  EXPECT_FALSE(alive.expired());  // it is to be computed with
  runtime.wait();
  EXPECT_TRUE(alive.expired());
  EXPECT_EQ(total.item<double>(), 300.0 * world_size());
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const pilum::Error& error) {
    return error.what();
  }
  return "none";
}

TEST(FromLocalErrors, BlocksThatMakeNoArrayAreRefusedOnAllRanksAlike) {
  std::vector<double> memory(100);
  const pilum::Runtime runtime(MPI_COMM_WORLD);
  const std::int64_t rank = world_rank();
  const std::string overlapping = error_of(
      [&] { (void)np::from_local(memory.data(), {}, Box({10 * rank}, {10 * rank + 12}), {10 * world_size() + 2}); });
  EXPECT_THAT(overlapping, HasSubstr("[from_local] rank 0 has [0:12] and rank 1 has [10:22]: both have [10:12]"));
  const std::string missing =
      error_of([&] { (void)np::from_local(memory.data(), {}, Box({10 * rank}, {10 * rank + 9}), {30}); });
  EXPECT_THAT(missing, HasSubstr("the blocks have 27 of the 30 cells of [0:30]: rank 0 has [0:9], rank 1 has [10:19]"));
  const std::string one = error_of(
      [&] { (void)np::from_local(rank == 1 ? nullptr : memory.data(), {}, Box({10 * rank}, {10 * rank + 10}), {30}); });
  EXPECT_THAT(one, HasSubstr("[from_local] rank 1: its pointer is null, for a block of 10 cells"));
  const std::string shapes = error_of(
      [&] { (void)np::from_local(memory.data(), {}, Box({10 * rank}, {10 * rank + 10}), {rank == 2 ? 31 : 30}); });
  EXPECT_THAT(shapes, HasSubstr("rank 0 says (30,) float64 and rank 2 says (31,) float64"));
  // The runtime goes on.
  auto line = np::from_local(memory.data(), {}, Box({10 * rank}, {10 * rank + 10}), {30});
  line[np::all] = 2.0;
  EXPECT_EQ(np::sum(line).item<double>(), 60.0);
}

}  // namespace
}  // namespace pilum::test
