#include "scheduler/plan/merge_axes.h"

#include <algorithm>

namespace pilum::scheduler {

void merge_axes(std::span<std::int64_t> extent, std::span<kernel::BoundArray> arrays) {
  if (extent.empty()) return;
  std::size_t target = extent.size() - 1;
  for (std::size_t axis = target; axis-- > 0;) {
    const std::int64_t here = extent[axis];
    if (here == 1) continue;
    const bool even = std::ranges::all_of(arrays, [&](const kernel::BoundArray& array) {
      return array.stride[axis] == array.stride[target] * extent[target];
    });
    extent[axis] = 1;
    if (even) {
      extent[target] *= here;
      continue;
    }
    --target;
    extent[target] = here;
    for (kernel::BoundArray& array : arrays) array.stride[target] = array.stride[axis];
  }
}

}  // namespace pilum::scheduler
