// Memory that programs lend, on machines of many shapes: random programs beside the same ones by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pilum/pilum.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/fakes/emulated_gpu.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum::test {
namespace {

namespace np = pilum::numeric;
using np::slice;
using testing::HasSubstr;

struct Layout {
  std::int64_t rows = 0, columns = 0;
  std::vector<Box> blocks;  // by rank
  bool column_major = false;
  std::int64_t gap = 0, ahead = 0;  // cells
};

enum class Step { Stencil, InPlace, Copy, Shift, Sum, Wait, Write, Borrow };
constexpr int kSteps = 8;

struct Program {
  Layout layout;
  std::vector<Step> steps;
};

Program draw(std::mt19937& dice, int ranks) {
  const auto roll = [&dice](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(dice); };
  Program program;
  Layout& layout = program.layout;
  layout.rows = roll(6, 24);
  layout.columns = roll(6, 40);
  const bool by_columns = roll(0, 1);
  const std::int64_t extent = by_columns ? layout.columns : layout.rows;
  std::vector<std::int64_t> cuts{0, extent};
  for (int rank = 1; rank < ranks; ++rank) cuts.push_back(roll(1, static_cast<int>(extent) - 1));
  std::sort(cuts.begin(), cuts.end());
  for (int rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    layout.blocks.push_back(by_columns ? Box({0, cuts[r]}, {layout.rows, cuts[r + 1]})
                                       : Box({cuts[r], 0}, {cuts[r + 1], layout.columns}));
  }
  layout.column_major = roll(0, 2) == 0;
  layout.gap = std::int64_t{roll(0, 1)} * roll(1, 5);
  layout.ahead = roll(0, 9);
  // A body of a few steps, some times over: plans are made, found again and replayed.
  std::vector<Step> body;
  for (int count = roll(1, 4); count > 0; --count) body.push_back(static_cast<Step>(roll(0, kSteps - 1)));
  for (int times = roll(1, 6); times > 0; --times) program.steps.insert(program.steps.end(), body.begin(), body.end());
  return program;
}

// The whole array by hand.
struct ByHand {
  std::int64_t rows, columns;
  std::vector<double> cells;
  double& at(std::int64_t i, std::int64_t j) { return cells[static_cast<std::size_t>(i * columns + j)]; }
  void stencil() {
    ByHand old = *this;
    for (std::int64_t i = 1; i + 1 < rows; ++i) {
      for (std::int64_t j = 1; j + 1 < columns; ++j)
        at(i, j) = 0.25 * (old.at(i - 1, j) + old.at(i + 1, j) + old.at(i, j - 1) + old.at(i, j + 1));
    }
  }
  void shift() {
    ByHand old = *this;
    for (std::int64_t i = 2; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) at(i, j) = old.at(i - 2, j);
    }
  }
};

// A rank's block in memory of its own.
class OwnBlock {
 public:
  OwnBlock(const Layout& layout, const Box& box, double* memory) : layout_(layout), box_(box), memory_(memory) {
    const std::int64_t inner = layout.column_major ? box.extent(0) : box.extent(1);
    pitch_ = inner + layout.gap;
  }
  static std::size_t cells(const Layout& layout) {
    return static_cast<std::size_t>(layout.ahead + (layout.rows + layout.gap) * (layout.columns + layout.gap));
  }
  double* first() const { return memory_ + layout_.ahead; }
  double& at(std::int64_t i, std::int64_t j) const {
    const std::int64_t a = i - box_.lo(0), b = j - box_.lo(1);
    return first()[layout_.column_major ? b * pitch_ + a : a * pitch_ + b];
  }
  np::Strides strides() const { return layout_.column_major ? np::Strides{1, pitch_} : np::Strides{pitch_, 1}; }
  template <class Visit>
  void each(Visit visit) const {
    for (std::int64_t i = box_.lo(0); i < box_.hi(0); ++i) {
      for (std::int64_t j = box_.lo(1); j < box_.hi(1); ++j) visit(i, j);
    }
  }
  long differences(ByHand& expected) const {
    long count = 0;
    each([&](std::int64_t i, std::int64_t j) { count += at(i, j) != expected.at(i, j); });
    return count;
  }

