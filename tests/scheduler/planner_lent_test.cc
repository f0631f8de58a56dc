// Memory that the program lends: used in place, brought up to date, and never given to anybody else.
#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr std::uintptr_t kLentAt = std::uintptr_t{1} << 60;

// An array of 60 cells, whose tiles lie in memory of the program's.
class Lending : public testing::Test {
 protected:
  explicit Lending(const PlannedMachine& machine = {.split_bytes = 0}, int rank = 0)
      : planned(machine, rank), x(np::empty({60})) {
    planned.recorder.operations.clear();
    const int parts = machine.ranks * machine.processors;
    const Tiling tiling =
        parts == 1 ? Tiling::replicated(Rect::of({0}, {60})) : Tiling::even(Rect::of({0}, {60}), {parts});
    std::vector<std::unique_ptr<Instance>> instances;
    for (int p = 0; p < machine.processors; ++p) {
      auto& instance = instances.emplace_back(std::make_unique<Instance>());
      instance->rect = tiling.tile(planned.rank().first_processor() + p);
      instance->pitch[0] = 8;
      instance->valid = Region(instance->rect);
      const auto bytes = static_cast<std::size_t>(instance->rect.cells()) * 8;
      instance->block = planned.rank().lent->adopt(
          reinterpret_cast<std::byte*>(kLentAt + 4096 * static_cast<std::uintptr_t>(p)), bytes, bytes);
    }
    planned.planner().adopt(StoreRef(&PlannedRank::store_of(x)), tiling, std::move(instances));
    lent = PlannedRank::local(x).instances[0].get();
  }
  Plan bring_home() {
    Plan plan = planned.begin_plan();
    planned.planner().bring_home(PlannedRank::store_of(x), plan);
    planned.end_plan(plan);
    return plan;
  }
  std::size_t instances() const { return PlannedRank::local(x).instances.size(); }
  static bool is_lent(const void* address) { return reinterpret_cast<std::uintptr_t>(address) >= kLentAt; }

  PlannedRank planned;
  np::Array x;
  Instance* lent = nullptr;
};

TEST_F(Lending, TasksReadAndWriteItInPlace) {
  const np::Array y = 2.0 * x;
  x += 1.0;
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.count<Copy>(), 0u);
  EXPECT_EQ(plan.count<Allocate>(), 1u);  // y's
  bool written = false;
  for (const Launch* launch : plan.all<Launch>()) {
    EXPECT_TRUE(is_lent(launch->arrays.front().base));
    written = written || is_lent(launch->arrays.back().base) || is_lent(launch->arrays[launch->arrays.size() - 2].base);
  }
  EXPECT_TRUE(written);
  EXPECT_EQ(instances(), 1u);
  EXPECT_TRUE(bring_home().instructions.empty());
}

TEST_F(Lending, WhatAStencilWroteElsewhereIsBroughtHomeOnce) {
  x(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {}));
  (void)planned.plan();
  const Plan plan = bring_home();
  std::int64_t cells = 0;
  for (const Copy* copy : plan.all<Copy>()) {
    EXPECT_TRUE(is_lent(copy->to.data));
    cells += copy->bytes() / 8;
  }
  EXPECT_EQ(cells, 58);
  EXPECT_TRUE(lent->valid.contains(Rect::of({0}, {60})));
  EXPECT_TRUE(bring_home().instructions.empty());
}

TEST_F(Lending, ItStaysThoughNoneOfItsCellsIsValid) {
  x(all) = x(slice({}, {}, -1)) * 2.0;  // a second instance has them all
  (void)planned.plan();
  ASSERT_EQ(PlannedRank::local(x).instances[0].get(), lent);
  EXPECT_TRUE(lent->valid.empty());
  EXPECT_EQ(bring_home().all<Copy>().at(0)->bytes(), 480);
}

TEST_F(Lending, LocalCellsAreThoseInIt) {
  x(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {}));
  (void)planned.plan();
  Plan plan = planned.begin_plan();
  Store& store = PlannedRank::store_of(x);
  EXPECT_NE(&planned.planner().get_local(store, 0, Rect::of({0}, {60}), plan), lent);  // not at home yet
  planned.planner().bring_home(store, plan);
  EXPECT_EQ(&planned.planner().get_local(store, 0, Rect::of({0}, {60}), plan), lent);
  EXPECT_EQ(&planned.planner().get_local(store, 0, Rect::of({5}, {7}), plan), lent);
  planned.end_plan(plan);
}

TEST_F(Lending, ItIsNotGivenOutWhenTheArrayIsGone) {
  Block* block = lent->block;
  Plan plan = planned.begin_plan();
  planned.planner().release(PlannedRank::store_of(x), plan);
  planned.end_plan(plan);
  EXPECT_EQ(block->book, planned.rank().lent);
  const np::Array y = np::ones({60});
  (void)planned.plan();
  EXPECT_FALSE(is_lent(PlannedRank::local(y).instances[0]->block->data));
}

