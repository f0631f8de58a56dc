// Cells of a line as a sort of numbers takes them, and what it has lost of them given back.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "numeric/body_walk.h"
#include "numeric/radix_sort.h"

namespace pilum::numeric {

// Signed integers in the order of numbers, -0.0 before 0.0, lie where these did: as their bits do where no sign is set.
template <class T>
struct NumberKey {
  using Bits = typename SortKey<T>::Bits;
  using Key = std::make_signed_t<Bits>;

  // And the other way round.
  static Key of(Key bits) {
    return static_cast<Key>(bits ^ static_cast<Key>(static_cast<Bits>(bits >> (8 * sizeof(T) - 1)) >> 1));
  }
};

// How many numbers there are, and whether a -0.0 is among them.
struct NumberCopy {
  std::int64_t numbers = 0;
  bool has_negative_zero = false;
};

namespace number_copy {

constexpr std::int64_t kBlock = 512;  // cells that are looked at together

template <class T>
bool is_nan(T cell) {
  if constexpr (sizeof(T) == 2) {
    return (std::bit_cast<std::uint16_t>(cell) & 0x7fff) > 0x7c00;
  } else {
    return cell != cell;
  }
}

template <class T>
bool is_zero(T cell) {
  if constexpr (sizeof(T) == 2) {
    return (std::bit_cast<std::uint16_t>(cell) & 0x7fff) == 0;
  } else {
    return cell == T(0);
  }
}

struct Found {
  bool nan, negative;
};

// Without branches: by vectors.
template <class T>
Found look(const T* cells, std::int64_t count) {
  using Bits = typename SortKey<T>::Bits;
  Bits nans = 0, all = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    nans |= is_nan(cells[i]) ? static_cast<Bits>(~Bits(0)) : Bits(0);
    all |= std::bit_cast<Bits>(cells[i]);
  }
  return {nans != 0, (all & SortKey<T>::kSign) != 0};
}

template <class T>
bool any_negative_zero(const T* cells, std::int64_t count) {
  using Bits = typename SortKey<T>::Bits;
  Bits zeros = 0;
  for (std::int64_t i = 0; i < count; ++i) zeros |= is_zero(cells[i]) ? std::bit_cast<Bits>(cells[i]) : Bits(0);
  return (zeros & SortKey<T>::kSign) != 0;
}

template <bool kKeys, class T>
T as_copied(T cell) {
  using Key = typename NumberKey<T>::Key;
  return kKeys ? std::bit_cast<T>(NumberKey<T>::of(std::bit_cast<Key>(cell))) : cell;
}

}  // namespace number_copy

// The line's numbers to `cells`, and its NaNs behind them, both in their order. Where keys are asked for, the bits of
// floating numbers become theirs.
template <bool kKeys, class T>
NumberCopy copy_numbers(const Line<const T>& from, T* cells) {
  using namespace number_copy;
  if constexpr (!pilum::detail::kIsFloating<T>) {
    if (from.step == 1) {
      std::memcpy(cells, from.first, static_cast<std::size_t>(from.count) * sizeof(T));
    } else {
      for (std::int64_t i = 0; i < from.count; ++i) cells[i] = from[i];
    }
    return {from.count, false};
  } else {
    NumberCopy copied;
    T* const end = cells + from.count;
    T* nans = end;  // from here on, the last one first
    T block[kBlock];
    for (std::int64_t begin = 0; begin < from.count; begin += kBlock) {
      const std::int64_t count = std::min(kBlock, from.count - begin);
      const T* some = from.first + begin;
      if (from.step != 1) {
        for (std::int64_t i = 0; i < count; ++i) block[i] = from[begin + i];
        some = block;
      }
      const Found found = look(some, count);
      if (found.negative) copied.has_negative_zero |= any_negative_zero(some, count);
      if (!found.nan) {
        T* __restrict const to = cells + copied.numbers;
        if (kKeys && found.negative) {
          for (std::int64_t i = 0; i < count; ++i) to[i] = as_copied<kKeys>(some[i]);
        } else {
          std::memcpy(static_cast<void*>(to), some, static_cast<std::size_t>(count) * sizeof(T));
        }
        copied.numbers += count;
        continue;
      }
      for (std::int64_t i = 0; i < count; ++i) {
        if (is_nan(some[i])) {
          *--nans = some[i];
        } else {
          cells[copied.numbers++] = as_copied<kKeys>(some[i]);
        }
      }
    }
    std::reverse(nans, end);
    return copied;
  }
}

// Zeros among sorted numbers as they come one after the other in the line.
template <class T>
void restore_zeros(const Line<const T>& from, T* numbers, std::int64_t count) {
  using number_copy::is_zero;
  T* next = std::lower_bound(numbers, numbers + count, T(0), [](T a, T b) { return a < b; });
  for (std::int64_t i = 0; i < from.count; ++i) {
    if (const T cell = from[i]; is_zero(cell)) *next++ = cell;
  }
}

}  // namespace pilum::numeric
