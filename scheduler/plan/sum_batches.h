// Which of a plan's sums go across the ranks together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scheduler/record/task.h"

namespace pilum::scheduler {

// Results of one cell of reductions of one kind, each in a slot of its own.
struct SumBatch {
  std::vector<Store*> stores;  // by slot
  std::size_t last = 0;        // the task that has the last of them: then they go
};

// Norms, and parts of a sum, follow each other, and what is computed of them comes later: alone each would be a message
// of a few bytes, and take as long. Of tasks in program order a batch takes what comes until somebody uses one of them.
// A function of the tasks, and of how their stores are cut, alone: all ranks find the same.
class SumBatches {
 public:
  SumBatches() = default;
  explicit SumBatches(std::span<const Task> tasks);

  struct Place {
    int batch = kAlone;
    int slot = 0;
  };
  static constexpr int kAlone = -1;
  Place place_of(std::size_t task, std::size_t reduction) const;
  const std::vector<SumBatch>& batches() const { return batches_; }

 private:
  std::vector<SumBatch> batches_;
  std::vector<std::vector<Place>> places_;  // by task; none: it has no reductions
};

// Folded across processors into a store that each of them has, or the first one alone.
[[nodiscard]] bool is_gathered(const Task& task, const Argument& reduction);

}  // namespace pilum::scheduler
