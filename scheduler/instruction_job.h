// What the host does for an instruction.
#pragma once

#include <memory>

#include "scheduler/plan.h"

namespace pilum::scheduler {

// The chunks an instruction is run in, and how to run one; for launches, copies, folds and host calls.
[[nodiscard]] std::int64_t count_chunks(const Instruction& instruction);
// Memory that it moves, roughly; of a user's function: much.
[[nodiscard]] std::int64_t bytes_touched(const Instruction& instruction);
void run_chunk(const Instruction& instruction, std::int64_t chunk);

}  // namespace pilum::scheduler
