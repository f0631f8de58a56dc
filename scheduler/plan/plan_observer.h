// Who is told what a PlanBuilder does.
#pragma once

#include <cstddef>
#include <span>

#include "scheduler/memory/memory_book.h"
#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// Cells of a block that an instruction reads or writes.
struct Touch {
  Block* block = nullptr;
  Rect cells;
  bool write = false;
};

// Told in the order in which a plan is built, by the recording thread.
class PlanObserver {
 public:
  virtual ~PlanObserver() = default;
  virtual void allocated(Block* block, MemoryBook& book, std::size_t bytes, int processor, StoreId store) = 0;
  virtual void freed(Block* block, int processor) = 0;
  // The last instruction of `plan`; a task's number.
  virtual void emitted(const Plan& plan, std::span<const Touch> touches, std::size_t task) = 0;
  // A PlanBuilder::NoReuse begins, or ends.
  virtual void no_reuse(bool begins) = 0;
  // What happens cannot be done again just so: data from outside, memory that is moved.
  virtual void give_up() = 0;
};

}  // namespace pilum::scheduler
