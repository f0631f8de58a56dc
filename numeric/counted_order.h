// Cells at places of a long line's order, found by counting.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "numeric/body_walk.h"

namespace pilum::numeric {

// Three passes over the line and none of them sorts: the range of its keys; how many are in each of many equal parts of
// it; and, for each part with a wanted place, the cells of that part, of which few are left to be put in order. Zeros
// of either sign are equal, and keep their order, as in sorts.
template <class T>
class CountedOrder {
 public:
  static constexpr bool kServes = sizeof(T) >= 4 && (std::is_integral_v<T> || std::is_floating_point_v<T>);
  static constexpr std::int64_t kFrom = std::int64_t{1} << 16;  // cells: of fewer the counts cost more than they save

  // How many cells of the line are numbers.
  std::int64_t take(const Line<const T>& line) {
    line_ = line;
    Key most = 0;
    least_ = ~Key{0};
    std::int64_t numbers = 0;
    for (std::int64_t i = 0; i < line.count; ++i) {
      const T cell = line[i];
      if (cell != cell) continue;
      least_ = std::min(least_, key_of(cell));
      most = std::max(most, key_of(cell));
      ++numbers;
    }
    part_ = -1;
    cells_.clear();
    starts_.assign(kParts + 1, 0);
    if (numbers == 0) return 0;
    shift_ = std::max(0, static_cast<int>(std::bit_width(static_cast<Key>(most - least_))) - kBits);
    for (std::int64_t i = 0; i < line.count; ++i) {
      if (line[i] == line[i]) ++starts_[part_of(line[i]) + 1];
    }
    for (std::size_t part = 0; part < kParts; ++part) starts_[part + 1] += starts_[part];
    return numbers;
  }

  // Never before the last one that was asked for but one.
  T at(std::int64_t place) {
    const auto end = std::upper_bound(starts_.begin(), starts_.end(), place);
    const auto part = end - starts_.begin() - 1;
    const std::int64_t here = place - starts_[static_cast<std::size_t>(part)];
    if (shift_ == 0) {  // all of a part are equal
      const T cell = number_of(least_ + static_cast<Key>(part));
      return std::is_floating_point_v<T> && cell == T(0) ? zero_at(here) : cell;
    }
    if (part != part_) gather(part);
    if (here >= done_) {
      std::nth_element(cells_.begin() + done_, cells_.begin() + here, cells_.end());
      done_ = here + 1;
    }
    const T cell = cells_[static_cast<std::size_t>(here)];
    return std::is_floating_point_v<T> && cell == T(0) ? zero_at(here) : cell;
  }

 private:
  using Key = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr int kBits = 14;
  static constexpr std::size_t kParts = std::size_t{1} << kBits;
  static constexpr Key kSign = Key{1} << (8 * sizeof(T) - 1);

  // In the order of the numbers; one for both zeros.
  static Key key_of(T cell) {
    if constexpr (std::is_floating_point_v<T>) {
      const Key bits = std::bit_cast<Key>(cell + T(0));  // -0 + 0 is 0
      return bits ^ (static_cast<Key>(-(bits >> (8 * sizeof(T) - 1))) | kSign);
    } else {
      return std::is_signed_v<T> ? std::bit_cast<Key>(cell) ^ kSign : std::bit_cast<Key>(cell);
    }
  }
  static T number_of(Key key) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::bit_cast<T>(static_cast<Key>(key ^ ((key & kSign) ? kSign : ~Key{0})));
    } else {
      return std::bit_cast<T>(static_cast<Key>(std::is_signed_v<T> ? key ^ kSign : key));
    }
  }
  std::size_t part_of(T cell) const { return static_cast<std::size_t>((key_of(cell) - least_) >> shift_); }

  void gather(std::ptrdiff_t part) {
    const auto number = static_cast<std::size_t>(part);
    cells_.clear();
    cells_.reserve(static_cast<std::size_t>(starts_[number + 1] - starts_[number]));
    for (std::int64_t i = 0; i < line_.count; ++i) {
      if (line_[i] == line_[i] && part_of(line_[i]) == number) cells_.push_back(line_[i]);
    }
    part_ = part;
    done_ = 0;
  }

  // Of the cells of the part, in their order.
  T zero_at(std::int64_t here) const {
    for (const T cell : cells_) here -= cell < T(0);
    for (std::int64_t i = 0;; ++i) {
      if (line_[i] == T(0) && here-- == 0) return line_[i];
    }
  }

  Line<const T> line_{};
  Key least_ = 0;
  int shift_ = 0;
  std::vector<std::int64_t> starts_;  // of each part, among the numbers in order
  std::ptrdiff_t part_ = -1;          // whose cells are in cells_
  std::vector<T> cells_;
  std::int64_t done_ = 0;  // of them: these are in their places
};

}  // namespace pilum::numeric
