// Reshaped copies on the host.
#pragma once

#include <cstdint>

#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// Chunk `number` of count_chunks(reshape): cells along the first axis of the target that has several.
void run_reshape(const Reshape& reshape, std::int64_t number);

}  // namespace pilum::scheduler
