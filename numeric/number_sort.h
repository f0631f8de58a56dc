// Integers in order, in place, on a core that sorts by vectors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "numeric/radix_sort.h"
#include "numeric/vector_sort.h"

namespace pilum::numeric {

// Fewer are sorted by comparisons.
inline constexpr std::int64_t kVectorsFrom = 48;
// So many of 16 bits are counted.
inline constexpr std::int64_t kCountedFrom = std::int64_t{1} << 18;

// By how many there are of each.
template <class T>
void count_integers(T* first, std::int64_t count, std::int64_t* counts) {
  using Bits = typename SortKey<T>::Bits;
  for (std::int64_t i = 0; i < count; ++i) ++counts[SortKey<T>::of(first[i])];
  for (std::size_t key = 0; key < std::size_t{1} << (8 * sizeof(T)); ++key) {
    auto bits = static_cast<Bits>(key);
    if constexpr (std::is_signed_v<T>) bits ^= SortKey<T>::kSign;
    first = std::fill_n(first, counts[key], static_cast<T>(bits));
  }
}

// Only where has_vector_sort().
template <class T>
void sort_integers(T* first, std::int64_t count) {
  if (count < kVectorsFrom) return std::sort(first, first + count);
  if constexpr (sizeof(T) == 1) {
    std::array<std::int64_t, 256> counts{};
    count_integers(first, count, counts.data());
  } else {
    if constexpr (sizeof(T) == 2) {
      if (count >= kCountedFrom) {
        std::vector<std::int64_t> counts(std::size_t{1} << 16);
        return count_integers(first, count, counts.data());
      }
    }
    sort_by_vectors(first, count);
  }
}

}  // namespace pilum::numeric