// Between two others: what is read of them has no room in it.
class LendingRanks : public Lending {
 protected:
  LendingRanks() : Lending({.ranks = 3}, 1) {}
  void read_halo() {
    y_(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {}));
    plan_ = planned.plan();
  }
  np::Array y_ = np::zeros({60});
  Plan plan_;
};

TEST_F(LendingRanks, AHaloIsReadBesideIt) {
  read_halo();
  ASSERT_EQ(instances(), 2u);
  EXPECT_EQ(lent->rect, Rect::of({20}, {40}));  // it did not grow
  EXPECT_EQ(lent->valid, Region(Rect::of({20}, {40})));
  const Instance& wide = *PlannedRank::local(x).instances[1];
  EXPECT_TRUE(wide.valid.contains(Rect::of({19}, {41})));
  EXPECT_EQ(find_conflicts(plan_).races, std::vector<std::string>());
}

TEST_F(LendingRanks, WhatTheProgramWritesIsNobodyElsesAnyMore) {
  read_halo();
  Store& store = PlannedRank::store_of(x);
  const ProcessorStore& local = PlannedRank::local(x);
  ASSERT_EQ(local.ghosts, Region(Rect::of({19}, {20})) + Region(Rect::of({40}, {41})));
  ASSERT_EQ(local.peers.size(), 2u);
  Plan plan = planned.begin_plan();
  Instance* const written[] = {lent};
  const Rect own[] = {Rect::of({25}, {40})};
  planned.planner().note_written(store, written, own, Rect::of({25}, {60}), plan);
  planned.end_plan(plan);
  EXPECT_EQ(local.ghosts, Region(Rect::of({19}, {20})));  // 40 is written by its owner
  ASSERT_EQ(local.peers.size(), 1u);                      // who has 20
  EXPECT_EQ(local.peers[0].first, 0);
  EXPECT_EQ(lent->valid, Region(Rect::of({20}, {40})));
  for (const auto& instance : local.instances) {
    if (instance.get() != lent) {
      EXPECT_EQ(instance->valid, Region(Rect::of({19}, {25})));
    }
  }
  // So the next reader gets 40 anew, and sends 39.
  read_halo();
  EXPECT_EQ(plan_.count<Send>(), 1u);
  EXPECT_EQ(plan_.all<Send>()[0]->to, 2);
  EXPECT_EQ(plan_.all<Receive>()[0]->from, 2);
}

TEST_F(LendingRanks, WhatOthersWriteIsNotedToo) {
  read_halo();
  PlannedRank::state_of(x).everywhere = Rect::of({10}, {60});
  Plan plan = planned.begin_plan();
  Instance* const written[] = {nullptr};
  const Rect own[] = {Rect{1}};
  planned.planner().note_written(PlannedRank::store_of(x), written, own, Rect::of({0}, {20}), plan);
  planned.end_plan(plan);
  EXPECT_EQ(PlannedRank::local(x).ghosts, Region(Rect::of({40}, {41})));
  EXPECT_EQ(PlannedRank::state_of(x).everywhere, Region(Rect::of({20}, {60})));
  EXPECT_EQ(lent->valid, Region(Rect::of({20}, {40})));
}

TEST(Collect, ACopyThatLiesInPartsIsPutTogether) {
  PlannedRank planned({.split_bytes = 1 << 20});
  np::Array x = np::ones({60});
  (void)planned.plan();
  x(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {}));
  x(slice(0, 30)) = x(slice(0, 30)) + x(slice(1, 31)) + x(slice(2, 32));
  (void)planned.plan();
  Plan plan = planned.begin_plan();
  const Rect all_cells = Rect::of({0}, {60});
  const Instance& whole = planned.planner().collect(PlannedRank::store_of(x), all_cells, plan);
  EXPECT_TRUE(whole.valid.contains(all_cells));
  const std::size_t copies = plan.count<Copy>();
  EXPECT_EQ(&planned.planner().collect(PlannedRank::store_of(x), all_cells, plan), &whole);
  EXPECT_EQ(plan.count<Copy>(), copies);
}

TEST(CopyToHost, IsPackedAndItsMemoryIsFreeAgain) {
  PlannedRank planned({.gpus = true});
  np::Array x = np::ones({6, 100});
  (void)planned.plan();
  Plan plan = planned.begin_plan();
  const Rect cells = Rect::of({1, 10}, {4, 30});
  const Instance here =
      planned.planner().copy_to_host(*PlannedRank::local(x).instances[0], cells, PlannedRank::store_of(x), plan);
  EXPECT_EQ(here.rect, cells);
  EXPECT_EQ(here.pitch[0], 160);
  EXPECT_EQ(here.block->book, planned.rank().staging);
  EXPECT_EQ(planned.rank().staging->in_use(), 0u);
  ASSERT_EQ(plan.count<Copy>(), 1u);
  EXPECT_EQ(plan.all<Copy>()[0]->bytes(), 3 * 20 * 8);
}

}  // namespace
}  // namespace pilum::scheduler
