// The tiling that blocks make which ranks have already.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "partitioner/tiling.h"

namespace pilum::partitioner {

// blocks[r]: what rank r has of `box`. They must cover it, disjointly, as a grid of straight cuts, at any places; the
// ranks number the grid by any order of its axes (row-major, column-major …). Ranks without cells are the last ones,
// or, where one axis alone is cut, any. Each block is cut evenly among its rank's processors. Otherwise a text that
// says which ranks are at odds, with their blocks, or how the blocks would have to lie. Cost: the blocks, or where it
// fails their square.
[[nodiscard]] std::variant<Tiling, std::string> tile_blocks(const Rect& box, std::span<const Rect> blocks,
                                                            int processors_per_rank);

}  // namespace pilum::partitioner
