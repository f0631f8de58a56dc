// Bound plans made by hand, without a session.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "scheduler/memo/bound_plan.h"
#include "scheduler/plan/plan_builder.h"

namespace pilum::scheduler::test {

// Instructions over the bytes of one block, added one by one and bound together. It outlives what is bound.
class HandmadePlan {
 public:
  explicit HandmadePlan(std::size_t bytes) : HandmadePlan(nullptr, bytes) {}
  // Over memory of somebody else's.
  HandmadePlan(std::byte* memory, std::size_t bytes) : memory_(memory ? 0 : bytes) {
    block_.data = memory ? memory : memory_.data();
    block_.bytes = bytes;
    plan_.first = InstructionId{0};
    trace_.begin({}, {&block_});
    trace_.set_scalars(std::vector<std::vector<ScalarSource>>(1));
  }
  std::byte* data(std::size_t place) { return block_.data + place; }

  // Its number. Pointers are into the block; `after` are numbers.
  int add(decltype(Instruction::what) what, const std::vector<int>& after = {}, const char* name = "item",
          int processor = 0) {
    Instruction& instruction = plan_.instructions.emplace_back();
    instruction.what = std::move(what);
    instruction.name = name;
    instruction.processor = processor;
    for (const int number : after) instruction.after.push_back(InstructionId{number});
    const std::vector<Touch> touches(8, Touch{&block_, byte_range(0, 1), true});
    trace_.emitted(plan_, touches, 0);
    return static_cast<int>(plan_.instructions.size()) - 1;
  }

  // No more is added.
  std::shared_ptr<BoundPlan> make(int participants) {
    trace_.end();
    return std::make_shared<BoundPlan>(std::make_shared<PlanTemplate>(trace_), participants);
  }
  // What is bound from now on is over this memory.
  void move_to(std::byte* memory) { block_.data = memory; }
  // For the next time that it is run.
  void bind(BoundPlan& run, int window) {
    std::byte* const slots[] = {block_.data};
    run.bind(slots, {}, {}, window);
  }

 private:
  std::vector<std::byte> memory_;
  Block block_;
  PlanTrace trace_;
  Plan plan_;
};

}  // namespace pilum::scheduler::test
