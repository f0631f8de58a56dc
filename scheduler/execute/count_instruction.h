// What a profile counts of an instruction.
#pragma once

#include "runtime/profile/counters.h"
#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// Of a replayed plan, all that is in it.
void count(profile::Counters& counters, const Instruction& instruction);
// A message of counted items, when it is posted; nothing else.
void count_posted(profile::Counters& counters, const Instruction& instruction);

}  // namespace pilum::scheduler
