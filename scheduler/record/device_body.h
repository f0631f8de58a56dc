// A user's body as a GPU runs it: what is compiled for a launch, and its call.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/jit/jit.h"
#include "runtime/kernel/body/device_body.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

// The call but for addresses and scalars. The launch's points are not cut: its chunk_step is from one partial result to
// the next.
struct DeviceBody {
  std::shared_ptr<const TaskBody> body;
  std::shared_ptr<const jit::CompiledKernel> compiled;  // null where nothing is executed
  kernel::BodyForm form;
  std::vector<std::vector<kernel::BodyRange>> ranges;  // by argument
  std::int64_t parts = 0;                              // of partial results; 0: nothing is reduced
};

// What of a launch its kernel follows from. Into `form`, whose memory is used again.
void find_body_form(const TaskLaunch& launch, kernel::BodyForm& form);
// What points of the box may touch of an argument; `box`: of a function, the hull of what they all touch.
[[nodiscard]] std::vector<kernel::BodyRange> find_ranges(const Footprint& footprint, const Rect& points,
                                                         const Rect& box);

}  // namespace pilum::scheduler
