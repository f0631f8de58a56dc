// Stores that nobody has used for long come to rest, and wake up as they were.
#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/scheduler/planned_rank.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::slice;

constexpr std::size_t kMany = 1100;     // more than take no memory worth talking of
constexpr std::uint64_t kLater = 5000;  // operations: all of them are long unused

// So many arrays of eight cells, planned and done.
class Resting : public testing::Test {
 protected:
  explicit Resting(const PlannedMachine& machine = {}, int rank = 0) : planned(machine, rank) {
    for (std::size_t i = 0; i < kMany; ++i) arrays.push_back(np::full({8}, static_cast<double>(i)));
    (void)planned.plan();
    planned.done = InstructionId{1 << 30};
  }
  Store& store(std::size_t i) { return PlannedRank::store_of(arrays[i]); }
  std::size_t resting() const { return planned.planner().resting(); }

  mutable PlannedRank planned;
  std::vector<np::Array> arrays;
};

TEST_F(Resting, ThoseLookedAtRestAndAFewNeverDo) {
  planned.planner().rest_some(kLater, 10);
  EXPECT_EQ(resting(), 10u);
  planned.planner().rest_some(kLater, 100'000);
  EXPECT_EQ(resting(), kMany - 1024);
  EXPECT_EQ(planned.planner().states().size(), 1024u);
  std::size_t found = 0;
  for (std::size_t i = 0; i < kMany; ++i) {
    EXPECT_NE(store(i).resting == nullptr, store(i).state == nullptr);
    found += store(i).resting != nullptr;
  }
  EXPECT_EQ(found, resting());
}

TEST_F(Resting, WhatWasUsedLatelyStaysAwake) {
  for (std::size_t i = 0; i < kMany; ++i) store(i).touched = kLater - 1024;
  planned.planner().rest_some(kLater, 5000);
  EXPECT_EQ(resting(), 0u);
  store(7).touched = kLater - 1025;
  planned.planner().rest_some(kLater, 5000);
  EXPECT_EQ(resting(), 1u);
  EXPECT_NE(store(7).resting, nullptr);
}

TEST_F(Resting, WhatIsRecordedOrHeldElsewhereStaysAwake) {
  const StoreRef elsewhere(&store(3));
  const np::Array uses = arrays[4] + 1.0;  // in an operation that is not planned
  planned.planner().rest_some(kLater, 5000);
  EXPECT_EQ(store(3).resting, nullptr);
  EXPECT_EQ(store(4).resting, nullptr);
  EXPECT_GT(resting(), 0u);
  planned.recorder.operations.clear();
}

TEST_F(Resting, WhatIsUnderWayStaysAwake) {
  planned.done = InstructionId{0};
  planned.planner().rest_some(kLater, 5000);
  EXPECT_EQ(resting(), 0u);
}

TEST_F(Resting, AStoreWakesAsItWas) {
  std::vector<StoreSnapshot> before;
  const auto shot_of = [&](std::size_t i) { return take_snapshot(store(i).state, [](Block*) { return Role{0}; }); };
  std::vector<const std::byte*> data;
  for (std::size_t i = 0; i < kMany; ++i) {
    before.push_back(shot_of(i));
    data.push_back(store(i).state->local[0].instances[0]->block->data);
  }
  const std::size_t in_use = planned.memory().in_use(), held = planned.memory().reserved();
  planned.planner().rest_some(kLater, 5000);
  ASSERT_GT(resting(), 50u);
  EXPECT_EQ(planned.memory().in_use(), in_use);  // they count all the same
  EXPECT_EQ(planned.memory().reserved(), held);
  for (std::size_t i = 0; i < kMany; ++i) {
    if (!store(i).resting) continue;
    planned.planner().wake(store(i));
    EXPECT_EQ(shot_of(i), before[i]);
    EXPECT_EQ(store(i).state->local[0].instances[0]->block->data, data[i]);
    EXPECT_EQ(store(i).state->local[0].instances[0]->block->book, &planned.memory());
  }
  EXPECT_EQ(resting(), 0u);
  EXPECT_EQ(planned.planner().states().size(), kMany);
}

TEST_F(Resting, OneThatIsDroppedGivesItsMemoryBack) {
  planned.planner().rest_some(kLater, 20);
  std::size_t i = 0;
  while (!store(i).resting) ++i;
  const std::size_t in_use = planned.memory().in_use();
  Plan plan = planned.begin_plan();
  planned.planner().release(store(i), plan);
  EXPECT_EQ(store(i).resting, nullptr);
  EXPECT_EQ(store(i).state, nullptr);
  EXPECT_EQ(resting(), 19u);
  EXPECT_EQ(planned.memory().in_use(), in_use - 64);
  EXPECT_TRUE(plan.instructions.empty());  // nothing is under way: no plan need know
}

// What peers know of each other's cells is kept too: nothing is sent twice because of a rest.
class RestingHalos : public Resting {
 protected:
  RestingHalos() : Resting({.ranks = 3}, 1) {}
};
TEST_F(RestingHalos, AreStillKnownAfterwards) {
  np::Array x = np::ones({60}), y = np::zeros({60});
  y += x;
  (void)planned.plan();
  const auto read = [&] { y(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {})); };
  read();
  EXPECT_EQ(planned.plan().count<Send>(), 2u);
  planned.done = InstructionId{1 << 30};
  const ProcessorStore& local = PlannedRank::local(x);
  const Region held = local.ghosts;
  const auto peers = local.peers;
  for (int round = 0; round < 4 && !PlannedRank::store_of(x).resting; ++round) {
    for (std::size_t i = 0; i < arrays.size(); ++i) store(i).touched = kLater;
    planned.planner().rest_some(kLater, kMany);
  }
  ASSERT_NE(PlannedRank::store_of(x).resting, nullptr);
  planned.planner().wake(PlannedRank::store_of(x));
  EXPECT_EQ(PlannedRank::local(x).ghosts, held);
  EXPECT_EQ(PlannedRank::local(x).peers, peers);
  if (PlannedRank::store_of(y).resting) planned.planner().wake(PlannedRank::store_of(y));
  read();
  EXPECT_EQ(planned.plan().count<Send>(), 0u);
}

class RestingOnGpus : public Resting {
 protected:
  RestingOnGpus() : Resting({.gpus = true}) {}
};
TEST_F(RestingOnGpus, IsForHostsAlone) {
  planned.planner().rest_some(kLater, 5000);
  EXPECT_EQ(resting(), 0u);
}

}  // namespace
}  // namespace pilum::scheduler
