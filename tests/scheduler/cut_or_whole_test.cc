// Which loops' arrays are cut over GPUs, and which come together on one; in plans for H200s, where nothing is run.
#include <cstddef>
#include <set>

#include <gtest/gtest.h>

#include "runtime/base/config.h"
#include "scheduler/session/calls_planned_anew.h"
#include "tests/scheduler/array_programs.h"
#include "tests/scheduler/plans.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

fakes::SimulatedRanks h200s(int count) {
  fakes::SimulatedRanks machine = machine_of(1, count);
  machine.split_bytes = 20 << 20;
  machine.gpus = true;
  machine.seed = 3;  // pieces have edges where that is worth it
  machine.memory_bandwidth = 4.8e12;
  machine.message_latency = 10e-6;
  machine.message_bandwidth = 300e9;
  machine.direct_after = Config{}.direct_after;
  return machine;
}

std::size_t processors_that_compute(const Plan& plan) {
  std::set<int> processors;
  for (const Instruction& instruction : plan.instructions) {
    if (std::holds_alternative<Launch>(instruction.what)) processors.insert(instruction.processor);
  }
  return processors.size();
}

// Its first bodies are planned anew, 180 operations each, which was taken for what each round would cost.
TEST(CutOrWhole, ALongLoopStaysCutFromItsFirstWindowsOn) {
  for (const int gpus : {2, 4}) {
    fakes::PlanningSession session(h200s(gpus), 0);
    const programs::Step step = programs::lattice(2048);
    for (int round = 0; round < 12; ++round) {
      for (int k = 0; k < 5; ++k) step();
      EXPECT_EQ(processors_that_compute(session.take_plan()), static_cast<std::size_t>(gpus)) << round;
    }
  }
}

// Shortest ways of all pairs: each round adds another row and column, and is planned anew where they are cut.
TEST(CutOrWhole, RoundsThatSeeOtherRowsComeTogether) {
  constexpr std::int64_t kSize = 4000;
  fakes::PlanningSession session(h200s(2), 0);
  np::Array ways = np::ones({kSize, kSize});
  const auto round = [&](std::int64_t k) {
    ways[all] = np::minimum(ways, ways(all, slice(k, k + 1)) + ways(slice(k, k + 1), all));
  };
  round(0);
  EXPECT_EQ(processors_that_compute(session.take_plan()), 2u);
  std::int64_t k = 1;
  for (; k < 700; ++k) round(k);
  session.take_plan();
  for (; k < 720; ++k) round(k);
  EXPECT_EQ(processors_that_compute(session.take_plan()), 1u);
}

// Oscillators that all see all: of the pairs nothing is in memory, and what is cut are the bodies' few cells, half of
// which go to the other GPU in each step.
TEST(CutOrWhole, PairsOfFewBodiesComeTogether) {
  constexpr std::int64_t kBodies = 2048;
  fakes::PlanningSession session(h200s(2), 0);
  np::Array phase = np::arange(0.0, static_cast<double>(kBodies));
  const auto steps = [&](int count) {
    for (int k = 0; k < count; ++k) phase = phase + 0.01 * np::sum(np::sin(phase - phase.reshape({kBodies, 1})), 1);
  };
  steps(40);
  EXPECT_EQ(processors_that_compute(session.take_plan()), 2u);
  for (int round = 0; round < 40; ++round) {
    steps(20);
    session.take_plan();
  }
  steps(20);
  EXPECT_EQ(processors_that_compute(session.take_plan()), 1u);
}

// GPUs that are slow to tell each other: once that is known, one computes all.
TEST(CutOrWhole, WhatCostsMoreCutComesTogetherOnce) {
  fakes::SimulatedRanks machine = h200s(4);
  machine.message_latency = 300e-6;
  fakes::PlanningSession session(machine, 0);
  const programs::Step step = programs::lattice(2048);
  int changes = 0;
  std::size_t before = 4;
  for (int round = 0; round < 300; ++round) {
    for (int k = 0; k < 4; ++k) step();
    const std::size_t now = processors_that_compute(session.take_plan());
    changes += now != before;
    before = now;
  }
  EXPECT_EQ(before, 1u);
  EXPECT_LE(changes, 3);
}

struct Recorded : testing::Test {
  WindowRecorder recorder;
  np::Array a = np::zeros({40, 50}), b = np::zeros({40, 50});
  CallsPlannedAnew calls;
  bool add() {
    calls.add(recorder.operations);
    return calls.goes_on();
  }
};

using CallsPlannedAnewTest = Recorded;

TEST_F(CallsPlannedAnewTest, AFunctionOfManyArraysDoesNotGoOn) {
  recorder.begin_window();
  for (int call = 0; call < 500; ++call) b(slice(1, {}), all) = a(slice({}, -1), all) + 1.0;
  EXPECT_FALSE(add());
}

TEST_F(CallsPlannedAnewTest, RowAfterRowGoesOn) {
  recorder.begin_window();
  for (std::int64_t row = 0; row < 40; ++row) {
    b(row, all) += a(row, all);
    EXPECT_EQ(add(), row >= 31) << row;
    if (row % 8 == 7) calls.note_found();
    recorder.begin_window();
  }
}

TEST_F(CallsPlannedAnewTest, WindowsInARowGoOnUntilOneIsFound) {
  recorder.begin_window();
  b += a;
  for (int window = 1; window < 12; ++window) EXPECT_FALSE(add()) << window;
  EXPECT_TRUE(add());
  calls.note_found();
  EXPECT_FALSE(add());
}

}  // namespace
}  // namespace pilum::scheduler
