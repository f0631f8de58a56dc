// Halos that several tasks of a window read of one store come together: those of later tasks with the first one's.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "scheduler/plan/exchange.h"

namespace pilum::scheduler {

// Where a message waits for launches that touch other cells of the same halo, each task's message waits for the task
// before. What is early follows from the window's tasks alone: all ranks do the same.
class EarlyReads {
 public:
  explicit EarlyReads(std::span<const Task> tasks) : tasks_(tasks) {}

  // As Exchange::plan_read(), of this read of the current task; then those of later tasks, until one writes the store.
  Incoming plan_read(PlanBuilder& builder, Exchange& exchange, std::size_t number, std::vector<Instance*>& bound);

 private:
  using Place = std::pair<std::size_t, std::size_t>;  // of a task, and of a read of it

  void plan_later(PlanBuilder& builder, Exchange& exchange, const Store& store);

  std::span<const Task> tasks_;
  std::map<Place, Incoming> early_;
  std::map<const Store*, std::size_t> looked_;  // up to which task
};

}  // namespace pilum::scheduler
