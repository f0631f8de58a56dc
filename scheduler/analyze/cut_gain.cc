#include "scheduler/analyze/cut_gain.h"

#include <algorithm>
#include <cstdint>

#include "scheduler/analyze/arithmetic_cost.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

// A task may compute as much for a cell as it likes: so many passes over its arrays. The library's that make one array
// of another take fewer: transforms along an axis, what is picked.
constexpr double kPassesOfTask = 8, kPassesOfLibrary = 2;

double passes_of(const TaskLaunch* launch, int arrays) {
  if (!launch) return 1;
  return launch->body->of_library && arrays <= 2 ? kPassesOfLibrary : kPassesOfTask;
}

double bytes_of(const Argument& argument, const Rect& piece) {
  return static_cast<double>(argument.hull(piece).cells() *
                             static_cast<std::int64_t>(itemsize(argument.store()->dtype)));
}

// That take as long to move.
double bytes_of_arithmetic(double additions, const machine::Machine& machine) {
  return additions * sizeof(double) / gain_of_cell(machine);
}

// What one processor takes for a piece of it.
double seconds_of(const Task& task, const Rect& piece, double passes, const machine::Machine& machine) {
  if (piece.empty()) return 0;
  double bytes = 0;
  for_each_argument(task, [&](const Argument& argument) { bytes += passes * bytes_of(argument, piece); });
  if (const kernel::Kernel* kernel = task.kernel()) {
    const double additions = arithmetic_of(*kernel, machine) * static_cast<double>(piece.cells());
    bytes = std::max(bytes, bytes_of_arithmetic(additions, machine));
  }
  return bytes / machine.memory_bandwidth;
}

int large_arrays(const Task& task) {
  int arrays = 0;
  for_each_argument(task, [&arrays](const Argument& argument) { arrays += argument.store()->large; });
  return arrays;
}

}  // namespace

CutGain gain_of_cut(const Operation& operation, const machine::Machine& machine) {
  CutGain gain;
  std::int64_t bytes = 0;
  for_each_view(operation, [&](const View& view, bool) {
    const Store& store = *view.store;
    if (!store.large) return;
    ++gain.arrays;
    // A row that is broadcast is one row.
    const std::int64_t cells = std::min(view.shape.elements(), image(view.map, Rect::of(view.shape)).cells());
    bytes += cells * static_cast<std::int64_t>(itemsize(store.dtype));
  });
  const TaskLaunch* launch = operation.launch();
  double all = passes_of(launch, gain.arrays) * static_cast<double>(bytes);
  if (const auto* elementwise = operation.elementwise(); elementwise && operation.output()) {
    const auto points = static_cast<double>(operation.output()->shape.elements());
    all = std::max(all, bytes_of_arithmetic(arithmetic_of(elementwise->op, machine) * points, machine));
  }
  gain.seconds = all * (1 - 1.0 / machine.processors()) / machine.memory_bandwidth;
  return gain;
}

CutGain gain_if_cut(const Task& task, const machine::Machine& machine) {
  CutGain gain{.arrays = large_arrays(task)};
  const double all = seconds_of(task, task.domain, passes_of(task.launch(), gain.arrays), machine);
  gain.seconds = all * (1 - 1.0 / machine.processors());
  return gain;
}

CutGain gain_of_cut(const Task& task, const machine::Machine& machine) {
  if (task.distribution.is_replicated()) return {};
  CutGain gain{.arrays = large_arrays(task)};
  const double passes = passes_of(task.launch(), gain.arrays);
  double longest = 0;
  task.distribution.for_each_tile(task.domain, [&](int, const Rect& piece) {
    longest = std::max(longest, seconds_of(task, piece, passes, machine));
  });
  gain.seconds = seconds_of(task, task.domain, passes, machine) - longest;
  return gain;
}

}  // namespace pilum::scheduler
