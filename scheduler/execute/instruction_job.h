// What the host does for an instruction.
#pragma once

#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// Runs one of the chunks of count_chunks(): of a launch, copy, fold, reshape or host call.
void run_chunk(const Instruction& instruction, std::int64_t chunk);
// Until a launch's kernel is compiled: for whoever measures how long it runs.
void wait_for_code(const Instruction& instruction);

}  // namespace pilum::scheduler
