// What messages cost an array, as all ranks count it alike.
#pragma once

#include "runtime/machine/machine.h"
#include "scheduler/memory/store_state.h"
#include "scheduler/record/task.h"

namespace pilum::scheduler {

// A rank knows its own messages alone, and what arrays cost is to be known to all, which bring them together at once
// (Session::weigh_cuts). So all of them follow what one processor gets, in the middle, where neighbours are many.
[[nodiscard]] inline int witness_of(const machine::Machine& machine) {
  return machine.processors() / 2;
}

// Charges the kind of a store what the witness gets of it for a read, or when all of these cells come to every
// processor; remembers that it has them. On several ranks.
void charge_read(const Task& task, const Argument& read, const machine::Machine& machine);
void charge_everywhere(StoreState& state, const Region& cells, const machine::Machine& machine);
// The same of a copy between two processors, where there is one rank, which knows them all.
void charge_copy(const Store& store, const Rect& cells, const machine::Machine& machine);

}  // namespace pilum::scheduler
