#include "scheduler/memory/resting.h"

#include <gtest/gtest.h>

#include "scheduler/memory/memory_sources.h"
#include "scheduler/memory/state_snapshot.h"
#include "tests/scheduler/random_states.h"
#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

using partitioner::Random;

// The same block, whoever keeps the books of it.
int role_of_data(const Block* block) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(block->data) >> 12);
}

class Resting : public testing::Test {
 protected:
  StoreSnapshot snapshot(const StoreState& state) { return take_snapshot(&state, role_of_data); }
  std::unique_ptr<MemorySource> source_ = make_imaginary_source(0), other_source_ = make_imaginary_source(1);
  InstructionId done_{0};
  MemoryBook first_{*source_, [this] { return done_; }, [] {}},
      second_{*other_source_, [this] { return done_; }, [] {}};
  std::vector<MemoryBook*> books_{&first_, &second_};
};

TEST_F(Resting, WhatWasPackedComesBackAsItWas) {
  for_each_seed(200, [this](std::uint64_t seed) {
    Random random(seed);
    const int rank = static_cast<int>(seed % 9);
    StoreState state = random_state(random, rank, std::span(books_).first(static_cast<std::size_t>(1 + seed % 2)));
    const StoreSnapshot before = snapshot(state);
    const std::unique_ptr<std::byte[]> packed = pack(state);
    StoreState back;
    back.place = 17;
    back.born = 4;
    unpack(packed.get(), books_, back);
    EXPECT_EQ(snapshot(back), before);
    EXPECT_EQ(back.place, 17u) << "is the planner's";
    EXPECT_EQ(back.born, 4);
    for (ProcessorStore& local : back.local) {
      for (const auto& instance : local.instances) instance->block->book->free(instance->block);
    }
  });
}

TEST_F(Resting, BlocksLeaveTheirBooksAndComeBackWithTheirBytesCounted) {
  StoreState state;
  ProcessorStore& local = state.local.emplace_back();
  local.instances.push_back(std::make_unique<Instance>());
  Instance& instance = *local.instances[0];
  instance.block = first_.allocate(5000);
  std::byte* const data = instance.block->data;
  const AllocationId id = instance.block->id;
  Block* const neighbour = first_.allocate(7000);
  const std::unique_ptr<std::byte[]> packed = pack(state);
  EXPECT_EQ(first_.in_use(), 12000u) << "its memory is still taken";
  EXPECT_EQ(first_.reserved(), 12000u);
  StoreState back;
  unpack(packed.get(), books_, back);
  const Block& block = *back.local[0].instances[0]->block;
  EXPECT_EQ(block.data, data);
  EXPECT_EQ(block.bytes, 5000u);
  EXPECT_EQ(block.taken, 5000u);
  EXPECT_EQ(block.book, &first_);
  EXPECT_NE(block.id, id) << "another allocation, to who reads a plan";
  EXPECT_TRUE(block.log.idle(InstructionId{0}));
  first_.free(back.local[0].instances[0]->block);
  first_.free(neighbour);
  EXPECT_EQ(first_.in_use(), 0u);
}

TEST_F(Resting, AStoreWithoutMemoryRestsToo) {
  const StoreState state;
  StoreState back;
  unpack(pack(state).get(), books_, back);
  EXPECT_TRUE(back.local.empty());
  EXPECT_TRUE(back.everywhere.empty());
  EXPECT_EQ(back.tiling, Tiling());
}

TEST_F(Resting, NumbersOfAnySizeAndSignComeBack) {
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  StoreState state;
  state.everywhere = Region(Rect::of({-kFar, 127}, {kFar, 128}));
  ProcessorStore& local = state.local.emplace_back();
  local.tile = Rect::of({-1, 0}, {127, 16384});
  local.peers.emplace_back(4095, Region(Rect::of({0, 0}, {1, 1})));
  local.instances.push_back(std::make_unique<Instance>());
  local.instances[0]->block = first_.allocate(64);
  local.instances[0]->origin = -8;
  local.instances[0]->pitch = {-kFar, 8};
  const StoreSnapshot before = snapshot(state);
  StoreState back;
  unpack(pack(state).get(), books_, back);
  EXPECT_EQ(snapshot(back), before);
  first_.free(back.local[0].instances[0]->block);
}

// --- when it may

TEST_F(Resting, OnlyOnceNobodyTouchesItsBlocksAnyMore) {
  StoreState state;
  state.local.resize(2);
  for (std::size_t p = 0; p < 2; ++p) {
    state.local[p].instances.push_back(std::make_unique<Instance>());
    state.local[p].instances[0]->block = books_[p]->allocate(100);
  }
  EXPECT_TRUE(may_rest(state, books_, InstructionId{0}));
  std::vector<InstructionId> after;
  state.local[1].instances[0]->block->log.read(Rect::of({0}, {1}), InstructionId{7}, InstructionId{0}, after);
  EXPECT_FALSE(may_rest(state, books_, InstructionId{7}));
  EXPECT_TRUE(may_rest(state, books_, InstructionId{8}));
}

TEST_F(Resting, NotInMemoryOfAnotherBook) {  // as the program's own, which it lent
  StoreState state;
  state.local.resize(1);
  state.local[0].instances.push_back(std::make_unique<Instance>());
  state.local[0].instances[0]->block = second_.allocate(100);
  EXPECT_FALSE(may_rest(state, books_, InstructionId{0}));
  std::vector<MemoryBook*> turned{&second_, &first_};
  EXPECT_TRUE(may_rest(state, turned, InstructionId{0}));
}

TEST_F(Resting, WithoutInstancesAlways) {
  StoreState state;
  state.local.resize(2);
  EXPECT_TRUE(may_rest(state, books_, InstructionId{0}));
}

}  // namespace
}  // namespace pilum::scheduler
