// Integers sorted by vector instructions, where a library does that.
#pragma once

#include <cstdint>

namespace pilum::numeric {

// Whether there is one: this build has it.
[[nodiscard]] bool has_vector_sort();

// Integers of 16 bits or more in place, the least first. Only where has_vector_sort().
template <class T>
void sort_by_vectors(T* first, std::int64_t count);

}  // namespace pilum::numeric
