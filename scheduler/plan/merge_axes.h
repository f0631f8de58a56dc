// Axes of a kernel's box that its arrays walk as one.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/kernel/ir/kernel_call.h"

namespace pilum::scheduler {

// Merges neighbouring axes that all arrays walk evenly: long rows run faster. Axes of one point go outwards.
void merge_axes(std::span<std::int64_t> extent, std::span<kernel::BoundArray> arrays);

}  // namespace pilum::scheduler
