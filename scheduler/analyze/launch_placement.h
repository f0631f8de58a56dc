// Where a user's launch runs, and what it writes to in the meantime where its arrays lie otherwise.
#pragma once

#include "scheduler/analyze/window.h"
#include "scheduler/record/task.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

// The pieces of a launch follow the first array that it writes and that is cut along the domain, those of one that
// writes a file the first that it reads; the domain is cut evenly where there is none.
[[nodiscard]] Tiling place_launch(const TaskLaunch& launch, const std::vector<WindowStore>& stores,
                                  const machine::Machine& machine);

// The launch as operations that may be executed as they are: itself, or one that writes to new stores, cut as it is,
// for those that are cut otherwise, and the copies there and back. New stores are appended to `stores`; they die.
[[nodiscard]] std::vector<Operation> stage_writes(const Operation& operation, const Tiling& distribution,
                                                  std::vector<WindowStore>& stores);

}  // namespace pilum::scheduler
