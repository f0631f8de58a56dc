// How many launches, copies and messages each task gets.
#pragma once

#include <vector>

#include "scheduler/plan/plan_observer.h"
#include "scheduler/record/instruction_facts.h"

namespace pilum::scheduler {

// Counts while a plan is built, and passes on what it is told.
class InstructionCounts final : public PlanObserver {
 public:
  InstructionCounts(std::size_t tasks, PlanObserver* next) : counts_(tasks), next_(next) {}
  const std::vector<InstructionTotals>& by_task() const { return counts_; }

  void allocated(Block* block, MemoryBook& book, std::size_t bytes, int processor, StoreId store) override {
    if (next_) next_->allocated(block, book, bytes, processor, store);
  }
  void freed(Block* block, int processor) override {
    if (next_) next_->freed(block, processor);
  }
  void emitted(const Plan& plan, std::span<const Touch> touches, std::size_t task) override {
    if (task < counts_.size()) count(plan.instructions.back(), counts_[task]);
    if (next_) next_->emitted(plan, touches, task);
  }
  void no_reuse(bool begins) override {
    if (next_) next_->no_reuse(begins);
  }
  void give_up() override {
    if (next_) next_->give_up();
  }

 private:
  std::vector<InstructionTotals> counts_;
  PlanObserver* next_;  // may be null
};

}  // namespace pilum::scheduler
