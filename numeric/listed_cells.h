// A few cells that a program lists: numbers of a call, and no part of its plan. Loops that list others in every step
// find their plans again, as they do with np::array(0.0); cells that are handed over as data are another window's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "numeric/errors.h"
#include "pilum/array.h"

namespace pilum::numeric {

// Beyond it the cells are data: a call's numbers are copied with every plan.
inline constexpr std::int64_t kMostListedCells = 16;

// Records: out, which nobody has seen, gets these cells, row-major and of its dtype. At most kMostListedCells.
void record_listed_cells(const Call& call, const Array& out, std::span<const std::byte> cells);

}  // namespace pilum::numeric
