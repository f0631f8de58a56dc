#include "scheduler/memory/state_snapshot.h"

#include <gtest/gtest.h>

#include "scheduler/memory/memory_sources.h"
#include "scheduler/record/task_launch.h"
#include "tests/scheduler/random_states.h"
#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

using partitioner::Random;

class Snapshots : public testing::Test {
 protected:
  static int any_role(Block*) { return 0; }
  static StoreRef make_store(const Shape& shape = Shape({4})) {
    StoreRef store(new Store);
    store->shape = shape;
    return store;
  }
  // A state of one processor with one instance.
  StoreState simple(std::size_t bytes = 100) {
    StoreState state;
    state.tiling = Tiling::replicated(Rect::of({0}, {10}));
    ProcessorStore& local = state.local.emplace_back();
    local.tile = Rect::of({0}, {10});
    local.instances.push_back(std::make_unique<Instance>());
    local.instances[0]->block = book_.allocate(bytes);
    local.instances[0]->rect = Rect::of({0}, {10});
    local.instances[0]->pitch[0] = 8;
    local.instances[0]->valid = Region(Rect::of({0}, {10}));
    return state;
  }
  std::unique_ptr<MemorySource> source_ = make_imaginary_source(0);
  MemoryBook book_{*source_, [] { return InstructionId{0}; }, [] {}};
  std::vector<MemoryBook*> books_{&book_, &book_};
};

TEST_F(Snapshots, OfAStoreThatNoPlanHasTouchedSaySo) {
  const StoreSnapshot none = take_snapshot(nullptr, any_role);
  EXPECT_FALSE(none.exists);
  EXPECT_EQ(none, StoreSnapshot());
  const StoreState empty;
  EXPECT_TRUE(take_snapshot(&empty, any_role).exists);
  EXPECT_NE(take_snapshot(&empty, any_role), none);
  EXPECT_TRUE(is_as(nullptr, none));
  EXPECT_TRUE(is_as(&empty, take_snapshot(&empty, any_role)));
  EXPECT_FALSE(is_as(&empty, none));
  EXPECT_FALSE(is_as(nullptr, take_snapshot(&empty, any_role)));
}

TEST_F(Snapshots, OfOneStateAreEqualAndDoNotFollowFromWhereItIs) {
  for_each_seed(50, [this](std::uint64_t seed) {
    Random once(seed), again(seed);
    const int rank = static_cast<int>(1 + seed % 4);
    const StoreState a = random_state(once, rank, books_), b = random_state(again, rank, books_);
    const StoreSnapshot snapshot = take_snapshot(&a, any_role);
    EXPECT_EQ(snapshot, take_snapshot(&a, any_role));
    EXPECT_EQ(snapshot, take_snapshot(&b, any_role)) << "drawn alike, in other blocks of the same sizes";
    EXPECT_TRUE(is_as(&a, snapshot) && is_as(&b, snapshot));
    Random other(seed + 1000);
    const StoreState c = random_state(other, rank, books_);
    EXPECT_EQ(is_as(&c, snapshot), take_snapshot(&c, any_role) == snapshot);
  });
}

