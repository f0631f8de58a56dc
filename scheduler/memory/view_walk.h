// How a view's points lie in an instance's memory.
#pragma once

#include "partitioner/affine_map.h"
#include "scheduler/memory/store_state.h"
#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// The address of point x is origin + x · stride. Points may be addressed whose cells the instance does not cover.
struct ViewWalk {
  std::byte* origin = nullptr;  // of the point 0
  Extents stride{};             // bytes, by axis of the view; 0: broadcast

  ViewWalk(const Instance& instance, const partitioner::AffineMap& map) {
    std::array<std::int64_t, kMaxAxes> cell{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(map.store_rank); ++k) {
      const partitioner::AxisMap& axis = map.axes[k];
      cell[k] = axis.offset;
      if (axis.axis >= 0) stride[static_cast<std::size_t>(axis.axis)] = axis.scale * instance.pitch[k];
    }
    origin = instance.address(cell);
  }
  std::byte* at(const std::array<std::int64_t, kMaxAxes>& point, int rank) const {
    std::int64_t offset = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(rank); ++a) offset += point[a] * stride[a];
    return origin + offset;
  }
};

}  // namespace pilum::scheduler
