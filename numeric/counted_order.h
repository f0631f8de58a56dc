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
#include "numeric/radix_sort.h"

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
      least_ = std::min(least_, SortKey<T>::of(cell));
      most = std::max(most, SortKey<T>::of(cell));
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
    if (part != part_) gather(part);
    const bool are_equal = shift_ == 0;  // all of a part
    if (!are_equal && here >= done_) {
      std::nth_element(cells_.begin() + done_, cells_.begin() + here, cells_.end());
      done_ = here + 1;
    }
    const T cell = are_equal ? cells_.front() : cells_[static_cast<std::size_t>(here)];
    return std::is_floating_point_v<T> && cell == T(0) ? zero_at(here) : cell;
  }

 private:
  using Key = typename SortKey<T>::Bits;
  static constexpr int kBits = 14;
  static constexpr std::size_t kParts = std::size_t{1} << kBits;

  std::size_t part_of(T cell) const { return static_cast<std::size_t>((SortKey<T>::of(cell) - least_) >> shift_); }

  // Of those that are equal, the first.
  void gather(std::ptrdiff_t part) {
    const auto number = static_cast<std::size_t>(part);
    cells_.clear();
    const auto count = shift_ == 0 ? 1 : static_cast<std::size_t>(starts_[number + 1] - starts_[number]);
    cells_.reserve(count);
    for (std::int64_t i = 0; cells_.size() < count; ++i) {
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
