// The bodies on the host of what picks the cells that a mask names, and of what writes them.
#pragma once

#include <cstdint>
#include <span>

#include "numeric/library_task.h"

namespace pilum::numeric {

// Each point is a true cell of the mask, row-major. The form: the size of the array's cells (0: their numbers are
// wanted, row-major), the mask's rank. Stores: the result, the whole mask, and the array, of its shape.
void compress_cells(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);

// The other way: each point is a cell of the array; the true ones get the values, one after the other. The form: as
// above. Stores: the array, the whole mask, of its shape, and all values.
void spread_cells(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);

}  // namespace pilum::numeric
