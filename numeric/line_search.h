// Numbers looked for among sorted ones.
#pragma once

#include <algorithm>
#include <cstdint>

#include "numeric/body_walk.h"
#include "numeric/cell_order.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {

// Whether `a` stands before `b`, NaNs last.
template <class T>
bool stands_before(T a, T b) {
  if constexpr (pilum::detail::kIsFloating<T>) {
    return a < b || (b != b && a == a);
  } else {
    return is_before(a, b);
  }
}

// How many cells from the first one on hold; those that do stand before all others. Numbers in order have their places
// near the one before's, which is looked at first.
template <class T, class Holds>
std::int64_t count_from_first(const Line<const T>& line, const Holds& holds, std::int64_t near = 0) {
  constexpr std::int64_t kNear = 8;
  std::int64_t low = 0, high = line.count;
  const std::int64_t before = std::max<std::int64_t>(near - kNear, 0), after = near + kNear;
  if (before < high) (holds(line[before]) ? low : high) = before;
  if (after < high) (holds(line[after]) ? low : high) = after;
  for (std::int64_t count = high - low; count > 0;) {
    const std::int64_t half = (count + 1) / 2;
    const bool goes_on = holds(line[low + half - 1]);
    low += goes_on ? half : 0;
    count = goes_on ? count - half : half - 1;
  }
  return low;
}

// How many cells do not stand behind `number`, first looked for where it would be among cells evenly apart.
template <class T>
std::int64_t count_among_even(const Line<const T>& line, T number) {
  const auto is_left = [&](T cell) { return !stands_before(number, cell); };
  if constexpr (requires { static_cast<double>(number); }) {
    const auto first = static_cast<double>(line[0]), last = static_cast<double>(line[line.count - 1]);
    const double part = (static_cast<double>(number) - first) / (last - first);
    if (part >= 0 && part < 1) {
      const auto guess = static_cast<std::int64_t>(part * static_cast<double>(line.count - 1));
      for (std::int64_t count = std::max<std::int64_t>(guess, 1); count < std::min(guess + 3, line.count); ++count) {
        if (is_left(line[count - 1]) && !is_left(line[count])) return count;
      }
    }
  }
  return count_from_first(line, is_left);
}

}  // namespace pilum::numeric
