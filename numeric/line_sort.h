// A line's cells in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "numeric/body_walk.h"
#include "numeric/number_copy.h"
#include "numeric/number_sort.h"
#include "numeric/parted_sort.h"
#include "numeric/radix_sort.h"
#include "numeric/short_sort.h"
#include "numeric/sort_room.h"

namespace pilum::numeric {

// Sorts lines of real numbers by cores, one after the other. Equal cells that differ, zeros of both signs and NaNs,
// keep their order in each of its ways, so that all give the same bits. `lines`: how many the lane has to sort at once.
template <class T>
class LineSort {
 public:
  explicit LineSort(std::int64_t lines) : lines_(lines) {}

  void sort(const Line<const T>& from, const Line<T>& to) {
    const std::int64_t count = from.count;
    const bool is_done = order_short_line(
        count, [&](std::int64_t i) { return SortKey<T>::of(from[i]); },
        [&](std::int64_t place, std::int64_t number) { to[place] = from[number]; });
    if (is_done) return;
    T* const cells = to.step == 1 ? to.first : cells_.get(count);
    const std::int64_t parts = sizeof(T) > 2 ? parts_of_line(count, lines_) : 1;  // small cells are counted
    const bool needs_room = parts > 1 || (!has_vector_sort() && count >= kRadixFrom<T>);
    sort_in_parts(count, parts, cells, needs_room ? room_.get(count) : nullptr,
                  [&from](std::int64_t begin, std::int64_t end, T* part, T* room) {
                    return sort_part({&from[begin], from.step, end - begin}, part, room);
                  });
    for (std::int64_t i = 0; cells != to.first && i < count; ++i) to[i] = cells[i];
  }

 private:
  // How many numbers there are.
  static std::int64_t sort_part(const Line<const T>& from, T* cells, T* room) {
    const NumberCopy copied = has_vector_sort() ? sort_by_keys(from, cells) : sort_by_digits(from, cells, room);
    if constexpr (pilum::detail::kIsFloating<T>) {
      if (copied.has_negative_zero) restore_zeros(from, cells, copied.numbers);
    }
    return copied.numbers;
  }

  // Where floating numbers are, integers lie for the time of the sort (-fno-strict-aliasing).
  static NumberCopy sort_by_keys(const Line<const T>& from, T* cells) {
    const NumberCopy copied = copy_numbers</*kKeys=*/true>(from, cells);
    if constexpr (pilum::detail::kIsFloating<T>) {
      using Key = typename NumberKey<T>::Key;
      auto* const keys = reinterpret_cast<Key*>(cells);
      sort_integers(keys, copied.numbers);
      const Key* const negative_end = std::lower_bound(keys, keys + copied.numbers, Key{0});
      for (Key* key = keys; key != negative_end; ++key) *key = NumberKey<T>::of(*key);
    } else {
      sort_integers(cells, copied.numbers);
    }
    return copied;
  }

  static NumberCopy sort_by_digits(const Line<const T>& from, T* cells, T* room) {
    const NumberCopy copied = copy_numbers</*kKeys=*/false>(from, cells);
    if (copied.numbers < kRadixFrom<T>) {
      std::sort(cells, cells + copied.numbers);
      return copied;
    }
    const auto size = static_cast<std::size_t>(copied.numbers);
    const std::span<T> sorted = radix_sort<typename SortKey<T>::Bits>(std::span(cells, size), std::span(room, size),
                                                                      [](T cell) { return SortKey<T>::of(cell); });
    if (sorted.data() != cells) std::copy(sorted.begin(), sorted.end(), cells);
    return copied;
  }

  const std::int64_t lines_;
  Room<T> cells_, room_;
};

}  // namespace pilum::numeric