 private:
  Layout layout_;
  Box box_;
  double* memory_;
  std::int64_t pitch_ = 0;
};

void check(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

void run(const Program& program, scheduler::Session& session, const fakes::SimulatedRanks& machine) {
  const Layout& layout = program.layout;
  const Box& box = layout.blocks[static_cast<std::size_t>(session.rank())];
  std::vector<double> on_host;
  std::unique_ptr<fakes::EmulatedGpu> gpu;
  double* memory = nullptr;
  if (machine.gpus) {
    gpu = fakes::make_emulated_gpu(9, 1, std::size_t{1} << 24);
    memory = reinterpret_cast<double*>(gpu->allocate(OwnBlock::cells(layout) * sizeof(double)));
    std::fill_n(memory, OwnBlock::cells(layout), -1.0);
  } else {
    on_host.assign(OwnBlock::cells(layout), -1);
    memory = on_host.data();
  }
  const OwnBlock block(layout, box, memory);
  ByHand expected{layout.rows, layout.columns,
                  std::vector<double>(static_cast<std::size_t>(layout.rows * layout.columns))};
  for (std::int64_t i = 0; i < layout.rows; ++i) {
    for (std::int64_t j = 0; j < layout.columns; ++j) expected.at(i, j) = static_cast<double>((i * 7 + j * 3) % 11);
  }
  block.each([&](std::int64_t i, std::int64_t j) { block.at(i, j) = expected.at(i, j); });
  {
    auto grid = np::from_local(block.first(), block.strides(), box, {layout.rows, layout.columns},
                               {.memory = machine.gpus ? np::MemoryKind::Cuda : np::MemoryKind::Host});
    auto inner = grid(slice(1, -1), slice(1, -1));
    // One of ours besides, that goes the same way: plans of the one must not be taken for the other.
    auto own = np::zeros({layout.rows, layout.columns});
    for (const Step step : program.steps) {
      switch (step) {
        case Step::Stencil:
          inner[np::all] = 0.25 * (grid(slice(0, -2), slice(1, -1)) + grid(slice(2, {}), slice(1, -1)) +
                                   grid(slice(1, -1), slice(0, -2)) + grid(slice(1, -1), slice(2, {})));
          expected.stencil();
          break;
        case Step::InPlace:
          grid += 1.5;
          for (double& cell : expected.cells) cell += 1.5;
          break;
        case Step::Copy:
          own[np::all] = grid;
          own *= 2.0;
          grid[np::all] = own - grid;
          for (double& cell : expected.cells) cell = cell * 2.0 - cell;
          break;
        case Step::Shift:
          grid(slice(2, {})) = grid(slice(0, -2));
          expected.shift();
          break;
        case Step::Sum: {
          double sum = 0;
          for (const double cell : expected.cells) sum += cell;
          check(std::abs(np::sum(grid).item<double>() - sum) <= 1e-9 * std::abs(sum) + 1e-9, "the sum");
          break;
        }
        case Step::Wait:
          session.wait();
          check(block.differences(expected) == 0, "after wait");
          break;
        case Step::Write: {
          const np::Local local = grid.local(np::Access::Write);
          check(block.differences(expected) == 0, "local for writing");
          block.each(
              [&](std::int64_t i, std::int64_t j) { block.at(i, j) = block.at(i, j) + static_cast<double>(i - j); });
          for (std::int64_t i = 0; i < layout.rows; ++i) {
            for (std::int64_t j = 0; j < layout.columns; ++j) expected.at(i, j) += static_cast<double>(i - j);
          }
          break;
        }
        case Step::Borrow: {
          const auto view = grid(slice(1, {}, 2), slice({}, {}, -1));
          const np::Local local = view.local();
          for (const np::LocalPiece& piece : local) {
            const double* data = static_cast<const double*>(piece.data());
            for (std::int64_t a = 0; a < piece.box().extent(0); ++a) {
              for (std::int64_t b = 0; b < piece.box().extent(1); ++b) {
                const std::int64_t i = 1 + 2 * (piece.box().lo(0) + a),
                                   j = layout.columns - 1 - (piece.box().lo(1) + b);
                const double* cell = data + a * piece.stride(0) + b * piece.stride(1);
                check(*cell == expected.at(i, j), "a view's cell");
                check(cell == &block.at(i, j), "a view's address");
              }
            }
          }
          break;
        }
      }
    }
    check(grid.to_vector<double>() == expected.cells, "the whole");
  }
  session.wait();
  check(block.differences(expected) == 0, "at the end");
  std::int64_t spoilt = 0, inside = 0;
  for (std::size_t k = 0; k < OwnBlock::cells(layout); ++k) spoilt += memory[k] == -1.0;
  block.each([&](std::int64_t, std::int64_t) { ++inside; });
  check(static_cast<std::int64_t>(OwnBlock::cells(layout)) - spoilt <= inside, "cells between the rows were written");
}

std::string describe(const Program& program, const fakes::SimulatedRanks& machine) {
  const Layout& layout = program.layout;
  std::string text = std::to_string(layout.rows) + " x " + std::to_string(layout.columns) +
                     (layout.column_major ? ", column-major" : "") + ", gap " + std::to_string(layout.gap) + ", " +
                     std::to_string(machine.processors_per_rank) + " processors a rank, window " +
                     std::to_string(machine.window) + ", blocks";
  for (const Box& box : layout.blocks)
    text += " [" + std::to_string(box.lo(0)) + ":" + std::to_string(box.hi(0)) + ", " + std::to_string(box.lo(1)) +
            ":" + std::to_string(box.hi(1)) + "]";
  text += ", steps";
  for (const Step step : program.steps) text += " " + std::to_string(static_cast<int>(step));
  return text;
}

void run_random(bool gpus) {
  const char* given = std::getenv("PILUM_TEST_SEED");
  const unsigned first = given ? static_cast<unsigned>(std::atoi(given)) : std::random_device()();
  const char* count = std::getenv("PILUM_TEST_PROGRAMS");
  const int programs = given ? 1 : count ? std::atoi(count) : 60;
  for (int i = 0; i < programs; ++i) {
    const unsigned seed = first + static_cast<unsigned>(i);
    std::mt19937 dice(seed);
    const auto roll = [&dice](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(dice); };
    fakes::SimulatedRanks machine;
    machine.ranks = roll(1, 4);
    machine.processors_per_rank = gpus ? 1 : roll(1, 2);
    machine.split_bytes = roll(0, 2) ? 1 : 4096;
    machine.seed = seed;
    machine.window = roll(0, 2) ? 0 : roll(1, 6);
    machine.workers = roll(0, 1);
    machine.gpus = gpus;
    machine.messages_from_gpus = gpus && roll(0, 1);
    machine.share = gpus && roll(0, 1);
    const Program program = draw(dice, machine.ranks);
    try {
      fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) { run(program, session, machine); });
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << " (PILUM_TEST_SEED): " << error.what() << "; " << describe(program, machine);
    }
  }
}

