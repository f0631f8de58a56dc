// The body on the host of what picks the cells that a mask names.
#pragma once

#include <cstdint>
#include <span>

#include "numeric/library_task.h"

namespace pilum::numeric {

// Each point is a true cell of the mask, row-major. The form: the size of the array's cells (0: their numbers are
// wanted, row-major), the mask's rank. Stores: the result, the whole mask, and the array, of its shape.
void compress_cells(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);

}  // namespace pilum::numeric
