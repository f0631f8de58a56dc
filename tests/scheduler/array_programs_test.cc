// Programs as NumPy's users write them: how their operations are grouped, and what a step moves.
#include "tests/scheduler/array_programs.h"

#include <gtest/gtest.h>

#include "tests/scheduler/judged_recorder.h"
#include "tests/scheduler/plans.h"

namespace pilum::scheduler {
namespace {

struct Program {
  const char* name;
  programs::Step (*make)(std::int64_t n);
  std::int64_t n;
  // On one processor: tasks over more than half of an array's cells, and cells that a step loads and stores at most.
  std::size_t passes;
  std::int64_t loaded, stored;
  bool exactly;  // no more and no less
  int folds;     // to one number, of all cells
  // Cells that a step sends between two neighbours of a line of processors at most, in rows of n (of heat: of n x n).
  double rows;
};

constexpr std::int64_t square(std::int64_t x) {
  return x * x;
}
constexpr std::int64_t cube(std::int64_t x) {
  return x * x * x;
}

// What is loaded and stored is reckoned from the programs' text: an array counts once where views of it differ by a few
// cells, temporaries not at all.
constexpr std::int64_t n = 40, m = 12, large = 120;
const Program kPrograms[] = {
    {"jacobi", programs::jacobi, n, 1, square(n + 2) - 4, square(n), true, 0, 2},
    // The three arrays, and rims; of ey and ex one goes by new arrays.
    {"fdtd", programs::fdtd, n, 1, 3 * square(n) + 20 * n, 3 * square(n) + 4 * n, false, 0, 3},
    // u and v without corners, and eight rims.
    {"gray_scott", programs::gray_scott, n, 1, 2 * (square(n + 2) - 4) + 8 * (n + 2), 2 * square(n) + 8 * (n + 2), true,
     0, 16},
    // Rolls are read through: u once, and rims.
    {"torus", programs::torus, n, 1, square(n) + 20 * n, square(n) + 4 * n, false, 0, 8},
    {"heat", programs::heat, m, 2, 2 * (cube(m - 2) + 6 * square(m - 2)), 2 * cube(m - 2), true, 0, 8.4},
    // The matrix: p; two folds: r, p, w; the update: x, p, r, w; p: r, p. Stored: w, and its four rims once more, x, r,
    // p and five numbers.
    {"conjugate_gradient", programs::conjugate_gradient, n, 4, 10 * square(n) + 16 * n, 4 * square(n) + 4 * (n - 1) + 5,
     false, 3, 2},
    // Three sweeps: p is read through its copy, b, three rims.
    {"cavity", programs::cavity, n, 3, 3 * (square(n) - 4 + square(n - 2) + 3 * n), 3 * (square(n - 2) + 4 * n), true,
     0, 9},
    {"staggered_water", programs::staggered_water, n, 1, 3 * square(n) + 32 * n, 3 * square(n) + 4 * n, false, 0, 3},
    // The fluxes are computed again at each neighbour.
    {"shallow_water", programs::shallow_water, n, 1, 3 * square(n) + 12 * n, 3 * square(n) + 12 * n, false, 0, 17},
    // The new array's rims are zeros.
    {"wave", programs::wave, n, 1, square(n - 2) + square(n) - 4, square(n), true, 0, 2},
    // Each population once, by the rolls' nine parts.
    {"lattice", programs::lattice, n, 1, 9 * square(n), 9 * square(n), true, 0, 13},
    // Stages read both species, the slopes before, and the last one all; rims, in parts. Both species and six slopes go
    // both ways, and around the torus.
    {"runge_kutta", programs::runge_kutta, n, 4, 18 * square(n) + 280 * n, 8 * square(n) + 80 * n, false, 0, 32},
    // The density and the wind; these and what was predicted.
    {"maccormack", programs::maccormack, n, 2, 5 * square(n) + 24 * n, 2 * square(n) + 6 * n, false, 0, 8},
    // The density, for the step and then for the rest.
    {"limited", programs::limited, large, 2, 2 * square(large) + 80 * large, square(large) + 20 * large, false, 1, 24},
};
void PrintTo(const Program& program, std::ostream* out) {
  *out << program.name;
}

// No cache holds its arrays.
fakes::SimulatedRanks large_on(int ranks) {
  fakes::SimulatedRanks machine = machine_of(ranks);
  machine.cache_bytes = machine.split_bytes;
  return machine;
}

// What a step moves on so many processors, once everything has settled.
Moved steady_step(const Program& program, int processors) {
  JudgedRecorder recorder(JudgedRecorder::Look::Bytes, processors);
  const programs::Step step = program.make(program.n);
  for (int i = 0; i < 2; ++i) {
    step();
    static_cast<void>(recorder.end_window());
  }
  step();
  return recorder.end_window();
}

class ArrayPrograms : public testing::TestWithParam<Program> {
 protected:
  const Program& program() const { return GetParam(); }
};

TEST_P(ArrayPrograms, AStepOnOneProcessorIsFewPassesThatMoveWhatItMust) {
  const Moved moved = steady_step(program(), 1);
  const std::int64_t cells = program().make == programs::heat ? cube(program().n) : square(program().n);
  std::size_t passes = 0;
  for (const Task& task : moved.tasks) passes += 2 * task.domain.cells() > cells;
  EXPECT_EQ(passes, program().passes);
  EXPECT_LE(moved.read, 8 * program().loaded);
  EXPECT_LE(moved.written, 8 * program().stored);
  if (program().exactly) {
    EXPECT_EQ(moved.read, 8 * program().loaded);
    EXPECT_EQ(moved.written, 8 * program().stored);
  }
  EXPECT_EQ(moved.received, 0);
}

TEST_P(ArrayPrograms, EveryCellIsRightHoweverWindowsAndArraysAreCut) {
  const std::pair<int, std::size_t> machines[] = {{1, 1000}, {1, 7}, {2, 1000}, {3, 33}, {5, 1}};
  for (const auto& [processors, window] : machines) {
    SCOPED_TRACE(testing::Message() << processors << " processors, windows of " << window);
    JudgedRecorder recorder(JudgedRecorder::Look::Cells, processors, window);
    const programs::Step step = program().make(program().make == programs::heat ? 6 : 12);
    for (int i = 0; i < 2; ++i) step();
  }
}

TEST_P(ArrayPrograms, WhatFlowsBetweenNeighboursOfALineGrowsWithItsLengthAlone) {
  const std::int64_t row = program().make == programs::heat ? square(program().n) : program().n;
  for (const int processors : {2, 3, 4}) {
    const Moved moved = steady_step(program(), processors);
    EXPECT_GT(moved.received, 0);
    EXPECT_LE(static_cast<double>(moved.received), 8 * program().rows * static_cast<double>(row * (processors - 1)))
        << processors << " processors";
  }
}

// The plans of all ranks together: only what a rank loads and has not got is sent, once. Folds go up a tree and down.
TEST_P(ArrayPrograms, RanksSendTheCellsThatTheirPeersLackAndNoOthers) {
  for (const int ranks : {1, 2, 4, 64}) {
    // In a grid of ranks the lattice's rolls, of which several read one array, send 1.8 times what is lacking: not
    // found.
    if (ranks == 64 && program().make == programs::lattice) continue;
    // Where ranks have not agreed on whether a value of a stage is held, its copies may send rows of it, too: by the
    // order in which the compiler evaluates operands.
    if (program().make == programs::maccormack || program().make == programs::runge_kutta) continue;
    std::size_t sent = 0, received = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::vector<Plan> plans = plans_of(large_on(ranks), rank, [&](const Cut& cut) {
        const programs::Step step = program().make(program().n);
        for (int i = 0; i < 3; ++i) {
          step();
          cut();
        }
      });
      for (const Send* send : plans[2].all<Send>()) sent += send->bytes;
      for (const Receive* receive : plans[2].all<Receive>()) received += receive->bytes;
    }
    const std::int64_t folds = std::int64_t{16} * program().folds * (ranks - 1);
    const std::int64_t lacking = steady_step(program(), ranks).received + folds;
    EXPECT_EQ(sent, received);
    // Sixteen rows of strips, of 780 that are sent, go twice in a grid of ranks: not found either.
    const bool is_of_strips = ranks == 64 && program().make == programs::limited;
    EXPECT_EQ(static_cast<std::int64_t>(sent), lacking + (is_of_strips ? std::int64_t{8} * 16 * 15 : 0))
        << ranks << " ranks";
  }
}

// On two GPUs `fdtd` copied half of an array in each step, from where there was no room for a halo to where it was.
TEST_P(ArrayPrograms, GpusOfOneRankCopyRimsAlone) {
  const std::int64_t line = 8 * (program().make == programs::heat ? square(program().n) : program().n);
  for (const int gpus : {2, 3}) {
    fakes::SimulatedRanks machine = machine_of(1, gpus);
    machine.cache_bytes = machine.split_bytes;
    machine.gpus = true;
    const std::vector<Plan> plans = plans_of(machine, 0, [&](const Cut& cut) {
      const programs::Step step = program().make(program().n);
      for (int i = 0; i < 8; ++i) {
        step();
        cut();
      }
    });
    for (const Copy* copy : plans.back().all<Copy>()) EXPECT_LE(copy->bytes(), 2 * line) << gpus << " GPUs";
  }
}

// Conjugate gradient's numbers were on both GPUs: a step copied each of its three sums to the other.
TEST_P(ArrayPrograms, SmallOnesLeaveAllButOneGpuAlone) {
  const auto instructions_and_copies = [&](int gpus) {
    fakes::SimulatedRanks machine = machine_of(1, gpus);
    machine.split_bytes = 1 << 20;
    machine.gpus = true;
    const std::vector<Plan> plans = plans_of(machine, 0, [&](const Cut& cut) {
      const programs::Step step = program().make(program().n);
      for (int i = 0; i < 4; ++i) {
        step();
        cut();
      }
    });
    std::vector<std::pair<std::size_t, std::int64_t>> counts;
    for (const Plan& plan : plans) counts.emplace_back(plan.instructions.size(), copied_bytes(plan));
    return counts;
  };
  EXPECT_EQ(instructions_and_copies(3), instructions_and_copies(1));
}

TEST_P(ArrayPrograms, ARankInTheMiddlePlansAsMuchAmong4096AsAmong64) {
  const bool cubes = program().make == programs::heat;
  const auto instructions = [&](int ranks, int side) {
    const int middle = cubes ? side / 2 * (side * side + side + 1) : side / 2 * (side + 1);
    return plans_of(large_on(ranks), middle,
                    [&](const Cut& cut) {
                      const programs::Step step = program().make(cubes ? 256 * side : 2048 * side);
                      for (int i = 0; i < 3; ++i) {
                        step();
                        cut();
                      }
                    })[2]
        .instructions.size();
  };
  // A fold's tree is deeper, by six levels up and down.
  const std::size_t tree = static_cast<std::size_t>(program().folds) * 6 * 4;
  EXPECT_LE(instructions(4096, cubes ? 16 : 64), instructions(64, cubes ? 4 : 8) + tree);
}

INSTANTIATE_TEST_SUITE_P(All, ArrayPrograms, testing::ValuesIn(kPrograms),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace pilum::scheduler
