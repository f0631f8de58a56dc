#include "scheduler/analyze/cut_gain.h"

#include <algorithm>

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

// A task may compute as much for a cell as it likes: so many passes over its arrays.
constexpr double kPassesOfTask = 8;

}  // namespace

CutGain gain_of_cut(const Operation& operation, const machine::Machine& machine) {
  CutGain gain;
  std::int64_t bytes = 0;
  for_each_view(operation, [&](const View& view, bool) {
    const Store& store = *view.store;
    if (!store.large) return;
    ++gain.arrays;
    bytes += std::min(view.shape.elements(), store.shape.elements()) * static_cast<std::int64_t>(itemsize(store.dtype));
  });
  const TaskLaunch* launch = operation.launch();
  const double passes = launch && (!launch->body->of_library || gain.arrays > 2) ? kPassesOfTask : 1;
  const double others = 1 - 1.0 / machine.processors();
  gain.seconds = passes * static_cast<double>(bytes) * others / machine.memory_bandwidth;
  return gain;
}

}  // namespace pilum::scheduler
