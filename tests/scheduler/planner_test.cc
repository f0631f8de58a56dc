// Windows planned one after the other: what is allocated, copied, freed and launched, and in which order.
#include "scheduler/plan/planner.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "pilum/pilum.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"
#include "tests/scheduler/random_program.h"
#include "tests/scheduler/random_seeds.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;
using Texts = std::vector<std::string>;

// What instructions do, without names of kernels and tasks.
Texts texts_of(const Plan& plan) {
  Texts texts;
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    std::string text = to_text(plan.instructions[i], InstructionId{plan.first.value + static_cast<std::int64_t>(i)});
    text = text.substr(0, text.find("  # "));
    if (const std::size_t kernel = text.find("launch k"); kernel != std::string::npos) text.erase(kernel + 6, 10);
    texts.push_back(text);
  }
  return texts;
}

// Everything about an instruction but where it was recorded.
Texts details_of(const Plan& plan) {
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

// The middle one of three ranks: rows 4 to 7 of twelve.
TEST(Planner, AStencilSendsItsRowsAndLeavesTheEdgesForLast) {
  PlannedRank planned({.ranks = 3}, 1);
  np::Array x = np::ones({12, 5}), y = np::zeros({12, 5});
  y += x;
  (void)planned.plan();
  const auto sweep = [&] { y(slice(1, -1), all) = x(slice(1, -1), all) + x(slice(0, -2), all) + x(slice(2, {}), all); };
  sweep();
  (void)planned.plan();
  x += 1.0;
  (void)planned.plan();
  sweep();
  const Plan plan = planned.plan();
  EXPECT_EQ(texts_of(plan), (Texts{
                                "i14 send s0 40 bytes to rank 0 with tag 3.0, after i13",
                                "i15 send s0 40 bytes to rank 2 with tag 3.0, after i13",
                                "i16 receive s0 40 bytes from rank 0 with tag 3.0, after i8 i11",
                                "i17 receive s0 40 bytes from rank 2 with tag 3.0, after i9 i12",
                                "i18 launch over [4:6, 0:5] in chunks of 1x10, after i10 i13",
                                "i19 launch over [3:4, 0:5] in chunks of 1x5, boundary, after i11 i13 i16",
                                "i20 launch over [6:7, 0:5] in chunks of 1x5, boundary, after i12 i13 i17",
                            }));
}

// One task's way with memory, once there is what it needs: allocations and frees, copies and their cells, launches.
struct Cost {
  std::size_t allocates, frees, copies;
  std::int64_t copied;
  std::size_t launches;
  bool operator==(const Cost&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Cost& cost) {
  return out << cost.allocates << " allocates, " << cost.frees << " frees, " << cost.copies << " copies of "
             << cost.copied << " cells, " << cost.launches << " launches";
}
Cost cost_of(const Plan& plan) {
  std::int64_t copied = 0;
  for (const Copy* copy : plan.all<Copy>()) copied += copy->bytes() / 8;
  return {plan.count<Allocate>(), plan.count<Free>(), plan.count<Copy>(), copied, plan.count<Launch>()};
}

struct Statement {
  const char* name;
  std::function<void(np::Array& x, np::Array& y)> run;  // of 40 cells
  Cost first, second;
};
void PrintTo(const Statement& statement, std::ostream* out) {
  *out << statement.name;
}
class Statements : public testing::TestWithParam<Statement> {};

TEST_P(Statements, TakeTheMemoryThatTheirConflictsAskFor) {
  PlannedRank planned({.split_bytes = 0});
  np::Array x = np::ones({40}), y = np::zeros({40});
  y += x;
  (void)planned.plan();
  GetParam().run(x, y);
  const Plan first = planned.plan();
  GetParam().run(x, y);
  const Plan second = planned.plan();
  EXPECT_EQ(cost_of(first), GetParam().first);
  EXPECT_EQ(cost_of(second), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(
    OfOneRank, Statements,
    testing::Values(
        Statement{"InPlace", [](np::Array& x, np::Array&) { x(all) = 2.0 * x; }, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}},
        Statement{"Elsewhere", [](np::Array& x, np::Array& y) { y(all) = 2.0 * x; }, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}},
        // Most cells are read by others: the second instance gets the cells that are not written, and stays.
        Statement{
            "WideConflict",
            [](np::Array& x, np::Array&) { x(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {})); },
            {1, 0, 2, 2, 1},
            {0, 0, 0, 0, 1}},
        // A few are: these are copied aside, and that copy is gone with the task.
        Statement{"PartialConflict",
                  [](np::Array& x, np::Array&) { x(slice(0, 20)) = x(slice(15, 35)) * 2.0; },
                  {1, 1, 1, 20, 1},
                  {1, 1, 1, 20, 1}},
        Statement{"HalvesApart",
                  [](np::Array& x, np::Array&) { x(slice(0, 20)) = x(slice(20, 40)) * 2.0; },
                  {0, 0, 0, 0, 1},
                  {0, 0, 0, 0, 1}},
        Statement{"OddFromEven",
                  [](np::Array& x, np::Array&) { x(slice(1, {}, 2)) = x(slice(0, {}, 2)); },
                  {0, 0, 0, 0, 1},
                  {0, 0, 0, 0, 1}},
        Statement{"Reversed",
                  [](np::Array& x, np::Array&) { x(all) = x(slice({}, {}, -1)) * 2.0; },
                  {1, 1, 0, 0, 1},
                  {1, 1, 0, 0, 1}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Planner, ATemporaryThatTasksPassOnIsFreedByTheLastOfThem) {
  PlannedRank planned({.split_bytes = 0});
  np::Array x = np::ones({1000}), y = np::zeros({1000});
  y += x;
  (void)planned.plan();
  const std::size_t before = planned.memory().in_use();
  {
    np::Array shifted = x(slice(1, {})) * 2.0;
    y(slice(2, {})) = shifted(slice(1, {})) + shifted(slice(0, -1));
  }
  const Plan plan = planned.plan();
  std::vector<std::string> order;
  for (const Instruction& instruction : plan.instructions) {
    if (std::holds_alternative<Allocate>(instruction.what)) order.push_back("allocate");
    if (std::holds_alternative<Launch>(instruction.what)) order.push_back("launch");
    if (std::holds_alternative<Free>(instruction.what)) order.push_back("free");
  }
  EXPECT_EQ(order, (std::vector<std::string>{"allocate", "launch", "launch", "free"}));
  EXPECT_EQ(planned.memory().in_use(), before);
}

// Each link needs the one before as a whole, and nobody needs more than two of them.
TEST(Planner, AChainOfTemporariesTakesTheMemoryOfTwo) {
  PlannedRank planned({.split_bytes = 0});
  np::Array x = np::ones({1000});
  x += 1.0;
  (void)planned.plan();
  const std::size_t before = planned.memory().peak();
  for (int i = 0; i < 9; ++i) x = x(slice({}, {}, -1)) * 2.0;
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.count<Launch>() > 0, true);
  EXPECT_LE(planned.memory().peak(), before + 2 * 8128);
}

TEST(Planner, ASmallArrayThatIsCutLaterIsKnownEverywhere) {
  PlannedRank planned({.ranks = 3}, 1);
  np::Array x = np::arange(60.0);
  Store& store = PlannedRank::store_of(x);
  (void)planned.planner().state_of(StoreRef(&store), Tiling::replicated(Rect::of({0}, {60})));
  (void)planned.plan();
  EXPECT_TRUE(PlannedRank::state_of(x).tiling.is_replicated());
  const Tiling cut = Tiling::even(Rect::of({0}, {60}), {3});
  StoreState& state = planned.planner().state_of(StoreRef(&store), cut);
  EXPECT_EQ(state.tiling, cut);
  EXPECT_EQ(state.everywhere, Region(Rect::of({0}, {60})));
  EXPECT_EQ(state.local[0].tile, Rect::of({20}, {40}));
  // Nobody sends what all have; nor does a later tiling cut anew.
  np::Array y = np::zeros({60});
  y(all) = x(slice({}, {}, -1));
  EXPECT_EQ(planned.plan().count<Send>(), 0u);
  EXPECT_EQ(planned.planner().state_of(StoreRef(&store), Tiling::even(Rect::of({0}, {60}), {1})).tiling, cut);
}

TEST(Planner, AStoreHasOneStateUntilItIsReleased) {
  PlannedRank planned;
  np::Array x = np::ones({40});
  x += 1.0;
  (void)planned.plan();
  Store& store = PlannedRank::store_of(x);
  EXPECT_EQ(&planned.planner().state_of(StoreRef(&store), Tiling::replicated(Rect::of({0}, {40}))), store.state);
  Plan plan = planned.begin_plan();
  planned.planner().release(store, plan);
  EXPECT_EQ(store.state, nullptr);
  EXPECT_EQ(plan.count<Free>(), 1u);
  EXPECT_EQ(planned.memory().in_use(), 0u);
  planned.planner().release(store, plan);  // has none any more
  EXPECT_EQ(plan.instructions.size(), 1u);
  EXPECT_TRUE(planned.planner().states().empty());
}

TEST(Planner, WhatAPlanFreesCanBeHadOnceItHasRun) {
  PlannedRank planned;
  planned.planner().keep_freed(true);
  {
    np::Array x = np::ones({1000});
    np::Array y = x(slice({}, {}, -1)) + 1.0;
    y += 1.0;
    (void)planned.plan();
    EXPECT_EQ(planned.planner().freed_in_plan(), 0u);
  }
  (void)planned.plan();
  const std::size_t freed = planned.planner().freed_in_plan();
  EXPECT_GE(freed, 8000u);
  planned.memory().trim();  // what may be wanted again stays
  EXPECT_EQ(planned.planner().freed_in_plan(), freed);
  planned.planner().keep_freed(false);
  EXPECT_EQ(planned.planner().freed_in_plan(), freed);  // it has not run
  planned.done = InstructionId{1000};
  EXPECT_EQ(planned.planner().freed_in_plan(), 0u);
}

// Chunks of a fold make its bits: more threads change those of a body that folds nothing, at most.
TEST(Planner, ChunksOfFoldsDoNotDependOnTheNumberOfThreads) {
  std::vector<Extents> chunks;
  for (const int workers : {1, 2, 7, 64}) {
    PlannedRank planned({.processors = 2, .workers = workers});
    np::Array x = np::ones({1 << 20}), sum = np::sum(x * x);
    np::Array rows = np::sum(np::ones({3000, 1000}), 1);
    const Plan plan = planned.plan();
    std::vector<Extents> here;
    for (const Launch* launch : plan.all<Launch>())
      if (!launch->chunk_step.empty()) here.push_back(launch->chunk);
    EXPECT_GE(here.size(), 2u);
    if (chunks.empty()) chunks = here;
    EXPECT_EQ(here, chunks) << workers << " threads";
  }
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
        for (std::string& text : details_of(planned.plan())) all.push_back(std::move(text));
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
        EXPECT_EQ(after.shots, before.shots);
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
