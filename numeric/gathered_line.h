// Cells that indices side by side name, put side by side.
#pragma once

#include <cstdint>

namespace pilum::numeric {

// From the first index on, eight at a time: stops before the last few, and before eight of which one is not from
// -extent to extent - 1. How many cells were put; none where the processor has no such vectors.
template <class T>
[[nodiscard]] std::int64_t gather_line(const std::int64_t* indices, std::int64_t count, std::int64_t extent,
                                       const T* from, T* to);

}  // namespace pilum::numeric
