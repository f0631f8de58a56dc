// Points and rectangles of up to 8 axes, rank known at run time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "pilum/shape.h"

namespace pilum {

// Coordinates of a cell, or an offset between two. Entries beyond rank are zero.
struct Point {
  int rank = 0;
  std::array<std::int64_t, kMaxAxes> x{};

  std::int64_t operator[](int axis) const { return x[static_cast<std::size_t>(axis)]; }
  std::int64_t& operator[](int axis) { return x[static_cast<std::size_t>(axis)]; }
  bool operator==(const Point&) const = default;
  auto operator<=>(const Point&) const = default;
};

// The cells lo <= x < hi, axis by axis. A rectangle of rank 0 holds one cell, or none: then hi[0] is -1. Entries beyond
// rank are zero otherwise.
struct Rect {
  int rank = 0;
  std::array<std::int64_t, kMaxAxes> lo{};
  std::array<std::int64_t, kMaxAxes> hi{};

  static Rect of(const Shape& shape) {
    Rect rect{shape.rank()};
    std::copy(shape.begin(), shape.end(), rect.hi.begin());
    return rect;
  }
  static Rect of(std::initializer_list<std::int64_t> lo, std::initializer_list<std::int64_t> hi) {
    Rect rect{static_cast<int>(lo.size())};
    std::copy(lo.begin(), lo.end(), rect.lo.begin());
    std::copy(hi.begin(), hi.end(), rect.hi.begin());
    return rect;
  }

  std::int64_t extent(int axis) const {
    return hi[static_cast<std::size_t>(axis)] - lo[static_cast<std::size_t>(axis)];
  }
  void make_empty() {
    hi = lo;
    if (rank == 0) hi[0] = -1;
  }
  bool empty() const {
    if (rank == 0) return hi[0] < 0;
    for (int axis = 0; axis < rank; ++axis) {
      if (extent(axis) <= 0) return true;
    }
    return false;
  }
  std::int64_t cells() const {
    std::int64_t product = rank == 0 && empty() ? 0 : 1;
    for (int axis = 0; axis < rank; ++axis) product *= std::max<std::int64_t>(extent(axis), 0);
    return product;
  }
  bool contains(const Rect& other) const {
    if (other.empty()) return true;
    if (rank == 0) return !empty();
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank); ++axis) {
      if (other.lo[axis] < lo[axis] || other.hi[axis] > hi[axis]) return false;
    }
    return true;
  }
  bool operator==(const Rect&) const = default;
  auto operator<=>(const Rect&) const = default;
};

inline Rect intersect(const Rect& a, const Rect& b) {
  if (a.rank == 0) return a.empty() ? a : b;
  Rect both = a;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(a.rank); ++axis) {
    both.lo[axis] = std::max(a.lo[axis], b.lo[axis]);
    both.hi[axis] = std::max(both.lo[axis], std::min(a.hi[axis], b.hi[axis]));
  }
  return both;
}

inline bool overlaps(const Rect& a, const Rect& b) {
  if (a.rank == 0) return !a.empty() && !b.empty();
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(a.rank); ++axis) {
    if (std::max(a.lo[axis], b.lo[axis]) >= std::min(a.hi[axis], b.hi[axis])) return false;
  }
  return true;
}

// The smallest rectangle around both; an empty one does not count.
inline Rect hull(const Rect& a, const Rect& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Rect around = a;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(a.rank); ++axis) {
    around.lo[axis] = std::min(a.lo[axis], b.lo[axis]);
    around.hi[axis] = std::max(a.hi[axis], b.hi[axis]);
  }
  return around;
}

inline Rect shift(Rect rect, const Point& offset) {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rect.rank); ++axis) {
    rect.lo[axis] += offset.x[axis];
    rect.hi[axis] += offset.x[axis];
  }
  return rect;
}

// "[0:3, 4:8]"
std::string to_string(const Rect& rect);
std::string to_string(const Point& point);
std::ostream& operator<<(std::ostream& out, const Rect& rect);
std::ostream& operator<<(std::ostream& out, const Point& point);

}  // namespace pilum
