// The bytes of array memory that tasks move, and the least that what they compute must move.
#pragma once

#include <vector>

#include "scheduler/analyze/window.h"
#include "scheduler/record/task.h"
#include "scheduler/record/traffic.h"

namespace pilum::scheduler {

// What the processors from `first` on read and write, each its piece. What none of them shares counts once a task.
struct ProcessorRange {
  int first = 0, count = 1;
};

// Task by task. Read: the cells that an argument touches, once for each argument (views of one array that differ by
// more than a few cells are several). Written: the cells of arrays that get memory, and of folds. The least: of each
// array the cells that are read, once, whichever arguments touch them; and those that are written and that a later task
// of the window reads, or that are there after the window: an array that the program holds counts as needed.
// Steps of views are seen, so every second cell is half the bytes; a body's arguments count by their hulls.
[[nodiscard]] std::vector<Traffic> count_traffic(const std::vector<Task>& tasks, const std::vector<WindowStore>& stores,
                                                 const ProcessorRange& processors);
// The same of the tasks' whole domains, as if one processor computed them.
[[nodiscard]] std::vector<Traffic> count_traffic(const std::vector<Task>& tasks,
                                                 const std::vector<WindowStore>& stores);

}  // namespace pilum::scheduler
