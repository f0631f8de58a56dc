// What it gains an operation that its arrays are cut.
#pragma once

#include "runtime/machine/machine.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// Of the operation's large arrays: how many it has, and the seconds that it takes less to pass over what it sees of
// them where all processors do so, each over its part, than where one does. Of recorded calls and the machine alone.
struct CutGain {
  int arrays = 0;
  double seconds = 0;
};
[[nodiscard]] CutGain gain_of_cut(const Operation& operation, const machine::Machine& machine);

}  // namespace pilum::scheduler
