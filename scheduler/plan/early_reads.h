// Halos that several tasks of a window read come together: those of later tasks with the first one's.
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

  // As Exchange::plan_reads(), of all reads of the current task; and with them those of the same stores by later tasks,
  // up to the one that writes the store.
  std::vector<BoundRead> plan_reads(PlanBuilder& builder, Exchange& exchange);

 private:
  using Place = std::pair<std::size_t, std::size_t>;  // of a task, and of a read of it

  void find_later(std::size_t current, const Store& store, std::vector<Place>& later);

  std::span<const Task> tasks_;
  std::map<Place, Incoming> early_;
  std::map<const Store*, std::size_t> looked_;  // the first task whose reads are still to come
};

}  // namespace pilum::scheduler
