// The chunks that the host runs a user's body in.
#pragma once

#include "scheduler/record/plan.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

// The points of one chunk of the launch, and what of each argument it may touch; addresses count from the arrays'
// bases.
[[nodiscard]] BodyLaunch::Chunk make_body_chunk(const Launch& launch, const BodyLaunch& body, std::int64_t number);

}  // namespace pilum::scheduler
