// A task: one or more fused operations over one domain.
#pragma once

#include <memory>
#include <source_location>
#include <variant>
#include <vector>

#include "partitioner/tiling.h"
#include "runtime/kernel/ir/kernel.h"
#include "scheduler/record/argument.h"

namespace pilum::scheduler {

using partitioner::AffineMap;
using partitioner::Region;
using partitioner::Tiling;

struct TaskLaunch;

// An array that a task writes, point by point. Not kept: nobody outside the task reads the value, it gets no memory.
struct TaskWrite : Argument {
  bool kept = true;
};

// Where a scalar of a task comes from: an input of the window's operation, cast; of a user's task a word.
struct ScalarSource {
  int operation = 0;
  int input = 0;
  DType as = DType::Float64;
};
[[nodiscard]] std::uint64_t scalar_bits(const Operation& operation, const ScalarSource& source);

// The domain's points, row-major, get these cells.
struct ImportedCells {
  std::shared_ptr<const std::vector<std::byte>> bytes;
};
// The points get the cells of the view that is read, both row-major.
struct ReshapedCells {};

// What is computed at a point: by a kernel, whose arrays are the reads, the kept writes and the reductions, in this
// order; by a user's body, whose arguments stand in the launch; or by neither.
using Computation = std::variant<std::shared_ptr<const kernel::Kernel>, std::shared_ptr<const TaskLaunch>,
                                 ImportedCells, ReshapedCells>;

// An immutable record. All reads see the values from before the task. Tasks of a window stand in an order that may be
// executed as it is.
struct Task {
  const char* name = "";  // of the last operation
  std::source_location where;
  int operations = 0;
  Rect domain;
  Tiling distribution;  // of the domain: what each processor computes
  Computation computation;
  std::vector<std::uint64_t> scalars;
  std::vector<ScalarSource> scalar_sources;  // one a scalar
  std::vector<Argument> reads;
  std::vector<TaskWrite> writes;
  // Folds: a kernel's over the axes that the map does not follow; a body's of all of the store, into any of its cells.
  std::vector<Argument> reductions;
  std::uint8_t reduced_axes = 0;  // of a kernel

  // Null: it computes something else.
  const kernel::Kernel* kernel() const {
    const auto* kernel = std::get_if<std::shared_ptr<const kernel::Kernel>>(&computation);
    return kernel ? kernel->get() : nullptr;
  }
  const TaskLaunch* launch() const {
    const auto* launch = std::get_if<std::shared_ptr<const TaskLaunch>>(&computation);
    return launch ? launch->get() : nullptr;
  }
};

// What it reads, what it writes to memory, and what it folds into.
template <class Visit>
void for_each_argument(const Task& task, Visit visit) {
  for (const Argument& read : task.reads) visit(read);
  for (const TaskWrite& write : task.writes) {
    if (write.kept) visit(write);
  }
  for (const Argument& reduction : task.reductions) visit(reduction);
}

}  // namespace pilum::scheduler
