// Plans that were made before, made again and bound: instruction for instruction what the planner would make anew.
#include "scheduler/memo/replan.h"

#include <gtest/gtest.h>

#include "pilum/error.h"
#include "pilum/pilum.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"
#include "tests/scheduler/random_loop.h"
#include "tests/scheduler/random_program.h"
#include "tests/scheduler/random_seeds.h"
#include "tests/scheduler/symbolic_run.h"

namespace pilum::scheduler {
namespace {

using Texts = std::vector<std::string>;

// All of an instruction: also its bytes and its numbers.
Texts details_of(const Plan& plan) {
  Texts texts;
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    const Instruction& instruction = plan.instructions[i];
    std::string text = to_text(instruction, InstructionId{plan.first.value + static_cast<std::int64_t>(i)}) + " on " +
                       std::to_string(instruction.processor);
    const Accesses accesses = accesses_of(instruction);
    for (const Spans* spans : {&accesses.reads, &accesses.writes}) {
      text += ";";
      for (const Span& span : spans->all()) text += " " + std::to_string(span.lo) + ":" + std::to_string(span.hi);
    }
    if (const auto* launch = std::get_if<Launch>(&instruction.what))
      for (const std::uint64_t word : *launch->scalars) text += " " + std::to_string(word);
    texts.push_back(text);
  }
  return texts;
}

struct Machine4 {
  const char* name;
  PlannedMachine machine;
};
void PrintTo(const Machine4& one, std::ostream* out) {
  *out << one.name;
}
class Replanned : public testing::TestWithParam<Machine4> {
 protected:
  static constexpr int kTimes = 7;
};

TEST_P(Replanned, LoopsHaveThePlansThatAreMadeAnew) {
  long hits = 0;
  for (const std::uint64_t seed : random_seeds(12)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const int rank = GetParam().machine.ranks / 2;
    const auto plans = [&](Memo memo) {
      PlannedRank planned(GetParam().machine, rank, memo);
      RandomLoop loop(seed);
      std::vector<Texts> all;
      for (int time = 0; time < kTimes; ++time) {
        loop.body(time);
        all.push_back(details_of(planned.plan()));
      }
      hits += planned.cache().statistics().hits;
      return all;
    };
    const std::vector<Texts> fresh = plans(Memo::Fresh), again = plans(Memo::Again);
    for (std::size_t time = 0; time < fresh.size(); ++time) ASSERT_EQ(again[time], fresh[time]) << "time " << time;
  }
  EXPECT_GT(hits, 0);
}

// What every rank has in the end, where some of them make their plans in one way and some in another.
TEST_P(Replanned, LoopsComputeTheSameHoweverTheirPlansWereMade) {
  for (const std::uint64_t seed : random_seeds(5)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    long hits = 0;
    const auto cells = [&](std::initializer_list<Memo> memos) {
      std::vector<RankRun> runs;
      for (int rank = 0; rank < GetParam().machine.ranks; ++rank) {
        PlannedRank planned(GetParam().machine, rank, memos.begin()[static_cast<std::size_t>(rank) % memos.size()]);
        RandomLoop loop(seed);
        RankRun& run = runs.emplace_back();
        for (int time = 0; time < kTimes; ++time) {
          loop.body(time);
          run.add(planned.plan());
        }
        run.end(planned);
        hits += planned.cache().statistics().hits;
      }
      return SymbolicRun().run(runs, seed);
    };
    const SymbolicRun::Cells fresh = cells({Memo::Fresh});
    EXPECT_GT(fresh.size(), 100u);
    EXPECT_EQ(find_difference(cells({Memo::Again}), fresh), "");
    EXPECT_EQ(find_difference(cells({Memo::Bound}), fresh), "");
    EXPECT_EQ(find_difference(cells({Memo::Bound, Memo::Fresh, Memo::Again}), fresh), "");
    EXPECT_GT(hits, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Replanned,
                         testing::Values(Machine4{"One", {}}, Machine4{"ThreeProcessors", {.processors = 3}},
                                         Machine4{"ThreeRanks", {.ranks = 3}},
                                         Machine4{"TwoRanksOfTwo", {.ranks = 2, .processors = 2}},
                                         Machine4{"TwoGpus", {.processors = 2, .gpus = true}},
                                         Machine4{"ThreeRanksOfTwoGpus", {.ranks = 3, .processors = 2, .gpus = true}}),
                         [](const auto& one) { return std::string(one.param.name); });

// A machine's shape does not show in what is computed.
TEST(SymbolicPlans, ComputeTheSameOnEveryMachineInEveryOrder) {
  const std::vector<PlannedMachine> machines{{.ranks = 3},
                                             {.processors = 4},
                                             {.ranks = 2, .processors = 2, .gpus = true, .message_bytes = 48},
                                             {.processors = 2, .gpus = true, .peers = false},
                                             {.ranks = 2, .processors = 2, .gpus = true, .share = true}};
  for (const std::uint64_t seed : random_seeds(8)) {
    const auto cells = [&](const PlannedMachine& machine, std::uint64_t order) {
      std::vector<RankRun> runs;
      for (int rank = 0; rank < machine.ranks; ++rank) {
        PlannedRank planned(machine, rank);
        RandomLoop loop(seed);
        RankRun& run = runs.emplace_back();
        for (int time = 0; time < 3; ++time) {
          loop.body(time);
          run.add(planned.plan());
        }
        run.end(planned);
      }
      return SymbolicRun().run(runs, order);
    };
    // Folds of some short rows are additions on cores and folds on GPUs (analyze/short_folds.h).
    const SymbolicRun::Cells one_core = cells({}, 1), one_gpu = cells({.gpus = true}, 1);
    for (std::size_t i = 0; i < machines.size(); ++i) {
      const SymbolicRun::Cells& one = machines[i].gpus ? one_gpu : one_core;
      for (const std::uint64_t order : {1u, 2u})
        EXPECT_EQ(find_difference(cells(machines[i], order), one), "") << "seed " << seed << ", machine " << i;
    }
    if (HasFailure()) return;
  }
}

TEST(Replan, LeavesStatesAndTasksNumbersAsTheFirstTime) {
  PlannedRank planned({.ranks = 3}, 1, Memo::Again);
  numeric::Array x = numeric::ones({60}), y = numeric::zeros({60});
  y += x;
  (void)planned.plan();
  const auto body = [&](double by) {
    y(numeric::slice(1, -1)) = by * x(numeric::slice(1, -1)) + x(numeric::slice(0, -2)) + x(numeric::slice(2, {}));
    x += by;
  };
  std::vector<StateSnapshots> snapshots;
  for (int time = 0; time < 5; ++time) {
    body(0.5 * time);
    (void)planned.plan();
    const StoreRef stores[] = {StoreRef(&PlannedRank::store_of(x)), StoreRef(&PlannedRank::store_of(y))};
    snapshots.push_back(take_snapshots(stores));
  }
  EXPECT_EQ(planned.cache().statistics().hits, 3);
  for (std::size_t time = 2; time < snapshots.size(); ++time)
    EXPECT_EQ(snapshots[time].snapshots, snapshots[1].snapshots);
}

TEST(Replay, IsOneInstructionThatAllOfItsMemoryWaitsFor) {
  PlannedRank planned({}, 0, Memo::Bound);
  numeric::Array x = numeric::ones({60}), y = numeric::zeros({60});
  y += x;
  (void)planned.plan();
  const auto body = [&](double by) { y += by * x; };
  body(1.0);
  const Plan first = planned.plan();
  ASSERT_EQ(first.instructions.size(), 1u);
  for (int time = 0; time < 3; ++time) {
    body(2.0 + time);
    const Plan plan = planned.plan();
    ASSERT_EQ(plan.instructions.size(), 1u);
    const auto* bound = std::get_if<ReplayedPlan>(&plan.instructions[0].what);
    ASSERT_TRUE(bound);
    EXPECT_EQ(plan.instructions[0].after.back(), InstructionId{plan.first.value - 1});
    if (time > 0) {
      EXPECT_EQ(plan.instructions[0].after.size(), 1u);  // what came before that is before it
    }
    EXPECT_STREQ(plan.instructions[0].name, first.instructions[0].name);
    bound->run->end();
  }
  const numeric::Array z = 2.0 * x;
  const Plan after = planned.plan();
  EXPECT_EQ(after.instructions.back().after, std::vector{InstructionId{after.first.value - 1}});
}

// A cached plan has no tasks, and yet its errors are somebody's.
TEST(Replan, AMemoryErrorNamesItsOperationAndLineAsTheFirstTime) {
  for (const Memo memo : {Memo::Again, Memo::Bound}) {
    PlannedRank planned({.memory = 20'000}, 0, memo);
    numeric::Array x = numeric::ones({1000}), held;
    (void)planned.plan();
    std::vector<numeric::Array> kept;
    std::string text;
    for (int time = 0; time < 4 && text.empty(); ++time) {
      kept.push_back(x * 2.0);
      try {
        const Plan plan = planned.plan();
      } catch (const MemoryError& error) {
        text = error.what();
      }
    }
    EXPECT_EQ(planned.cache().statistics().hits, 1);  // the second copy found its plan, and no memory
    EXPECT_EQ(text.find("[multiply] an array needs 8000 bytes"), 0u) << text;
    EXPECT_NE(text.find("replan_test.cc:"), std::string::npos) << text;
  }
}

TEST(Replay, WhatIsDoneIsNotWaitedFor) {
  PlannedRank planned({}, 0, Memo::Bound);
  numeric::Array x = numeric::ones({60});
  for (int time = 0; time < 3; ++time) {
    x *= 2.0;
    planned.done = InstructionId{time < 2 ? 0 : 1000};
    const Plan plan = planned.plan();
    if (time == 2) {
      ASSERT_TRUE(std::holds_alternative<ReplayedPlan>(plan.instructions[0].what));
      EXPECT_TRUE(plan.instructions[0].after.empty());
    }
  }
}

}  // namespace
}  // namespace pilum::scheduler