TEST(LentMemory, RandomProgramsLeaveTheirValuesInTheRanksBlocks) {
  run_random(/*gpus=*/false);
}
TEST(LentMemory, RandomProgramsLeaveTheirValuesInBlocksOnEmulatedGpus) {
  run_random(/*gpus=*/true);
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const pilum::Error& error) {
    return error.what();
  }
  return "none";
}

void on_ranks(fakes::SimulatedRanks machine, const std::function<void(scheduler::Session&)>& program) {
  fakes::run_on_simulated_ranks(machine, program);
}

TEST(LentMemory, AnArrayIsTheProgramsWhileItsLocalLives) {
  on_ranks({.ranks = 2}, [](scheduler::Session&) {
    auto line = np::arange(100.0);
    auto other = np::ones(100);
    {
      const np::Local local = line.local();
      EXPECT_THAT(error_of([&] { (void)(line + other); }),
                  HasSubstr("[add] the array of shape (100,) is locked by the program"));
      EXPECT_THAT(error_of([&] { line(slice(0, 3)) = 1.0; }), HasSubstr("is locked by the program"));
      EXPECT_THAT(error_of([&] { (void)line.to_vector<double>(); }),
                  HasSubstr("[to_vector] the array of shape (100,) is locked by the program"));
      EXPECT_THAT(error_of([&] { (void)line.local(np::Access::Write); }),
                  HasSubstr("[local] the array of shape (100,) is locked by the program"));
      EXPECT_EQ(line(slice(5, 8)).local().size() + line.local().size() > 0, true);
      EXPECT_EQ(np::sum(other).item<double>(), 100.0);
    }
    EXPECT_EQ(np::sum(line + other).item<double>(), 5050.0);
  });
}

