// Random geometry, and what it means cell by cell: the oracles of this folder's tests.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "partitioner/affine_map.h"

namespace pilum::partitioner {

using Cell = std::array<std::int64_t, kMaxAxes>;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
  }
  bool once_in(int times) { return between(1, times) == 1; }

 private:
  std::mt19937_64 engine_;
};

// Visits the cells lo <= x < hi in row-major order.
inline void for_each_cell(const Rect& rect, const std::function<void(const Cell&)>& visit) {
  for (int axis = 0; axis < rect.rank; ++axis) {
    if (rect.hi[static_cast<std::size_t>(axis)] <= rect.lo[static_cast<std::size_t>(axis)]) return;
  }
  Cell cell = rect.lo;
  while (true) {
    visit(cell);
    int axis = rect.rank - 1;
    while (axis >= 0) {
      const auto a = static_cast<std::size_t>(axis);
      if (++cell[a] < rect.hi[a]) break;
      cell[a] = rect.lo[a];
      --axis;
    }
    if (axis < 0) return;
  }
}

inline bool is_inside(const Rect& rect, const Cell& cell) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(rect.rank); ++a) {
    if (cell[a] < rect.lo[a] || cell[a] >= rect.hi[a]) return false;
  }
  return true;
}

inline Cell apply(const AffineMap& map, const Cell& point) {
  Cell cell{};
  for (int k = 0; k < map.store_rank; ++k) {
    const AxisMap& axis = map[k];
    cell[static_cast<std::size_t>(k)] =
        axis.offset + (axis.axis < 0 ? 0 : axis.scale * point[static_cast<std::size_t>(axis.axis)]);
  }
  return cell;
}

// Non-empty, with corners from `least` on.
inline Rect random_rect(Random& random, int rank, std::int64_t least, std::int64_t longest) {
  Rect rect{rank};
  for (std::size_t a = 0; a < static_cast<std::size_t>(rank); ++a) {
    rect.lo[a] = random.between(least, least + longest);
    rect.hi[a] = rect.lo[a] + random.between(1, longest);
  }
  return rect;
}

// Axes may be transposed, dropped and broadcast; steps reach from -most_scale to most_scale.
inline AffineMap random_map(Random& random, int store_rank, int view_rank, std::int64_t most_scale) {
  AffineMap map;
  map.store_rank = store_rank;
  map.view_rank = view_rank;
  std::vector<int> free;
  for (int axis = 0; axis < view_rank; ++axis) free.push_back(axis);
  for (int k = 0; k < store_rank; ++k) {
    map[k].offset = random.between(-20, 20);
    if (free.empty() || random.once_in(4)) continue;
    const auto pick = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(free.size()) - 1));
    map[k].axis = static_cast<std::int8_t>(free[pick]);
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(pick));
    do map[k].scale = random.between(-most_scale, most_scale);
    while (map[k].scale == 0);
  }
  return map;
}

}  // namespace pilum::partitioner
