// Updates of picked cells, of very many points for each: part of the points by part.
#pragma once

#include "numeric/picked_cells.h"

namespace pilum::numeric {

// Sums of floats depend on their order, and a cell's updates in the order of the points wait for each other, on one
// processor. So that of many points for few cells is another one: the points are cut into up to 256 parts of 32768 and
// more, each has cells of its own, which it updates in the order of its points, and the parts' cells are combined pair
// by pair, neighbours first. The number of parts follows from the shapes alone, so bits are the same on any machine.
// Extremes are those of the order of the points, to the sign of a zero.
[[nodiscard]] bool is_written_in_parts(const PickedCells& picked, PickedWrite write);
// As write_picked().
void write_in_parts(const Call& call, const PickedCells& picked, PickedWrite write, const Array& values);

}  // namespace pilum::numeric
