#include "scheduler/record/task.h"

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

std::uint64_t scalar_bits(const Operation& operation, const ScalarSource& source) {
  const auto input = static_cast<std::size_t>(source.input);
  if (const auto* call = std::get_if<TaskCall>(&operation.what)) return call->scalars.words()[input];
  return cast(std::get<Elementwise>(operation.what).inputs[input].scalar, source.as).bits;
}

}  // namespace pilum::scheduler
