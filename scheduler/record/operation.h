// What is recorded: one call of the user's, with its views.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <source_location>
#include <span>
#include <vector>

#include "partitioner/affine_map.h"
#include "runtime/base/scalar.h"
#include "runtime/kernel/ir/kernel.h"
#include "scheduler/record/store.h"

namespace pilum::scheduler {

// A store seen through an affine map. map.view_rank == shape.rank(); axes that the map does not name are broadcast.
struct View {
  StoreRef store;
  partitioner::AffineMap map;
  Shape shape;
};

struct TaskLaunch;

// The numbers of one launch, as words. No part of a plan: they differ from one time to the next.
class LaunchScalars {
 public:
  LaunchScalars() = default;
  // `checked`: a hash of those that all ranks must give alike.
  LaunchScalars(std::span<const std::uint64_t> words, std::uint64_t checked) : count_(words.size()), checked_(checked) {
    if (count_ > few_.size()) more_.assign(words.begin(), words.end());
    std::copy_n(words.begin(), std::min(count_, few_.size()), few_.begin());
  }
  std::span<const std::uint64_t> words() const { return {more_.empty() ? few_.data() : more_.data(), count_}; }
  std::uint64_t checked() const { return checked_; }

 private:
  std::array<std::uint64_t, 6> few_{};
  std::vector<std::uint64_t> more_;  // all of them, where they are more
  std::size_t count_ = 0;
  std::uint64_t checked_ = 0;
};

// The whole of a store as it is.
inline View whole(const StoreRef& store) {
  return View{store, partitioner::AffineMap::identity(store->shape.rank()), store->shape};
}

// An input: a view (already broadcast to the domain), or a number.
struct Operand {
  View view;  // without a store: the scalar counts
  Scalar scalar;
  bool is_view() const { return static_cast<bool>(view.store); }
};

enum class OperationKind : std::uint8_t {
  Elementwise,  // output[x] = op(inputs[..][x]), for x in the output's shape
  Reduce,       // output[kept x] = fold over the reduced axes of inputs[0][x]; x in the shape of inputs[0]
  Import,       // output[x] = data[x], row-major, output.store->dtype
  Reshape,      // output, read row-major, holds the cells of inputs[0], read row-major
  Task          // a user's body; everything else is in `launch` (scheduler/record/task_launch.h)
};

// Elementwise: every input is cast to `compute` (the first one of Select to Bool), then `op` is applied (Cast: the
// copy itself; Index: the coordinate on `axis`, no input), then the result (Bool for comparisons) is cast to the
// output's dtype. All inputs are read before any output cell is written, as if the right side were copied first.
// Reduce: the input is cast to `compute`, folded in it, and cast to the output's dtype; the output's axes are the
// kept ones, in order. The output view never maps two points to one cell.
struct Operation {
  OperationKind kind = OperationKind::Elementwise;
  kernel::Op op = kernel::Op::Cast;
  kernel::Fold fold = kernel::Fold::Sum;
  DType compute = DType::Float64;
  std::uint8_t reduced_axes = 0;  // bit a: axis a of inputs[0]
  std::int8_t axis = 0;
  std::int8_t input_count = 0;
  const char* name = "";  // as the user knows it: "add", "sum", "a(…) ="
  std::source_location where;
  View output;
  std::array<Operand, 3> inputs;
  std::shared_ptr<const std::vector<std::byte>> data;
  std::shared_ptr<const TaskLaunch> launch;  // Task; launches that are alike but for their scalars share it
  LaunchScalars scalars;
};

}  // namespace pilum::scheduler
