// Updates of picked cells in any order: each processor has cells of its own for its share of the points, and these are
// combined.
#pragma once

#include "numeric/picked_cells.h"

namespace pilum::numeric {

// Whether it is done so: by several processors, of integers, whose sums and extremes are the same in any order, with
// many points for each cell. Else points go to the processors that have their cells, or all look at all points.
[[nodiscard]] bool is_written_in_shares(const Call& call, const PickedCells& picked, PickedWrite write);
// As write_picked(): `values` broadcast to the points.
void write_in_shares(const Call& call, const PickedCells& picked, PickedWrite write, const Array& values);

}  // namespace pilum::numeric
