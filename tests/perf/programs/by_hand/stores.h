// Two ways to write an array.
#pragma once

#include <cstdint>

namespace pilum::by_hand {

// Streaming stores go past the caches: memory is not read before it is written. They pay where grids do not fit.
enum class Stores : std::uint8_t { Plain, Streaming };

}  // namespace pilum::by_hand
