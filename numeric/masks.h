// The cells of an array where a mask is true.
#pragma once

#include <cstdint>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/mask_blocks.h"

namespace pilum::numeric {

// How many are true: waited for. Never null.
TrueCount count_true(const Call& call, const Array& mask);
// The numbers of the true cells, row-major, of which there are so many: int64.
Array true_places(const Call& call, const Array& mask, const TrueCount& count);
// The cells of an array of the mask's shape there.
Array true_cells(const Call& call, const Array& mask, const Array& array, const TrueCount& count);
// True where they can be written by write_true_cells(): on cores, by blocks or where all ranks may have the mask and
// all values.
bool are_spread(const Call& call, const Array& mask, std::int64_t cell_bytes);
// Gives them the values, of one axis and the array's dtype, one after the other: as many as are true.
void write_true_cells(const Call& call, const Array& mask, const Array& array, const Array& values,
                      const TrueCount& count);
// The coordinates of these cells, by axis.
std::vector<Array> true_coordinates(const Call& call, const Array& mask);

}  // namespace pilum::numeric
