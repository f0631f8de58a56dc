// Sums over a few cells of products with a small array: of vectors or tensors that stand at each point of a grid.
#pragma once

#include "numeric/errors.h"
#include "pilum/array.h"

namespace pilum::numeric {

// Both have the result's axes and `summed` more behind them, with extents of 1 where an array lacks one of the
// result's. Whether they are summed point by point, which fuses with what is computed of them, and leaves the large
// array where and as it is: it may be cut, and of several axes before those that are summed.
[[nodiscard]] bool is_short_contraction(const Array& left, const Array& right, int summed);
// The sum of their products over the last axes, in order.
[[nodiscard]] Array contract_points(const Call& call, const Array& left, const Array& right, int summed);

}  // namespace pilum::numeric
