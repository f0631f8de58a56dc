// A reshape's geometry: the cells of one shape that are a box's of another.
#pragma once

#include "partitioner/region.h"

namespace pilum::partitioner {

// The cells of an array of shape `to` with the row-major numbers of the box's of one of shape `from`, which has as
// many. Where the box is of more than `most_runs` runs of numbers, some more cells: neighbouring runs count as one.
[[nodiscard]] Region renumber(const Rect& box, const Shape& from, const Shape& to, std::int64_t most_runs = 64);

}  // namespace pilum::partitioner
