// What follows from an instruction alone.
#pragma once

#include <cstdint>

#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// The chunks that the host runs it in.
[[nodiscard]] std::int64_t count_chunks(const Instruction& instruction);
[[nodiscard]] std::int64_t count_chunks(const Copy& copy);
// Memory that it moves, roughly; of a user's function: much.
[[nodiscard]] std::int64_t bytes_touched(const Instruction& instruction);
// True for what is issued to a stream where processors are GPUs: launches, but for bodies that only the host has,
// copies, folds, reshapes.
[[nodiscard]] bool runs_on_gpu(const Instruction& instruction);

}  // namespace pilum::scheduler
