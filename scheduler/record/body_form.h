// What a user's body for GPUs is compiled for.
#pragma once

#include <vector>

#include "runtime/kernel/body/device_body.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

// What of a launch its kernel follows from. Into `form`, whose memory is used again.
void find_body_form(const TaskLaunch& launch, kernel::BodyForm& form);
// What points of the box may touch of an argument; `box`: of a function, the hull of what they all touch.
[[nodiscard]] std::vector<kernel::BodyRange> find_ranges(const Footprint& footprint, const Rect& points,
                                                         const Rect& box);

}  // namespace pilum::scheduler
