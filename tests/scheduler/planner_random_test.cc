// Random windows on machines of many shapes: their order, messages and memory, and how they are undone.
#include <gtest/gtest.h>

#include <optional>

#include "pilum/pilum.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/plan_texts.h"
#include "tests/scheduler/planned_rank.h"
#include "tests/scheduler/random_program.h"
#include "tests/scheduler/random_seeds.h"

namespace pilum::scheduler {
namespace {

// Everything about an instruction but where it was recorded.
Texts places_of(const Plan& plan) {
  Texts texts = texts_of(plan);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Accesses accesses = accesses_of(plan.instructions[i]);
    texts[i] += " on " + std::to_string(plan.instructions[i].processor);
    for (const Spans* spans : {&accesses.reads, &accesses.writes}) {
      texts[i] += ";";
      for (const Span& span : spans->all()) texts[i] += " " + std::to_string(span.lo) + ":" + std::to_string(span.hi);
    }
  }
  return texts;
}

// Machines for random programs.
struct Random {
  const char* name;
  PlannedMachine machine;
};
void PrintTo(const Random& random, std::ostream* out) {
  *out << random.name;
}
class RandomWindows : public testing::TestWithParam<Random> {
 protected:
  static constexpr int kWindows = 3, kCalls = 7;
};

TEST_P(RandomWindows, OrderAllThatMeetsAndMatchTheirMessages) {
  const PlannedMachine& machine = GetParam().machine;
  std::size_t conflicts = 0;
  for (const std::uint64_t seed : random_seeds(3)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto windows = on_all_ranks(machine, [&](PlannedRank& planned) {
      RandomProgram program(seed);
      std::vector<Plan> plans;
      std::vector<Instruction> together;  // across windows
      for (int window = 0; window < kWindows; ++window) {
        program.record(kCalls);
        plans.push_back(planned.plan());
        together.insert(together.end(), plans.back().instructions.begin(), plans.back().instructions.end());
      }
      const Conflicts found = find_conflicts(together, befores_of(together, InstructionId{0}));
      conflicts += found.ordered;
      EXPECT_EQ(found.races, Texts()) << "rank " << planned.rank().rank;
      return plans;
    });
    for (std::size_t window = 0; window < kWindows; ++window) {
      std::vector<Plan> plans;
      for (const auto& rank : windows) plans.push_back(rank[window]);
      EXPECT_EQ(find_unmatched(plans), Texts());
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(conflicts, 50u);
}

TEST_P(RandomWindows, GiveAllTheirMemoryBackWithTheLastArray) {
  for (const std::uint64_t seed : random_seeds(4)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    PlannedRank planned(GetParam().machine, GetParam().machine.ranks - 1);
    std::optional<RandomProgram> program(seed);
    std::size_t most = 0;
    for (int window = 0; window < kWindows; ++window) {
      program->record(kCalls);
      (void)planned.plan();
      for (const MemoryBook* book : planned.rank().memories) most = std::max(most, book->in_use());
    }
    program.reset();
    (void)planned.plan();
    EXPECT_GT(most, 0u);
    EXPECT_TRUE(planned.planner().states().empty());
    for (const MemoryBook* book : planned.rank().memories) EXPECT_EQ(book->in_use(), 0u);
    for (const MemoryBook* book : planned.rank().shared) EXPECT_EQ(book->in_use(), 0u);
    if (planned.rank().staging) {
      EXPECT_EQ(planned.rank().staging->in_use(), 0u);
    }
  }
}

TEST_P(RandomWindows, AreAFunctionOfTheCallsAndTheMachine) {
  for (const std::uint64_t seed : random_seeds(2)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto details = [&] {
      PlannedRank planned(GetParam().machine);
      RandomProgram program(seed);
      Texts all;
      for (int window = 0; window < kWindows; ++window) {
        program.record(kCalls);
        for (std::string& text : places_of(planned.plan())) all.push_back(std::move(text));
      }
      return all;
    };
    EXPECT_EQ(details(), details());
  }
}

// Peers see nothing of how full a rank's GPUs are.
TEST_P(RandomWindows, SendTheSameWhateverMemoryARankHas) {
  PlannedMachine machine = GetParam().machine;
  if (!machine.gpus) return;
  std::size_t runs = 0;
  for (const std::uint64_t seed : random_seeds(3)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto messages = [&](std::size_t memory) {
      machine.memory = memory;
      PlannedRank planned(machine);
      RandomProgram program(seed);
      Texts all;
      const auto add = [&all](const Plan& plan) {
        for (const Instruction& instruction : plan.instructions) {
          if (const auto* send = std::get_if<Send>(&instruction.what))
            all.push_back("to " + std::to_string(send->to) + ": " + std::to_string(send->bytes) + " as " +
                          std::to_string(send->tag.window) + "." + std::to_string(send->tag.message));
          if (const auto* receive = std::get_if<Receive>(&instruction.what))
            all.push_back("from " + std::to_string(receive->from) + ": " + std::to_string(receive->bytes) + " as " +
                          std::to_string(receive->tag.window) + "." + std::to_string(receive->tag.message));
        }
      };
      for (int window = 0; window < kWindows; ++window) {
        program.record(kCalls);
        const Plan plan = planned.plan();
        for (const Plan& part : planned.ran) add(part);
        runs += std::exchange(planned.ran, {}).size();
        add(plan);
      }
      return all;
    };
    const std::size_t before = runs;
    const Texts plenty = messages(0);
    EXPECT_EQ(runs, before);
    EXPECT_EQ(messages(1000), plenty);
  }
  EXPECT_GT(runs, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Machines, RandomWindows,
    testing::Values(Random{"One", {}}, Random{"FiveProcessors", {.processors = 5}}, Random{"ThreeRanks", {.ranks = 3}},
                    Random{"TwoRanksOfTwo", {.ranks = 2, .processors = 2}},
                    Random{"TwoGpus", {.processors = 2, .gpus = true}},
                    Random{"TwoGpusApart", {.processors = 2, .gpus = true, .peers = false, .message_bytes = 64}},
                    Random{"TwoRanksOfTwoGpus", {.ranks = 2, .processors = 2, .gpus = true, .message_bytes = 48}},
                    Random{"GpusThatSend", {.ranks = 3, .gpus = true, .messages_from_gpus = true}},
                    Random{"GpusThatShare", {.ranks = 2, .processors = 2, .gpus = true, .share = true}}),
    [](const auto& one) { return std::string(one.param.name); });

// Of one rank's cores, whose plans may be undone.
TEST(Undo, LeavesStatesAndMemoryAsBeforeAndTheSamePlanFollows) {
  for (const int processors : {1, 3}) {
    for (const std::uint64_t seed : random_seeds(6)) {
      SCOPED_TRACE(testing::Message() << processors << " processors, seed " << seed);
      PlannedRank planned({.processors = processors});
      RandomProgram program(seed, /*with_copies=*/false);
      for (int window = 0; window < 4; ++window) {
        program.record(6);
        planned.done = InstructionId{1 << 30};  // nothing runs while a plan is undone
        std::vector<Operation> operations = planned.recorder.operations;
        const StateSnapshots before = take_snapshots(operations);
        const std::size_t in_use = planned.memory().in_use(), states = planned.planner().states().size();
        planned.planner().keep_freed(true);
        Plan first = planned.begin_plan();
        std::vector<Operation> copy = operations;
        (void)planned.plan_freshly(copy, {}, first);
        planned.planner().undo(before);
        planned.planner().keep_freed(false);
        EXPECT_EQ(planned.memory().in_use(), in_use);
        EXPECT_EQ(planned.planner().states().size(), states);
        const StateSnapshots after = take_snapshots(operations);
        EXPECT_EQ(after.snapshots, before.snapshots);
        EXPECT_EQ(after.blocks, before.blocks);
        Plan second = planned.begin_plan();
        second.window = first.window;
        (void)planned.plan_freshly(operations, {}, second);
        planned.end_plan(second);
        planned.recorder.operations.clear();
        const auto kinds = [](const Plan& plan) {  // memory may be another, and so what is waited for
          Texts texts = texts_of(plan);
          for (std::string& text : texts) {
            if (text.find(" allocate") != std::string::npos || text.find(" free") != std::string::npos) text = "memory";
            text = text.substr(text.find(' ') + 1, text.find(", after") - text.find(' ') - 1);
          }
          return texts;
        };
        EXPECT_EQ(kinds(second), kinds(first));
      }
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace pilum::scheduler