TEST(LentMemory, CellsOfOurOwnArraysAreShownWhereTheyLie) {
  on_ranks({.ranks = 3}, [](scheduler::Session& session) {
    auto line = np::arange(90.0);
    line *= 2.0;
    double sum = 0;
    std::int64_t cells = 0;
    {
      const np::Local local = line.local();
      for (const np::LocalPiece& piece : local) {
        const std::span<const double> mine = piece.span<const double>();
        EXPECT_EQ(static_cast<std::int64_t>(mine.size()), piece.box().size());
        EXPECT_EQ(mine.front(), 2.0 * static_cast<double>(piece.box().lo(0)));
        for (const double cell : mine) sum += cell;
        cells += piece.box().size();
      }
      EXPECT_EQ(cells, 30);
      EXPECT_THAT(error_of([&] { (void)local[0].span<double>(); }), HasSubstr("[local] the cells are for reading"));
      EXPECT_THAT(error_of([&] { (void)local[0].span<const float>(); }), HasSubstr("[local] the array is float64"));
      EXPECT_THAT(error_of([&] { (void)local[0].cells<const double, 2>(); }),
                  HasSubstr("[local] the array has 1 axes"));
    }
    const double lo = 30.0 * session.rank();
    EXPECT_EQ(sum, 2.0 * (30 * lo + 435));
    {
      const np::Local local = line(slice({}, {}, 3)).local(np::Access::Write);
      for (const np::LocalPiece& piece : local) {
        const auto some = piece.cells<double, 1>();
        for (std::int64_t i = piece.box().lo(0); i < piece.box().hi(0); ++i) some(i) = -1.0;
      }
    }
    std::vector<double> expected;
    for (int i = 0; i < 90; ++i) expected.push_back(i % 3 ? 2.0 * i : -1.0);
    EXPECT_EQ(line.to_vector<double>(), expected);
  });
}

TEST(LentMemory, ArraysThatAreNotCutAreWholeOnEachRankAndForReading) {
  on_ranks({.ranks = 2, .split_bytes = 1 << 20}, [](scheduler::Session&) {
    auto line = np::arange(10.0);
    EXPECT_EQ(line.local()[0].box(), Box({0}, {10}));
    EXPECT_THAT(error_of([&] { (void)line.local(np::Access::Write); }),
                HasSubstr("[local] the array of shape (10,) is small, and each of 2 processors has a copy of it"));
  });
}

