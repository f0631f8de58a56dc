// A task: one or more fused operations over one domain.
#pragma once

#include <map>
#include <memory>
#include <source_location>
#include <vector>

#include "partitioner/affine_map.h"
#include "partitioner/region.h"
#include "partitioner/tiling.h"
#include "runtime/kernel/ir/kernel.h"
#include "scheduler/record/operation.h"
#include "scheduler/record/store.h"

namespace pilum::scheduler {

using partitioner::AffineMap;
using partitioner::Region;
using partitioner::Tiling;

struct LaunchArgument;
struct TaskLaunch;

// An array that a task reads: a store through one map at a few offsets (in cells of the store). A user's task has an
// `argument`, and each point reads a box: from `low` to `high`, clipped, or what the user's function says.
struct TaskRead {
  StoreRef store;
  AffineMap map;
  std::vector<Point> offsets;
  Point low, high;   // their hull
  Shape view_shape;  // Reshape: of what is read
  std::shared_ptr<const LaunchArgument> argument = nullptr;

  // The hull, and the exact region, of the cells that `piece` reads.
  Rect footprint_hull(const Rect& piece) const;
  Region footprint(const Rect& piece) const;
  // Points of the piece that read some of `cells`; may be more.
  Region points_reading(const Region& cells, const Rect& piece) const;
  // What a user's function said, by piece: it is asked for the same ones again and again. Null: no function.
  std::shared_ptr<std::map<Rect, Region>> known = nullptr;
};

// An array that a task writes, point by point. Not kept: nobody outside the task reads the value, it gets no memory.
struct TaskWrite {
  StoreRef store;
  AffineMap map;
  bool kept = true;
  std::shared_ptr<const LaunchArgument> argument = nullptr;  // of a user's task
  bool reads = false;                                        // what was there is wanted
  // The hull of the cells that `piece` writes.
  Rect cells(const Rect& piece) const;
};

// A fold over the axes that the map does not follow. The store is written whole.
struct TaskReduction {
  StoreRef store;
  AffineMap map;
  kernel::Fold fold = kernel::Fold::Sum;
  bool whole = false;  // each point folds into any of the cells
  // The cells that `piece` folds into.
  Rect cells(const Rect& piece) const;
};

// Where a scalar of a task comes from: an input of the window's operation, cast; of a user's task a word.
struct ScalarSource {
  int operation = 0;
  int input = 0;
  DType as = DType::Float64;
};
[[nodiscard]] std::uint64_t scalar_bits(const Operation& operation, const ScalarSource& source);

// An immutable record. The kernel's arrays are the reads, the kept writes and the reductions, in this order.
// All reads see the values from before the task. Tasks of a window stand in an order that may be executed as it is.
struct Task {
  OperationKind kind = OperationKind::Elementwise;  // Elementwise stands for every task with a kernel
  const char* name = "";                            // of the last operation
  std::source_location where;
  int operations = 0;
  Rect domain;
  Tiling distribution;  // of the domain: what each processor computes
  std::shared_ptr<const kernel::Kernel> kernel;
  std::vector<std::uint64_t> scalars;
  std::vector<ScalarSource> scalar_sources;  // one a scalar
  std::vector<TaskRead> reads;
  std::vector<TaskWrite> writes;
  std::vector<TaskReduction> reductions;
  std::uint8_t reduced_axes = 0;
  std::shared_ptr<const std::vector<std::byte>> data;  // Import
  std::shared_ptr<const TaskLaunch> launch;            // a user's task
};

}  // namespace pilum::scheduler
