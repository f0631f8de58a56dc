// Cells of a line in order, digit by digit, on a core.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include "pilum/operand.h"

namespace pilum::numeric {

// Unsigned integers whose order is that of cells: equal cells, as 0.0 and -0.0 are, and all NaNs, which stand last,
// have the same one. As on GPUs (gpu_sort_text.cc).
template <class T>
struct SortKey {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                                     std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));

  static Bits of(T cell) {
    Bits bits;
    std::memcpy(&bits, &cell, sizeof bits);
    if constexpr (pilum::detail::kIsFloating<T>) {
      constexpr Bits kInfinity = infinity(), kLast = static_cast<Bits>(2 * kInfinity + 1);
      const auto magnitude = static_cast<Bits>(bits & ~kSign);
      const auto key = static_cast<Bits>((bits & kSign ? Bits(0) - magnitude : magnitude) + kInfinity);
      return std::min(key, kLast);
    } else if constexpr (std::is_signed_v<T>) {
      return bits ^ kSign;
    } else {
      return bits;
    }
  }

 private:
  static constexpr Bits infinity() {
    if constexpr (sizeof(T) == 8) return 0x7ff0000000000000;
    if constexpr (sizeof(T) == 4) return 0x7f800000;
    return 0x7c00;
  }
};

// From so many cells on digits are faster than comparisons: counts are set to 0 and added up for each digit.
template <class T>
inline constexpr std::int64_t kRadixFrom = 32 * static_cast<std::int64_t>(sizeof(T));

// How many items have each digit, of all digits of the keys.
template <class Bits>
using DigitCounts = std::array<std::array<std::size_t, 256>, sizeof(Bits)>;

template <class Bits, class Item, class KeyOf>
DigitCounts<Bits> count_digits(std::span<const Item> items, const KeyOf& key_of) {
  DigitCounts<Bits> counts{};
  for (const Item& item : items) {
    const Bits key = key_of(item);
    for (std::size_t digit = 0; digit < counts.size(); ++digit) ++counts[digit][key >> (8 * digit) & 255];
  }
  return counts;
}

// The items in the order of their keys, equal ones in theirs: in `items` or in `room`, of as many, which is told.
template <class Bits, class Item, class KeyOf>
std::span<Item> radix_sort(std::span<Item> items, std::span<Item> room, const KeyOf& key_of) {
  const DigitCounts<Bits> all_counts = count_digits<Bits>(std::span<const Item>(items), key_of);
  for (std::size_t digit = 0; digit < all_counts.size(); ++digit) {
    const auto digit_of = [&](const Item& item) { return static_cast<std::size_t>(key_of(item) >> (8 * digit) & 255); };
    const auto& counts = all_counts[digit];
    if (counts[digit_of(items.front())] == items.size()) continue;  // all have the same one
    std::array<std::size_t, 256> next{};
    std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::size_t{0});
    for (const Item& item : items) room[next[digit_of(item)]++] = item;
    std::swap(items, room);
  }
  return items;
}

}  // namespace pilum::numeric
