// The part of a launch that a task's body computes, and the cells that belong to its points.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "pilum/shape.h"

namespace pilum {

// A box: the points lo(axis) <= x < hi(axis), axis by axis, outermost first. As a body's first argument: the points of
// the launch's domain that this call computes. As the result of a user's projection: cells, in indices of the array.
class Piece {
 public:
  using Bounds = std::array<std::int64_t, kMaxAxes>;

  constexpr Piece() = default;
  // Piece({0, 4}, {2, 8}): rows 0 and 1, columns 4 to 7.
  constexpr Piece(std::initializer_list<std::int64_t> lo, std::initializer_list<std::int64_t> hi)
      : rank_(static_cast<int>(lo.size() < hi.size() ? hi.size() : lo.size())) {
    std::size_t axis = 0;
    for (const std::int64_t bound : lo) {
      if (axis < lo_.size()) lo_[axis++] = bound;
    }
    axis = 0;
    for (const std::int64_t bound : hi) {
      if (axis < hi_.size()) hi_[axis++] = bound;
    }
  }
  constexpr Piece(int rank, const Bounds& lo, const Bounds& hi) : rank_(rank), lo_(lo), hi_(hi) {}

  constexpr int rank() const { return rank_; }
  constexpr std::int64_t lo(int axis) const { return lo_[static_cast<std::size_t>(axis)]; }
  constexpr std::int64_t hi(int axis) const { return hi_[static_cast<std::size_t>(axis)]; }
  constexpr std::int64_t extent(int axis) const { return hi(axis) - lo(axis); }
  // The number of points.
  constexpr std::int64_t size() const {
    std::int64_t product = 1;
    for (int axis = 0; axis < rank_; ++axis) product *= extent(axis) < 0 ? 0 : extent(axis);
    return product;
  }
  constexpr const Bounds& lo() const { return lo_; }
  constexpr const Bounds& hi() const { return hi_; }
  bool operator==(const Piece&) const = default;

 private:
  int rank_ = 0;
  Bounds lo_{}, hi_{};
};

// Cells that a user's projection gives for a point.
using Box = Piece;

// The cells of one axis of an array that belong to a point x of the domain: `extent` of them, from
// offset + scale * x[axis] on; with an axis of -1, `extent` of them from `offset` on. Clipped at the array's ends.
struct AxisCells {
  int axis = -1;
  std::int64_t scale = 1;
  std::int64_t offset = 0;
  std::int64_t extent = 1;
  bool operator==(const AxisCells&) const = default;
};

}  // namespace pilum
