// Views of some cells along one axis, and results that are no views.
#pragma once

#include <source_location>
#include <vector>

#include "numeric/array_state.h"

namespace pilum::numeric {

// Cells start, start + step, … of an axis, `count` of them.
Array part_of_axis(const ArrayState& a, int axis, std::int64_t start, std::int64_t count, std::int64_t step = 1);
Array part_of_axis(const Array& a, int axis, std::int64_t start, std::int64_t count, std::int64_t step = 1);

// The arrays one behind the other, in the name of the call. Throws as concatenate.
Array concatenated(const Call& call, const std::vector<Array>& arrays, int axis);

// The result; a copy of it where it is a view of `a`, whose values it is to have and not follow, or repeats cells,
// which could not be written.
Array unshared(const Array& result, const Array& a, std::source_location where);

}  // namespace pilum::numeric