TEST_F(Snapshots, DifferWhereAnythingDoesThatAPlanFollowsFrom) {
  using Change = std::function<void(StoreState&)>;
  const std::pair<const char*, Change> changes[] = {
      {"tiling", [](StoreState& state) { state.tiling = Tiling::replicated(Rect::of({0}, {11})); }},
      {"everywhere", [](StoreState& state) { state.everywhere = Region(Rect::of({3}, {4})); }},
      {"asked", [](StoreState& state) { state.asked = true; }},
      {"a processor more", [](StoreState& state) { state.local.emplace_back(); }},
      {"tile", [](StoreState& state) { state.local[0].tile.hi[0] = 9; }},
      {"held", [](StoreState& state) { state.local[0].ghosts = Region(Rect::of({3}, {4})); }},
      {"a peer", [](StoreState& state) { state.local[0].peers.emplace_back(3, Region(Rect::of({3}, {4}))); }},
      {"no instance", [](StoreState& state) { state.local[0].instances.clear(); }},
      {"rect", [](StoreState& state) { state.local[0].instances[0]->rect.hi[0] = 12; }},
      {"pitch", [](StoreState& state) { state.local[0].instances[0]->pitch[0] = 16; }},
      {"origin", [](StoreState& state) { state.local[0].instances[0]->origin = 8; }},
      {"valid", [](StoreState& state) { state.local[0].instances[0]->valid = {}; }},
  };
  const StoreState state = simple();
  const StoreSnapshot before = take_snapshot(&state, any_role);
  EXPECT_EQ(take_snapshot(&state, any_role), before);
  for (const auto& [what, change] : changes) {
    StoreState other = simple();
    change(other);
    EXPECT_NE(take_snapshot(&other, any_role), before) << what;
    EXPECT_FALSE(is_as(&other, before)) << what;
  }
  const StoreState larger = simple(200);
  EXPECT_NE(take_snapshot(&larger, any_role), before) << "bytes of the block";
  EXPECT_FALSE(is_as(&larger, before));
  EXPECT_NE(take_snapshot(&state, [](Block*) { return 1; }), before) << "role";
  EXPECT_TRUE(is_as(&state, take_snapshot(&state, [](Block*) { return 1; }))) << "role";
  MemoryBook elsewhere(*source_, [] { return InstructionId{0}; }, [] {});
  StoreState moved = simple();
  moved.local[0].instances[0]->block = elsewhere.allocate(100);
  EXPECT_NE(take_snapshot(&moved, any_role), before) << "memory";
  EXPECT_FALSE(is_as(&moved, before));
}

TEST_F(Snapshots, RolesCountTheBlocksInTheOrderOfStoresProcessorsAndInstances) {
  std::vector<StoreState> states(2);
  std::vector<StoreRef> stores{make_store(), make_store(), make_store()};
  std::vector<Block*> blocks;
  for (StoreState& state : states) {
    state.local.resize(2);
    for (ProcessorStore& local : state.local) {
      for (int i = 0; i < 2; ++i) {
        local.instances.push_back(std::make_unique<Instance>());
        blocks.push_back(local.instances.back()->block = book_.allocate(100));
      }
    }
  }
  stores[0]->state = states.data();
  stores[2]->state = &states[1];
  const StateSnapshots snapshots = take_snapshots(std::span<const StoreRef>(stores));
  EXPECT_EQ(snapshots.stores, stores);
  EXPECT_EQ(snapshots.blocks, blocks);
  ASSERT_EQ(snapshots.snapshots.size(), 3u);
  EXPECT_FALSE(snapshots.snapshots[1].exists);
  int role = 0;
  for (const std::size_t store : {std::size_t{0}, std::size_t{2}}) {
    for (const StoreSnapshot::ProcessorSnapshot& local : snapshots.snapshots[store].local) {
      for (const StoreSnapshot::InstanceSnapshot& instance : local.instances) EXPECT_EQ(instance.role, role++);
    }
  }
  EXPECT_EQ(role, 8);
}

TEST_F(Snapshots, OfAWindowAreOfEachStoreOnceInOrderOfFirstUse) {
  const StoreRef a = make_store(), b = make_store(), c = make_store();
  const auto operation = [](const StoreRef& output, const std::vector<StoreRef>& inputs) {
    Operation made;
    auto& elementwise = std::get<Elementwise>(made.what);
    elementwise.output = whole(output);
    elementwise.inputs.resize(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) elementwise.inputs[i].view = whole(inputs[i]);
    return made;
  };
  std::vector<Operation> operations{operation(b, {a, a}), operation(a, {b}), operation(c, {b, c})};
  auto launch = std::make_shared<TaskLaunch>();
  const StoreRef d = make_store();
  launch->arguments.resize(2);
  launch->arguments[0].view = whole(d);
  launch->arguments[1].view = whole(c);
  operations.push_back({"", {}, TaskCall{launch, {}}});
  const StateSnapshots snapshots = take_snapshots(operations);
  EXPECT_EQ(snapshots.stores, (std::vector{b, a, c, d}));
  EXPECT_EQ(snapshots.snapshots.size(), 4u);
  EXPECT_TRUE(snapshots.blocks.empty());
  for (const StoreRef& store : snapshots.stores) EXPECT_EQ(store->window_index, -1) << "left as it was found";
  EXPECT_TRUE(take_snapshots(std::vector<Operation>()).stores.empty());
}

}  // namespace
}  // namespace pilum::scheduler
