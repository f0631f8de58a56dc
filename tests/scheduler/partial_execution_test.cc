#include "scheduler/plan/spiller.h"

#include <gtest/gtest.h>

#include "scheduler/memory/memory_sources.h"

namespace pilum::scheduler {
namespace {

constexpr std::size_t kArray = 600 << 10;  // bytes: the GPU's memory has room for one

// A processor with 1 MiB of memory, beside a host with more; one store whose only instance fills most of it.
class FullMemory : public testing::Test, private PartialExecution {
 protected:
  FullMemory() {
    rank_.memories = {&gpu_};
    rank_.staging = &host_;
    rank_.done_before = [this] { return done_; };
    rank_.make_room = [this](PlanBuilder& builder, int processor, std::size_t bytes) {
      return spiller_.make_room(builder, processor, bytes);
    };
    auto state = std::make_unique<StoreState>();
    auto* store = new Store;
    store->shape = Shape{kArray};
    store->dtype = DType::Bool;
    state->store = StoreRef(store);
    ProcessorStore& local = state->local.emplace_back();
    instance_ = local.instances.emplace_back(std::make_unique<Instance>()).get();
    instance_->block = gpu_.allocate(kArray);
    instance_->rect = Rect::of(store->shape);
    instance_->pitch[0] = 1;
    instance_->valid = instance_->rect;
    states_.push_back(std::move(state));
  }

  PartialExecution* executor() { return this; }

  void execute_so_far(Plan& plan) override {
    executed_ += plan.instructions.size();
    plan.first = InstructionId{plan.first.value + static_cast<std::int64_t>(plan.instructions.size())};
    plan.instructions.clear();
    done_ = plan.first;
  }

  memory::Pool gpu_memory_{1 << 20}, host_memory_{8 << 20};
  std::unique_ptr<MemorySource> gpu_source_ = make_pool_source(gpu_memory_);
  std::unique_ptr<MemorySource> host_source_ = make_pool_source(host_memory_);
  InstructionId done_{0};
  MemoryBook gpu_{*gpu_source_, [this] { return done_; }, [] {}};
  MemoryBook host_{*host_source_, [this] { return done_; }, [] {}};
  machine::Machine machine_;
  PlanningRank rank_{machine_};
  std::vector<std::unique_ptr<StoreState>> states_;
  Spiller spiller_{states_};
  Instance* instance_ = nullptr;
  Plan plan_;
  std::size_t executed_ = 0;
};

TEST_F(FullMemory, IsHadAgainOnceWhatLeavesItWasExecuted) {
  rank_.partial_execution = executor();
  PlanBuilder builder(rank_, plan_, {});
  Block* block = builder.allocate_on_processor(900 << 10, 0, StoreId{7});
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->book, &gpu_);
  EXPECT_EQ(instance_->block->book, &host_);
  EXPECT_EQ(executed_, 3u) << "memory of the host, the copy to it, the end of the GPU's";
  EXPECT_EQ(plan_.instructions.size(), 1u) << "the plan goes on with the new array";
}

// A dry run has no executor: the plan has all of it, and no memory is waited for.
TEST_F(FullMemory, StaysFullWhereNothingIsExecuted) {
  PlanBuilder builder(rank_, plan_, {});
  EXPECT_EQ(builder.allocate_on_processor(900 << 10, 0, StoreId{7}), nullptr);
  EXPECT_EQ(instance_->block->book, &host_);
  EXPECT_EQ(plan_.instructions.size(), 3u);
  EXPECT_EQ(executed_, 0u);
}

}  // namespace
}  // namespace pilum::scheduler
