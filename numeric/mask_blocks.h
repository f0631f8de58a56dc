// A mask whose rows lie in blocks of which it is known how many cells are true: each processor reads those that it
// needs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "numeric/array_state.h"
#include "scheduler/record/true_cells.h"

namespace pilum::numeric {

using TrueCount = std::shared_ptr<const scheduler::TrueCells>;

// On cores, of long masks, and on several ranks of those that are cut: else every processor has all of it.
[[nodiscard]] bool is_counted_by_blocks(const Call& call, const Array& mask);
// How many cells of each block are true: waited for.
[[nodiscard]] scheduler::TrueCells count_blocks(const Call& call, const Array& mask);
// To `out`, one after the other: the cells of the array where the mask is true, or their numbers (null).
void compress_blocks(const Call& call, const Array& out, const Array& mask, const Array* array, const TrueCount& count);
// The other way: the true cells get the values.
void spread_blocks(const Call& call, const Array& array, const Array& mask, const Array& values,
                   const TrueCount& count);

}  // namespace pilum::numeric
