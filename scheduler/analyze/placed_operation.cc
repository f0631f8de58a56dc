#include "scheduler/analyze/placed_operation.h"

#include <algorithm>

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

// The order in which a task's domain keeps an operation's axes: along the output's memory, without axes of one point.
struct AxisOrder {
  int count = 0;
  std::array<std::int8_t, kMaxAxes> from{};  // new axis -> old
  std::array<std::int8_t, kMaxAxes> to{};    // old axis -> new; -1: it has one point

  AxisOrder(const Rect& domain, const AffineMap& output) {
    to.fill(-1);
    for (int k = 0; k < output.store_rank; ++k) {
      const std::int8_t axis = output[k].axis;
      if (axis < 0 || domain.extent(axis) == 1) continue;
      to[static_cast<std::size_t>(axis)] = static_cast<std::int8_t>(count);
      from[static_cast<std::size_t>(count++)] = axis;
    }
  }

  Rect apply(const Rect& domain) const {
    Rect result{std::max(count, 1)};
    result.hi[0] = 1;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(count); ++axis) {
      result.hi[axis] = domain.hi[static_cast<std::size_t>(from[axis])];
    }
    return result;
  }

  void apply_to(AffineMap& map) const {
    for (int k = 0; k < map.store_rank; ++k) {
      if (map[k].axis < 0) continue;
      map[k].axis = to[static_cast<std::size_t>(map[k].axis)];
      if (map[k].axis < 0) map[k].scale = 0;  // its one point is 0
    }
    map.view_rank = std::max(count, 1);
  }
};

}  // namespace

PlacedOperation place_alone(const Operation& operation) {
  PlacedOperation placed{&operation, domain_of(operation), output_map(operation)};
  for_each_input(operation, [&placed](std::size_t place, const View& view) {
    placed.inputs[place] = view.map;
    placed.inputs[place].view_rank = std::max(view.map.view_rank, 1);
  });
  if (const Elementwise* elementwise = operation.elementwise()) {
    const AxisOrder order(placed.domain, placed.output);
    placed.domain = order.apply(placed.domain);
    order.apply_to(placed.output);
    for_each_input(operation, [&](std::size_t place, const View&) { order.apply_to(placed.inputs[place]); });
    if (elementwise->op == kernel::Op::Index) placed.axis = order.to[static_cast<std::size_t>(elementwise->axis)];
  }
  return placed;
}

Tiling pieces_of_fold(const Tiling& tiling, const AffineMap& input, const Rect& domain) {
  return tiling.is_cut_across(input) ? Tiling::replicated(domain) : tiling.pull_back(input, domain);
}

PlacedOperation place(const Operation& operation, const std::vector<WindowStore>& stores, bool one_processor,
                      int number) {
  PlacedOperation placed = place_alone(operation);
  placed.number = number;
  const auto tiling_of = [&stores](const View& view) -> const Tiling& { return stores[place_of(view)].tiling; };
  if (one_processor) {
    placed.distribution = Tiling::replicated(placed.domain);
  } else if (const Reduction* reduction = operation.reduction()) {
    placed.distribution = pieces_of_fold(tiling_of(reduction->input), placed.inputs[0], placed.domain);
  } else {
    placed.distribution = tiling_of(*operation.output()).pull_back(placed.output, placed.domain);
  }
  return placed;
}

}  // namespace pilum::scheduler
