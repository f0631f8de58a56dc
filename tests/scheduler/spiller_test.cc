// Full GPUs: which instances leave, when, and how they come back.
#include "scheduler/plan/spiller.h"

#include <gtest/gtest.h>

#include <optional>

#include "pilum/error.h"
#include "pilum/pilum.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"
#include "tests/scheduler/random_program.h"
#include "tests/scheduler/random_seeds.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// A GPU with room for two arrays and a half. Each has a cell less than the one before, so that no two become one task.
class Spilling : public testing::Test {
 protected:
  explicit Spilling(std::size_t memory = 20'000, std::size_t staging = 0)
      : planned({.gpus = true, .split_bytes = 0, .memory = memory, .staging = staging}) {}
  np::Array make(std::int64_t cells = 1000) {
    np::Array array = np::full({cells - made_}, 1.0);
    ++made_;
    last = planned.plan();
    return array;
  }
  bool on_host(const np::Array& array) const {
    const auto& instances = PlannedRank::local(array).instances;
    return std::all_of(instances.begin(), instances.end(),
                       [this](const auto& one) { return one->block->book == planned.planner().rank().staging; });
  }
  std::string where(std::initializer_list<const np::Array*> arrays) const {
    std::string text;
    for (const np::Array* array : arrays) text += on_host(*array) ? 'h' : 'g';
    return text;
  }

  mutable PlannedRank planned;
  Plan last;

 private:
  std::int64_t made_ = 0;
};

TEST_F(Spilling, TheOldestGoesWhereNobodyIsNeededAgain) {
  np::Array a = make(), b = make();
  EXPECT_EQ(where({&a, &b}), "gg");
  const Instance before = *PlannedRank::local(a).instances[0];
  np::Array c = make();
  EXPECT_EQ(where({&a, &b, &c}), "hgg");
  // All but the block is as it was.
  const Instance& after = *PlannedRank::local(a).instances[0];
  EXPECT_EQ(after.rect, before.rect);
  EXPECT_EQ(after.pitch, before.pitch);
  EXPECT_EQ(after.origin, before.origin);
  EXPECT_EQ(after.valid, before.valid);
}

TEST_F(Spilling, WhatLeavesIsCopiedAndRunBeforeItsMemoryIsGivenAgain) {
  np::Array a = make(), b = make();
  const auto from = reinterpret_cast<std::uintptr_t>(PlannedRank::local(a).instances[0]->block->data);
  np::Array c = make();
  ASSERT_EQ(planned.ran.size(), 1u);
  std::vector<std::string> texts;
  for (const Instruction& instruction : planned.ran[0].instructions)
    texts.push_back(to_text(instruction, InstructionId{0}).substr(3, 6));
  EXPECT_EQ(texts, (std::vector<std::string>{"alloca", "copy s", "free a"}));
  const Copy& copy = *planned.ran[0].all<Copy>()[0];
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copy.from.data), from);
  EXPECT_EQ(copy.bytes(), 8000);
  EXPECT_EQ(last.count<Copy>(), 0u);
  EXPECT_EQ(last.count<Launch>(), 1u);
}

// What is needed last goes first, whatever came first.
TEST_F(Spilling, WhatTheWindowNeedsSoonStays) {
  for (const bool oldest_first : {true, false}) {
    np::Array a = make(), b = make();
    planned.ran.clear();
    np::Array c = np::full({998}, 1.0);
    (oldest_first ? a : b) *= 2.0;
    const Plan plan = planned.plan();
    EXPECT_EQ(where({&a, &b}), oldest_first ? "gh" : "hg");
    EXPECT_EQ(planned.ran.size(), 1u);  // nobody goes who has to come back
    EXPECT_EQ(plan.count<Copy>(), 0u);
  }
}

TEST_F(Spilling, WhatIsNeededComesBackAndAnotherGoes) {
  np::Array a = make(), b = make(1010), c = make();
  ASSERT_EQ(where({&a, &b, &c}), "hgg");
  planned.ran.clear();
  a *= 2.0;
  const Plan plan = planned.plan();
  EXPECT_EQ(where({&a, &b, &c}), "ghg");
  ASSERT_EQ(planned.ran.size(), 1u);
  // In the plan: a's cells come, its host memory goes, then the task runs on them.
  const auto copies = plan.all<Copy>();
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0]->store, PlannedRank::store_of(a).id);
  EXPECT_EQ(plan.all<Launch>()[0]->arrays[0].base,
            reinterpret_cast<char*>(PlannedRank::local(a).instances[0]->address({})));
  EXPECT_TRUE(find_conflicts(plan).races.empty());
}

