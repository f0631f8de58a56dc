// Numbers counted block by block on cores, and then all blocks' counts added: without a pass for the places of cells,
// nor for numbers in another dtype.
#pragma once

#include <cstdint>
#include <optional>

#include "numeric/errors.h"
#include "pilum/array.h"

namespace pilum::numeric {

// How many of the numbers, integers along one axis from 0 to `cells` - 1, are each of these: int64. Nothing on GPUs,
// and where there are too many cells for a block to be worth its own.
std::optional<Array> count_by_blocks(const Call& call, const Array& numbers, std::int64_t cells);
// How many of the real numbers along one axis are in each bin between edges that rise evenly apart: a bin has its lower
// edge, the last one both. Nothing as above, and of dtypes that are compared in another than the edges'.
std::optional<Array> count_in_even_bins(const Call& call, const Array& numbers, const Array& edges);

}  // namespace pilum::numeric
