// The sums of a plan in the making that are to go across the ranks together.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scheduler/plan/allreduce.h"
#include "scheduler/plan/launches.h"
#include "scheduler/plan/sum_batches.h"

namespace pilum::scheduler {

// Their shares lie side by side until the last task of a batch is planned; then they go as one. Of programs of one rank
// there are none: no message would be saved. Used by the planner, task after task.
class OpenSums {
 public:
  OpenSums(const PlanningRank& rank, std::span<const Task> tasks);

  // The builder's task is at its reduction of that number. False: it goes alone.
  [[nodiscard]] bool begin(PlanBuilder& builder, std::size_t reduction);
  // Then, where the processor's share is folded in.
  [[nodiscard]] FoldTarget target(PlanBuilder& builder, std::size_t reduction, int processor) const;
  // True for the result of one that has begun: its memory is wanted until it goes.
  [[nodiscard]] bool postpone_death(Store& store);
  // The builder's task is planned: what ends with it goes. The stores whose deaths were postponed for it.
  [[nodiscard]] std::vector<Store*> finish(PlanBuilder& builder);

 private:
  struct Open {
    std::unique_ptr<Allreduce> fold;  // once it has begun
    std::vector<Store*> deaths;
  };

  SumBatches batches_;
  std::vector<Open> open_;  // by batch
};

}  // namespace pilum::scheduler
