// The bodies on the host of what picks the cells that a mask names, and of what writes them.
#pragma once

#include <cstdint>
#include <span>

#include "numeric/library_task.h"
#include "numeric/row_blocks.h"

namespace pilum::numeric {

// Each point is a true cell of the mask, row-major. The form: the size of the array's cells (0: their numbers are
// wanted, row-major), the mask's rank. Stores: the result, the whole mask, and the array, of its shape.
void compress_cells(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);

// The other way: each point is a cell of the array; the true ones get the values, one after the other. The form: as
// above. Stores: the array, the whole mask, of its shape, and all values.
void spread_cells(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);

// Where a call begins to look: a row of the first axis, the true cells before it, and its first cell's number.
struct MaskPlace {
  std::int64_t row = 0, true_before = 0, number = 0;
};
// The same with a part of the mask, from that row on; and of the array, or the values.
void compress_from(std::int64_t itemsize, int rank, const pilum::detail::BodyCall& call, const MaskPlace& place);
void spread_from(std::int64_t itemsize, int rank, const pilum::detail::BodyCall& call, const MaskPlace& place);

// Adds to each block how many cells of it are true. Points are rows. Stores: the blocks, and the mask's rows.
void count_rows(const RowBlocks& blocks, int rank, const pilum::detail::BodyCall& call);

}  // namespace pilum::numeric
