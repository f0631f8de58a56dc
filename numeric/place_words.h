// Words that hold a cell's key and its place, sorted instead of both.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>

#include "numeric/number_sort.h"
#include "numeric/radix_sort.h"
#include "numeric/vector_sort.h"

namespace pilum::numeric {

// The key above the least one of the line, of which as many bits as there is room for, above the place: words differ,
// and their order is that of a stable sort by what they have of the keys. Of a key's lowest bits `left` found no room.
struct PlaceWords {
  std::uint64_t least;
  int place_bits, left, key_bits;

  PlaceWords(std::uint64_t least_key, std::uint64_t greatest_key, std::int64_t count)
      : least(least_key), place_bits(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1)))) {
    const auto all_bits = static_cast<int>(std::bit_width(greatest_key - least_key));
    left = std::max(0, all_bits + place_bits - 64);
    key_bits = all_bits - left;
  }

  [[nodiscard]] std::uint64_t word(std::uint64_t key, std::int64_t place) const {
    return ((key - least) >> left) << place_bits | static_cast<std::uint64_t>(place);
  }
  [[nodiscard]] std::uint64_t key(std::uint64_t word) const { return word >> place_bits; }
  [[nodiscard]] std::uint64_t place(std::uint64_t word) const { return word & ((std::uint64_t{1} << place_bits) - 1); }
  // Of so many bits of a key that a word does not have, for how many there is room when it has no others.
  [[nodiscard]] int next_bits(int bits_left) const { return std::min(bits_left, 64 - place_bits); }

  // Keys of so few bits go digit by digit, which takes room; all do without vectors, but for few words.
  static constexpr int kFewBits = 16;
  [[nodiscard]] bool by_digits(std::int64_t count) const {
    return key_bits > 0 && count >= kRadixFrom<std::uint64_t> && (key_bits <= kFewBits || !has_vector_sort());
  }
};

// In place; `room`, for as many, where form.by_digits(). Words come in the order of their places.
inline void sort_words(const PlaceWords& form, std::uint64_t* words, std::int64_t count, std::uint64_t* room) {
  if (form.key_bits == 0) return;
  if (!form.by_digits(count)) {
    if (has_vector_sort()) return sort_integers(words, count);
    return std::sort(words, words + count);
  }
  const auto size = static_cast<std::size_t>(count);
  const std::span<std::uint64_t> items(words, size), other(room, size);
  const auto sorted =
      form.key_bits <= PlaceWords::kFewBits
          ? radix_sort<std::uint16_t>(items, other,
                                      [&](std::uint64_t word) { return static_cast<std::uint16_t>(form.key(word)); })
          : radix_sort<std::uint64_t>(items, other, [&](std::uint64_t word) { return form.key(word); });
  if (sorted.data() != words) std::copy(sorted.begin(), sorted.end(), words);
}

// Sorted words become places. Those whose keys are the same as far as they go are sorted again, by the next of the
// `left` bits that they do not have: key_at(place) is a whole key.
template <class KeyAt>
void settle_places(const PlaceWords& form, std::uint64_t* words, std::int64_t count, int left, const KeyAt& key_at) {
  if (left == 0) {
    for (std::int64_t i = 0; i < count; ++i) words[i] = form.place(words[i]);
    return;
  }
  for (std::int64_t begin = 0, end = 0; begin < count; begin = end) {
    const std::uint64_t key = form.key(words[begin]);
    for (end = begin + 1; end < count && form.key(words[end]) == key;) ++end;
    std::uint64_t* const run = words + begin;
    if (end - begin == 1) {
      *run = form.place(*run);
      continue;
    }
    const int taken = form.next_bits(left), still_left = left - taken;
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - taken);
    bool in_order = true;
    for (std::uint64_t* word = run; word != words + end; ++word) {
      const std::uint64_t place = form.place(*word);
      const std::uint64_t bits = (key_at(place) - form.least) >> still_left & mask;
      *word = bits << form.place_bits | place;
      in_order = in_order && (word == run || word[-1] < *word);
    }
    if (!in_order) {
      PlaceWords of_run = form;
      of_run.key_bits = taken;
      const std::unique_ptr<std::uint64_t[]> room =
          of_run.by_digits(end - begin)
              ? std::make_unique_for_overwrite<std::uint64_t[]>(static_cast<std::size_t>(end - begin))
              : nullptr;
      sort_words(of_run, run, end - begin, room.get());
    }
    settle_places(form, run, end - begin, still_left, key_at);
  }
}

}  // namespace pilum::numeric