TEST(LentMemoryErrors, WhatCannotBeABlockIsRefused) {
  on_ranks({.ranks = 1}, [](scheduler::Session&) {
    std::vector<double> memory(100);
    double* const data = memory.data();
    const auto refused = [&](const np::Strides& strides, const Box& block, const Shape& shape, void* at) {
      return error_of([&] { (void)np::from_local(at, strides, block, shape, np::float64); });
    };
    EXPECT_THAT(refused({}, Box({0}, {4}), {4, 4}, data),
                HasSubstr("its block [0:4] has 1 axes, the array of shape (4, 4) has 2"));
    EXPECT_THAT(refused({1}, Box({0, 0}, {4, 4}), {4, 4}, data),
                HasSubstr("its 1 strides do not fit a block of 2 axes"));
    EXPECT_THAT(refused({4, -1}, Box({0, 0}, {4, 4}), {4, 4}, data), HasSubstr("its strides (4, -1) must be positive"));
    EXPECT_THAT(refused({3, 1}, Box({0, 0}, {4, 4}), {4, 4}, data),
                HasSubstr("its strides (3, 1) put several cells of the block"));
    EXPECT_THAT(refused({}, Box({0}, {4}), {4}, nullptr), HasSubstr("its pointer is null"));
    EXPECT_THAT(refused({}, Box({0}, {4}), {4}, reinterpret_cast<char*>(data) + 4),
                HasSubstr("its pointer is no multiple of 8 bytes"));
    EXPECT_THAT(refused({}, Box({3}, {1}), {4}, data), HasSubstr("its block [3:1] ends before it begins along axis 0"));
    EXPECT_THAT(error_of([&] { (void)np::from_local(data, {}, Box({0}, {4}), {4}, {.memory = np::MemoryKind::Cuda}); }),
                HasSubstr("its block is memory of a GPU, and this Runtime's arrays live in memory of the host"));
  });
}

TEST(LentMemoryErrors, StridesWithoutNeighboursOrOfAnotherOrderAreRefused) {
  on_ranks({.ranks = 2}, [](scheduler::Session& session) {
    std::vector<double> memory(200);
    const std::int64_t rank = session.rank();
    const Box rows({4 * rank, 0}, {4 * rank + 4, 6});
    EXPECT_THAT(
        error_of([&] { (void)np::from_local(memory.data(), {12, 2}, rows, {8, 6}); }),
        HasSubstr(
            "rank 0 has the strides (12, 2): along one axis, the same on all ranks, neighbours must lie side by side"));
    EXPECT_THAT(error_of([&] {
                  (void)np::from_local(memory.data(), rank ? np::Strides{1, 4} : np::Strides{6, 1}, rows, {8, 6});
                }),
                HasSubstr("rank 0 has the strides (6, 1), rank 1 has the strides (1, 4): along one axis"));
    // A column each, of a program's rows.
    auto columns = np::from_local(memory.data(), {7, 1}, Box({0, rank}, {9, rank + 1}), {9, 2});
    columns[np::all] = 1.0;
    session.wait();
    EXPECT_EQ(memory[7 * 8], 1.0);
    EXPECT_EQ(memory[1], 0.0);
  });
}

TEST(LentMemoryErrors, HostMemoryIsNoBlockOfAnArrayOnGpus) {
  on_ranks({.ranks = 1, .gpus = true}, [](scheduler::Session&) {
    std::vector<double> memory(100);
    EXPECT_THAT(error_of([&] { (void)np::from_local(memory.data(), {}, Box({0}, {100}), {100}); }),
                HasSubstr("its block is memory of the host, and this Runtime's arrays live on GPUs"));
  });
  on_ranks({.ranks = 1, .processors_per_rank = 2, .gpus = true}, [](scheduler::Session&) {
    std::vector<double> memory(100);
    EXPECT_THAT(error_of([&] {
                  (void)np::from_local(memory.data(), {}, Box({0}, {100}), {100}, {.memory = np::MemoryKind::Cuda});
                }),
                HasSubstr("each rank has 2 GPUs, and a block is in the memory of one"));
  });
}

}  // namespace
}  // namespace pilum::test
