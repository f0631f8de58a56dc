// Views of some cells along one axis.
#pragma once

#include "numeric/array_state.h"

namespace pilum::numeric {

// Cells start, start + step, … of an axis, `count` of them.
Array part_of_axis(const ArrayState& a, int axis, std::int64_t start, std::int64_t count, std::int64_t step = 1);
Array part_of_axis(const Array& a, int axis, std::int64_t start, std::int64_t count, std::int64_t step = 1);

}  // namespace pilum::numeric
