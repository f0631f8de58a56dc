// What of a window comes after what has to be in memory.
#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// A read at other points than those where operations of the window made what it reads comes after a task that makes it,
// so it begins a stage: Runge and Kutta's schemes have as many as stencils.
struct Stages {
  // By operation: the stage of what it is computed from, and that of who reads its result first, where nobody reads it
  // at other points.
  std::vector<int> earliest, latest;
  std::vector<bool> read_beside;  // by store: at other points than where it was made
};
[[nodiscard]] Stages find_stages(const std::vector<Operation>& operations, const std::vector<WindowStore>& stores);

}  // namespace pilum::scheduler
