// What it gains an operation, or a task, that its arrays are cut.
#pragma once

#include "runtime/machine/machine.h"
#include "scheduler/record/operation.h"
#include "scheduler/record/task.h"

namespace pilum::scheduler {

// Of the operation's large arrays: how many it has, and the seconds that it takes less to pass over what it sees of
// them where all processors do so, each over its part, than where one does. Of recorded calls and the machine alone.
struct CutGain {
  int arrays = 0;
  double seconds = 0;
};
[[nodiscard]] CutGain gain_of_cut(const Operation& operation, const machine::Machine& machine);

// Of a task, which is several operations fused: the seconds that it takes less as it is distributed than on one
// processor, by the bytes that it moves and by its arithmetic, and the large arrays that it has.
[[nodiscard]] CutGain gain_of_cut(const Task& task, const machine::Machine& machine);

// Of a task whose arrays lie whole: the seconds that it would take less if they were cut.
[[nodiscard]] CutGain gain_if_cut(const Task& task, const machine::Machine& machine);

}  // namespace pilum::scheduler