TEST_F(Spilling, TheCurrentTasksArraysStay) {
  np::Array a = make(), b = make();
  planned.ran.clear();
  np::Array c = a(slice(0, 900)) + b(slice(0, 900));
  (void)planned.plan();
  EXPECT_EQ(where({&a, &b, &c}), "ggh");  // no room but what the task itself reads
  EXPECT_TRUE(planned.ran.empty());
}

TEST_F(Spilling, TheProgramsArraysStayWhileItHasTheirAddresses) {
  np::Array a = make(), b = make();
  ++PlannedRank::store_of(a).guards;
  np::Array c = make();
  EXPECT_EQ(where({&a, &b, &c}), "ghg");
  ++PlannedRank::store_of(c).guards;
  np::Array d = make();
  EXPECT_EQ(where({&a, &b, &c, &d}), "ghgh");
}

class SpillingManySmall : public Spilling {};
TEST_F(SpillingManySmall, AsManyGoAsTheLargeOneTakesAndNoMore) {
  std::vector<np::Array> small;
  for (int i = 0; i < 5; ++i) small.push_back(make(480));  // 3,840 bytes and a little less each
  np::Array large = make(1205);                            // 9,600: three go
  std::string text;
  for (const np::Array& array : small) text += where({&array});
  EXPECT_EQ(text + where({&large}), "hhhggg");
  EXPECT_EQ(planned.ran.size(), 1u);
}

class SpillingTooLarge : public Spilling {
 protected:
  SpillingTooLarge() : Spilling(5'000, 18'000) {}
};
TEST_F(SpillingTooLarge, WhatFitsOnNoGpuIsMadeOnTheHostWhileThatHasRoom) {
  np::Array first = make(), second = make();
  EXPECT_EQ(where({&first, &second}), "hh");
  EXPECT_TRUE(planned.ran.empty());
  EXPECT_THROW((void)make(), MemoryError);
}

// The second instance of a stencil has what was written: that alone is copied.
TEST_F(Spilling, OnlyValidCellsAreMoved) {
  np::Array a = make();
  a(slice(100, 300)) = a(slice(100, 300)) + a(slice(99, 299)) + a(slice(101, 301));
  (void)planned.plan();
  std::int64_t valid = 0;
  for (const auto& instance : PlannedRank::local(a).instances) valid += instance->valid.cells();
  planned.ran.clear();
  np::Array b = make(1500);
  std::int64_t copied = 0;
  for (const Plan& part : planned.ran)
    for (const Copy* copy : part.all<Copy>()) copied += copy->bytes() / 8;
  EXPECT_EQ(where({&a, &b}), "hg");
  EXPECT_EQ(copied, valid);
  EXPECT_EQ(valid, 1000);
}

TEST_F(Spilling, MakeRoomSaysWhetherItMovedAnything) {
  np::Array a = make();
  Plan plan = planned.begin_plan();
  PlanBuilder builder(planned.rank(), plan, {});
  Spiller spiller(planned.planner().states());
  EXPECT_TRUE(spiller.make_room(builder, 0, 1));
  EXPECT_EQ(where({&a}), "h");
  EXPECT_FALSE(spiller.make_room(builder, 0, 1));  // there is nothing left
  Instance& instance = *PlannedRank::local(a).instances[0];
  restore(builder, PlannedRank::store_of(a), instance, 0);
  EXPECT_EQ(where({&a}), "g");
  const std::size_t count = plan.instructions.size();
  restore(builder, PlannedRank::store_of(a), instance, 0);  // it is where it belongs
  EXPECT_EQ(plan.instructions.size(), count);
  planned.end_plan(plan);
}

// Every cell of every array has a valid place after each window, and no part of a plan races.
TEST(SpillingAtRandom, LosesNoCellAndOrdersAllThatMeets) {
  for (const bool peers : {true, false}) {
    std::size_t parts = 0;
    for (const std::uint64_t seed : random_seeds(4)) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << (peers ? "" : ", GPUs apart"));
      PlannedRank planned({.ranks = 2, .processors = 2, .gpus = true, .peers = peers, .memory = 1200}, 1);
      RandomProgram program(seed);
      for (int window = 0; window < 4; ++window) {
        program.record(6);
        const Plan plan = planned.plan();
        planned.ran.push_back(plan);
        parts += planned.ran.size() - 1;
        for (const Plan& part : std::exchange(planned.ran, {}))
          EXPECT_EQ(find_conflicts(part).races, std::vector<std::string>());
        for (const auto& state : planned.planner().states()) {
          for (const ProcessorStore& local : state->local) {
            Region valid = state->everywhere;
            for (const auto& instance : local.instances) valid += instance->valid;
            EXPECT_TRUE(local.instances.empty() || valid.contains(local.tile));
          }
        }
        EXPECT_LE(planned.source(0).used(), 1200u);
      }
      if (HasFailure()) return;
    }
    EXPECT_GT(parts, 0u);
  }
}

}  // namespace
}  // namespace pilum::scheduler
