// Instructions one by one: what they touch, what they come after, which memory they get.
#include "scheduler/plan/plan_builder.h"

#include <gtest/gtest.h>

#include "pilum/error.h"
#include "tests/scheduler/building.h"

namespace pilum::scheduler {
namespace {

using Texts = std::vector<std::string>;
using Ids = std::vector<InstructionId>;

Ids ids(std::initializer_list<std::int64_t> values) {
  Ids all;
  for (const std::int64_t value : values) all.push_back(InstructionId{value});
  return all;
}

TEST(PlanBuilder, SaysEachAllocationAndEachFreeInThePlan) {
  Building b;
  Block* block = b.builder.allocate(640, 0, StoreId{3});
  b.builder.free(block, 0);
  EXPECT_EQ(b.texts(), (Texts{"i0 allocate a0 640 bytes for s3", "i1 free a0"}));
  EXPECT_EQ(b.planned.memory().in_use(), 0u);
}

TEST(PlanBuilder, AnInstructionComesAfterThoseWhoseCellsItWritesOrReadsAnew) {
  Building b;
  const Instance from = b.instance(Rect::of({0, 0}, {4, 4}));
  const Instance to = b.instance(Rect::of({0, 0}, {4, 4}));
  b.builder.copy(from, to, Rect::of({0, 0}, {2, 4}), b.store, 0);  // i2
  b.builder.copy(from, to, Rect::of({2, 0}, {4, 4}), b.store, 0);  // i3: other cells
  b.builder.copy(from, to, Rect::of({1, 0}, {3, 4}), b.store, 0);  // i4: cells of both
  b.builder.copy(to, from, Rect::of({0, 0}, {1, 4}), b.store, 0);  // i5: what i2 wrote, where i2 read
  EXPECT_EQ(b.plan.instructions[2].after, Ids{});
  EXPECT_EQ(b.plan.instructions[3].after, Ids{});
  EXPECT_EQ(b.plan.instructions[4].after, ids({2, 3}));
  EXPECT_EQ(b.plan.instructions[5].after, ids({2}));
  EXPECT_TRUE(find_conflicts(b.plan).races.empty());
  EXPECT_EQ(find_conflicts(b.plan).ordered, 3u);
}

TEST(PlanBuilder, WhatIsDoneIsNotComeAfter) {
  Building b;
  const Instance from = b.instance(Rect::of({0, 0}, {4, 4})), to = b.instance(Rect::of({0, 0}, {4, 4}));
  b.builder.copy(from, to, from.rect, b.store, 0);
  b.builder.copy(from, to, from.rect, b.store, 0);
  b.planned.done = InstructionId{3};
  b.builder.copy(from, to, from.rect, b.store, 0);
  EXPECT_EQ(b.plan.instructions[3].after, ids({2}));
  EXPECT_EQ(b.plan.instructions[4].after, ids({3}));
}

TEST(PlanBuilder, ACopyGoesFromCellToCellThroughPitchesOrigins) {
  Building b;
  Instance from = b.instance(Rect::of({10, 20}, {14, 26}), /*pad=*/3);
  Instance to = b.instance(Rect::of({8, 18}, {20, 30}));
  from.origin = 16;
  b.builder.copy(from, to, Rect::of({11, 21}, {13, 24}), b.store, 0);
  const auto& copy = std::get<Copy>(b.last().what);
  EXPECT_EQ(copy.from.data - from.block->data, 16 + 1 * 9 * 8 + 1 * 8);
  EXPECT_EQ(copy.to.data - to.block->data, 3 * 12 * 8 + 3 * 8);
  EXPECT_EQ((std::array{copy.extent[0], copy.extent[1]}), (std::array<std::int64_t, 2>{2, 3}));
  EXPECT_EQ((std::array{copy.from.pitch[0], copy.to.pitch[0]}), (std::array<std::int64_t, 2>{72, 96}));
  EXPECT_EQ(copy.bytes(), 48);
}

TEST(PlanBuilder, ACopyOfAScalarIsOneCell) {
  Building b;
  Instance from, to;
  from.block = b.builder.allocate(8, 0, b.store.id);
  to.block = b.builder.allocate(8, 0, b.store.id);
  b.builder.copy(from, to, Rect{}, b.store, 0);
  EXPECT_EQ(std::get<Copy>(b.last().what).bytes(), 8);
  EXPECT_EQ(std::get<Copy>(b.last().what).rank, 1);
}

TEST(PlanBuilder, WhileHeldNothingFreedIsGivenOutAgain) {
  Building b;
  Block* first = b.builder.allocate(640, 0, b.store.id);
  Block* second = nullptr;
  {
    const PlanBuilder::NoReuse outer(b.builder);
    b.builder.free(first, 0);
    {
      const PlanBuilder::NoReuse inner(b.builder);
      second = b.builder.allocate(640, 0, b.store.id);
      EXPECT_NE(second, first);
    }
    EXPECT_NE(b.builder.allocate(640, 0, b.store.id), first);
  }
  EXPECT_EQ(b.builder.allocate(640, 0, b.store.id), first);
}

TEST(PlanBuilder, WhoeverGetsABlockNextComesAfterItsLastUsers) {
  Building b;
  Instance a = b.instance(Rect::of({0, 0}, {4, 4})), c = b.instance(Rect::of({0, 0}, {4, 4}));
  b.builder.copy(a, c, a.rect, b.store, 0);  // i2
  b.builder.free(a.block, 0);                // i3
  Instance again = b.instance(Rect::of({0, 0}, {4, 4}));
  ASSERT_EQ(again.block, a.block);
  b.builder.copy(c, again, Rect::of({3, 3}, {4, 4}), b.store, 0);  // i5
  EXPECT_EQ(b.last().after, ids({2}));
}

TEST(PlanBuilder, WhatFindsNoRoomOnItsGpuLiesOnTheHost) {
  Building b({.gpus = true, .memory = 1000});
  Block* first = b.builder.allocate(800, 0, b.store.id);
  EXPECT_EQ(first->book, b.planned.rank().memories[0]);
  EXPECT_EQ(b.builder.allocate_on_processor(800, 0, b.store.id), nullptr);
  Block* second = b.builder.allocate(800, 0, b.store.id);
  EXPECT_EQ(second->book, b.planned.rank().staging);
}

TEST(PlanBuilder, WhereNothingIsLeftSaysWhatWasWantedAndWhatThereIs) {
  Building b({.memory = 1000});
  b.planned.rank().describe_stores = [] { return std::string("Everybody holds a little. "); };
  try {
    (void)b.builder.allocate(1500, 0, b.store.id);
    FAIL() << "1500 bytes of 1000";
  } catch (const MemoryError& error) {
    const std::string text = error.what();
    for (const char* part : {"an array needs 1500 bytes of memory on rank 0", "Everybody holds a little. ",
                             "Drop arrays that are not needed and go on"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

// Told by a builder, in order.
class Told final : public PlanObserver {
 public:
  void allocated(Block*, MemoryBook&, std::size_t bytes, int, StoreId) override {
    said.push_back("allocated " + std::to_string(bytes));
  }
  void freed(Block*, int) override { said.push_back("freed"); }
  void emitted(const Plan& plan, std::span<const Touch> touches, std::size_t task) override {
    said.push_back("emitted " + std::to_string(plan.instructions.size() - 1) + " of task " + std::to_string(task) +
                   ", touches " + std::to_string(touches.size()));
  }
  void no_reuse(bool begins) override { said.push_back(begins ? "holds" : "lets go"); }
  void give_up() override { said.push_back("gives up"); }
  Texts said;
};

TEST(PlanBuilder, TellsItsObserverWhatItDoesInOrder) {
  Building b({.gpus = true, .memory = 1000});
  Told told;
  b.planned.rank().observer = &told;
  Block* block = b.builder.allocate(640, 0, b.store.id);
  b.builder.begin_task(3);
  {
    const PlanBuilder::NoReuse hold(b.builder);
    b.builder.send_block(0, block, 8, b.store.id);
  }
  b.builder.free(block, 0);
  EXPECT_EQ(told.said, (Texts{"emitted 0 of task 0, touches 0", "allocated 640", "holds",
                              "emitted 1 of task 3, touches 1", "lets go", "emitted 2 of task 3, touches 0", "freed"}));
  told.said.clear();
  (void)b.builder.allocate(1500, 0, b.store.id);  // on the host: where it lies is no plan's to repeat
  EXPECT_EQ(told.said.front(), "gives up");
  b.planned.rank().observer = nullptr;
}

TEST(PlanBuilder, EmitsAgainWithTagsAndOrderOfThisTime) {
  Building b({.ranks = 2});
  Block* block = b.builder.allocate(64, 0, b.store.id);
  b.builder.send_block(1, block, 64, b.store.id);
  Instruction old{Send{1, comm::Tag{77, 9}, block->data, 64, b.store.id}, ids({400, 500}), 0, "sum", {}};
  const Touch touch{block, byte_range(0, 64), true};
  b.builder.emit_again(std::move(old), {&touch, 1});
  const auto& send = std::get<Send>(b.last().what);
  EXPECT_EQ(send.tag.window, static_cast<std::uint32_t>(b.plan.window));
  EXPECT_EQ(send.tag.message, 1u);
  EXPECT_EQ(b.last().after, ids({1}));
  EXPECT_STREQ(b.last().name, "sum");
}

TEST(PlanBuilder, MemoryOfAPlanMadeAgainGoesToTheHostWhereItsGpuIsFull) {
  Building b({.gpus = true, .memory = 1000});
  (void)b.builder.allocate(900, 0, b.store.id);
  EXPECT_FALSE(b.planned.planner().is_full());
  Block* block = b.builder.allocate_again(b.planned.memory(), 900, 0, b.store.id);
  EXPECT_EQ(block->book, b.planned.rank().staging);
  EXPECT_TRUE(b.planned.planner().is_full());
  Building host({.memory = 1000});
  EXPECT_THROW((void)host.builder.allocate_again(host.planned.memory(), 1500, 0, host.store.id), MemoryError);
}

TEST(PlanBuilder, RunsWhatIsPlannedAndGoesOnEmpty) {
  Building b({.gpus = true});
  const Instance from = b.instance(Rect::of({0, 0}, {4, 4})), to = b.instance(Rect::of({0, 0}, {4, 4}));
  b.builder.copy(from, to, from.rect, b.store, 0);
  b.builder.execute_so_far();
  EXPECT_TRUE(b.plan.instructions.empty());
  EXPECT_EQ(b.plan.first, InstructionId{3});
  ASSERT_EQ(b.planned.ran.size(), 1u);
  EXPECT_EQ(b.planned.ran[0].instructions.size(), 3u);
  b.builder.copy(from, to, from.rect, b.store, 0);
  EXPECT_EQ(b.last().after, Ids{});  // that is done
}

}  // namespace
}  // namespace pilum::scheduler
