// Where a line's cells stand in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/parted_sort.h"
#include "numeric/place_words.h"
#include "numeric/radix_sort.h"
#include "numeric/short_sort.h"
#include "numeric/sort_room.h"

namespace pilum::numeric {

// Orders lines of real numbers as LineSort sorts them, equal cells by their places: by words, which lie where the
// result does.
template <class T>
class LineOrder {
 public:
  explicit LineOrder(std::int64_t lines) : lines_(lines) {}

  void order(const Line<const T>& from, const Line<std::int64_t>& to) {
    const bool is_done = order_short_line(
        from.count, [&](std::int64_t i) { return SortKey<T>::of(from[i]); },
        [&](std::int64_t place, std::int64_t number) { to[place] = number; });
    if (is_done) return;
    const std::int64_t count = from.count, parts = parts_of_line(count, lines_);
    auto* const words = to.step == 1 ? reinterpret_cast<std::uint64_t*>(to.first) : words_.get(count);
    const PlaceWords form = write_keys(from, words, parts);
    const bool needs_room = parts > 1 || form.by_digits(count);
    sort_in_parts(count, parts, words, needs_room ? room_.get(count) : nullptr,
                  [&](std::int64_t begin, std::int64_t end, std::uint64_t* part, std::uint64_t* room) {
                    for (std::int64_t i = begin; i < end; ++i) part[i - begin] = form.word(words[i], i);
                    sort_words(form, part, end - begin, room);
                    return end - begin;
                  });
    write_places(from, form, words, parts);
    for (std::int64_t i = 0; to.step != 1 && i < count; ++i) to[i] = static_cast<std::int64_t>(words[i]);
  }

 private:
  static std::uint64_t key_of(T cell) { return SortKey<T>::of(cell); }

  static PlaceWords write_keys(const Line<const T>& from, std::uint64_t* keys, std::int64_t parts) {
    struct Range {
      std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), greatest = 0;
    };
    std::vector<Range> ranges(static_cast<std::size_t>(parts));
    device::share_work(parts, [&](std::int64_t part) {
      Range range;
      for (std::int64_t i = from.count * part / parts; i < from.count * (part + 1) / parts; ++i) {
        const std::uint64_t key = key_of(from[i]);
        keys[i] = key;
        range = {std::min(range.least, key), std::max(range.greatest, key)};
      }
      ranges[static_cast<std::size_t>(part)] = range;
    });
    Range all;
    for (const Range& range : ranges) all = {std::min(all.least, range.least), std::max(all.greatest, range.greatest)};
    return {all.least, all.greatest, from.count};
  }

  // Words of the same keys stay together.
  static void write_places(const Line<const T>& from, const PlaceWords& form, std::uint64_t* words,
                           std::int64_t parts) {
    std::vector<std::int64_t> begins = {0};
    for (std::int64_t part = 1; part < parts; ++part) {
      std::int64_t begin = std::max(begins.back(), from.count * part / parts);
      while (begin > 0 && begin < from.count && form.key(words[begin]) == form.key(words[begin - 1])) ++begin;
      begins.push_back(begin);
    }
    begins.push_back(from.count);
    device::share_work(parts, [&](std::int64_t part) {
      const std::int64_t begin = begins[static_cast<std::size_t>(part)];
      settle_places(form, words + begin, begins[static_cast<std::size_t>(part) + 1] - begin, form.left,
                    [&from](std::uint64_t place) { return key_of(from[static_cast<std::int64_t>(place)]); });
    });
  }

  const std::int64_t lines_;
  Room<std::uint64_t> words_, room_;
};

}  // namespace pilum::numeric
