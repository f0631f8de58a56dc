// Updates of picked cells in any order: each processor has cells of its own for its share of the points, and these are
// combined.
#pragma once

#include "numeric/picked_cells.h"

namespace pilum::numeric {

// Whether it is done so: by several processors, of integers, whose sums and extremes are the same in any order, with
// many points for each cell. Else points go to the processors that have their cells, or all look at all points.
[[nodiscard]] bool is_written_in_shares(const Call& call, const PickedCells& picked, PickedWrite write);
// Runs of the first axis of the points, each with cells of its own, which first have what changes none.
struct PointShares {
  std::int64_t count = 1, points = 0;  // of a share: the last one's may end before
  Operand neutral;
};
// The shares' cells, (count, the array's shape), each updated by its points in their order. No axis of the array
// follows the points' first.
[[nodiscard]] Array updated_shares(const Call& call, const PickedCells& picked, PickedWrite write, const Array& values,
                                   const PointShares& shares);

// As write_picked(): `values` broadcast to the points.
void write_in_shares(const Call& call, const PickedCells& picked, PickedWrite write, const Array& values);

}  // namespace pilum::numeric
