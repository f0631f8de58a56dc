// How planning has a part of a plan executed, where memory can be had in no other way.
#pragma once

#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// Planning executes nothing. Where a GPU's memory is full, blocks of other sizes can be made of free ones only when
// nobody uses these any more; then the planner asks its session, which owns the executor.
class PartialExecution {
 public:
  PartialExecution() = default;
  PartialExecution(const PartialExecution&) = delete;
  PartialExecution& operator=(const PartialExecution&) = delete;
  virtual ~PartialExecution() = default;

  // Takes the instructions out of the plan, which goes on without them, and waits until they are executed.
  virtual void execute_so_far(Plan& plan) = 0;
};

}  // namespace pilum::scheduler
