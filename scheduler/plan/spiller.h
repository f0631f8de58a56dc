// Moves instances out of a GPU's memory when it is full, and back when they are needed.
#pragma once

#include <memory>
#include <vector>

#include "scheduler/memory/store_state.h"
#include "scheduler/plan/plan_builder.h"

namespace pilum::scheduler {

// What is moved is where it was for everyone else: the instance stays, its block is another one. Cells in memory of the
// host can be read and written by GPUs, slowly: what finds no room on its GPU stays there.
class Spiller {
 public:
  explicit Spiller(const std::vector<std::unique_ptr<StoreState>>& states) : states_(states) {}

  // Moves instances of the processor to the host, those that the window needs last first and none of the current
  // task's stores, until `bytes` may be free. False when there was nothing to move, or no room for it on the host.
  bool make_room(PlanBuilder& builder, int processor, std::size_t bytes);

 private:
  const std::vector<std::unique_ptr<StoreState>>& states_;
};

// Moves the instance to the host's memory, of a GPU.
void move_to_host(PlanBuilder& builder, const Store& store, Instance& instance, int processor);

// Moves the instance to its processor's memory if it is on the host and there is room.
void restore(PlanBuilder& builder, const Store& store, Instance& instance, int processor);

}  // namespace pilum::scheduler
