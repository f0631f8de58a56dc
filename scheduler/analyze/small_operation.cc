#include "scheduler/analyze/small_operation.h"

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

// What a task's body looks at, in bytes: all of an array, where it says so.
constexpr std::int64_t kMostBytes = 1 << 20;

// A fold of no cells writes all the same.
bool is_small(const Reduction& reduction) {
  const std::int64_t points = reduction.input.shape.elements();
  return points > 0 && points <= kFewPoints;
}

// The argument of which a body sees the cells that index arrays name, and no others; -1: there is none.
int picked_argument(const TaskBody& body) {
  if (body.combine) return 0;
  return body.locate ? 1 : -1;
}

// Cells that are updated by index arrays are as many as there are values.
std::int64_t points_of(const TaskLaunch& launch) {
  return launch.body->combine ? launch.arguments[1].view.shape.elements() : launch.domain.cells();
}

// A body of the library's that may be called once, where its arrays are: a user's may take long.
bool is_small(const TaskLaunch& launch) {
  if (!launch.body->of_library || launch.body->does_io || points_of(launch) > kFewPoints) return false;
  std::int64_t bytes = 0;
  for (const Argument& argument : launch.arguments) {
    if (argument.footprint.access == kernel::Access::Reduce || argument.footprint.function()) return false;
    const bool writes = argument.footprint.writes();
    for (const Argument& other : launch.arguments) {
      if (writes && &other != &argument && other.store() == argument.store()) return false;
    }
    if (&argument - launch.arguments.data() != picked_argument(*launch.body))
      bytes += argument.view.shape.elements() * static_cast<std::int64_t>(itemsize(argument.footprint.dtype));
  }
  return bytes <= kMostBytes;
}

}  // namespace

bool is_small(const Operation& operation) {
  if (const Reduction* reduction = operation.reduction()) return is_small(*reduction);
  if (const TaskLaunch* launch = operation.launch()) return is_small(*launch);
  return operation.output()->shape.elements() <= kFewPoints;
}

}  // namespace pilum::scheduler
