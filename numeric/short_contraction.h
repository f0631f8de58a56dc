// Sums over a few cells of products with a small array: of vectors or tensors that stand at each point of a grid.
#pragma once

#include <vector>

#include "numeric/errors.h"
#include "pilum/array.h"

namespace pilum::numeric {

// Whether two arrays that are summed over these axes, which go in pairs, are summed point by point: that fuses with
// what is computed of them, and leaves the large one where and as it is, cut and of several axes before those.
[[nodiscard]] bool is_short_contraction(const Array& a, const std::vector<int>& summed_a, const Array& b,
                                        const std::vector<int>& summed_b);
// The sum of their products over the last axes, in order. Both have the result's axes and `summed` more behind them,
// with extents of 1 where an array lacks one of the result's.
[[nodiscard]] Array contract_points(const Call& call, const Array& left, const Array& right, int summed);

}  // namespace pilum::numeric
