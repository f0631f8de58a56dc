// Arguments of users' tasks, written by hand or drawn, and what they mean cell by cell.
#pragma once

#include <initializer_list>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "scheduler/record/task_launch.h"
#include "tests/partitioner/random_cells.h"

namespace pilum::scheduler {

using partitioner::AffineMap;
using partitioner::Cell;
using partitioner::Random;
using partitioner::Region;

// A whole store of this shape, seen through these windows.
inline Argument argument_of(kernel::Access access, const Shape& shape, std::initializer_list<AxisCells> windows) {
  Argument argument;
  argument.view.store = StoreRef(new Store);
  argument.view.store->shape = shape;
  argument.view = whole(argument.view.store);
  argument.footprint.access = access;
  argument.footprint.shape = shape;
  std::copy(windows.begin(), windows.end(), argument.footprint.cells.emplace<Windows>().begin());
  return argument;
}

inline std::shared_ptr<CellFunction> function_of(std::function<std::vector<Box>(const Piece&)> boxes) {
  auto function = std::make_shared<CellFunction>();
  function->boxes = std::move(boxes);
  return function;
}

// Any view of a store of `store_rank` axes, and any windows over it.
inline Argument random_argument(Random& random, int store_rank, int view_rank, int domain_rank) {
  Shape shape;
  for (int axis = 0; axis < view_rank; ++axis) shape.push_back(random.between(1, 9));
  Argument argument = argument_of(kernel::Access::Read, shape, {});
  argument.footprint.domain_rank = static_cast<std::int8_t>(domain_rank);
  argument.view.map = partitioner::random_map(random, store_rank, view_rank, 3);
  std::vector<int> axes;
  for (int axis = 0; axis < domain_rank; ++axis) axes.push_back(axis);
  for (int k = 0; k < view_rank; ++k) {
    AxisCells& window = std::get<Windows>(argument.footprint.cells)[static_cast<std::size_t>(k)];
    window = {-1, 0, random.between(-2, 4), random.between(1, 5)};
    if (axes.empty() || random.once_in(3)) continue;
    const auto pick = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(axes.size()) - 1));
    window.axis = axes[pick];
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(pick));
    window.scale = random.once_in(3) ? -random.between(1, 3) : random.between(1, 3);
  }
  return argument;
}

// The first and the last index of a point's window along an axis of the view, not clipped.
inline std::pair<std::int64_t, std::int64_t> window_at(const AxisCells& window, const Cell& point) {
  const std::int64_t along = window.axis < 0 ? 0 : window.scale * point[static_cast<std::size_t>(window.axis)];
  return {window.offset + along, window.offset + along + window.extent - 1};
}

// The indices of the view that a point's windows give, clipped at its ends.
inline std::set<Cell> indices_of(const Footprint& footprint, const Cell& point) {
  Rect box{footprint.shape.rank()};
  for (std::size_t k = 0; k < static_cast<std::size_t>(box.rank); ++k) {
    const auto [first, last] = window_at(footprint.window(static_cast<int>(k)), point);
    box.lo[k] = std::max<std::int64_t>(first, 0);
    box.hi[k] = std::min(last + 1, footprint.shape[static_cast<int>(k)]);
  }
  std::set<Cell> indices;
  partitioner::for_each_cell(box, [&](const Cell& index) { indices.insert(index); });
  return indices;
}

inline bool contains_cell(const partitioner::Region& region, const Cell& cell) {
  return std::any_of(region.rects().begin(), region.rects().end(),
                     [&](const Rect& rect) { return partitioner::is_inside(rect, cell); });
}

}  // namespace pilum::scheduler
