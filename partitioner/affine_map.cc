#include "partitioner/affine_map.h"

namespace pilum::partitioner {
namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return quotient * b > a ? quotient - 1 : quotient;
}

}  // namespace

AffineMap AffineMap::identity(int rank) {
  AffineMap map;
  map.store_rank = map.view_rank = rank;
  for (int axis = 0; axis < rank; ++axis) map[axis] = AxisMap{static_cast<std::int8_t>(axis), 1, 0};
  return map;
}

int AffineMap::store_axis_of(int axis) const {
  for (int k = 0; k < store_rank; ++k) {
    if ((*this)[k].axis == axis) return k;
  }
  return -1;
}

Rect image(const AffineMap& map, const Rect& domain) {
  Rect cells{map.store_rank};
  if (domain.empty()) {
    cells.make_empty();
    return cells;
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(map.store_rank); ++k) {
    const AxisMap& axis = map.axes[k];
    if (axis.axis < 0) {
      cells.lo[k] = axis.offset;
      cells.hi[k] = axis.offset + 1;
      continue;
    }
    const auto a = static_cast<std::size_t>(axis.axis);
    const std::int64_t first = axis.offset + axis.scale * domain.lo[a];
    const std::int64_t last = axis.offset + axis.scale * (domain.hi[a] - 1);
    cells.lo[k] = std::min(first, last);
    cells.hi[k] = std::max(first, last) + 1;
  }
  return cells;
}

Rect preimage(const AffineMap& map, const Rect& cells, const Rect& domain) {
  Rect points = domain;
  if (map.store_rank == 0 && cells.empty()) points.make_empty();
  for (std::size_t k = 0; k < static_cast<std::size_t>(map.store_rank); ++k) {
    const AxisMap& axis = map.axes[k];
    if (axis.axis < 0) {
      if (axis.offset < cells.lo[k] || axis.offset >= cells.hi[k]) points.make_empty();
      continue;
    }
    const auto a = static_cast<std::size_t>(axis.axis);
    // cells.lo <= offset + scale * x < cells.hi
    std::int64_t low = cells.lo[k] - axis.offset;
    std::int64_t high = cells.hi[k] - 1 - axis.offset;
    if (axis.scale < 0) std::swap(low, high);
    const std::int64_t scale = axis.scale < 0 ? -axis.scale : axis.scale;
    const std::int64_t sign = axis.scale < 0 ? -1 : 1;
    const std::int64_t first = -floor_divide(-sign * low, scale);  // the least x with scale * x >= low
    const std::int64_t last = floor_divide(sign * high, scale);
    points.lo[a] = std::max(points.lo[a], first);
    points.hi[a] = std::max(points.lo[a], std::min(points.hi[a], last + 1));
  }
  return points;
}

std::string to_string(const AffineMap& map) {
  std::string text = "[";
  for (int k = 0; k < map.store_rank; ++k) {
    const AxisMap& axis = map[k];
    if (k) text += ", ";
    if (axis.axis < 0) {
      text += std::to_string(axis.offset);
      continue;
    }
    if (axis.scale == -1) text += "-";
    if (axis.scale != 1 && axis.scale != -1) text += std::to_string(axis.scale);
    text += "x" + std::to_string(axis.axis);
    if (axis.offset) text += (axis.offset > 0 ? "+" : "") + std::to_string(axis.offset);
  }
  return text + "]";
}

}  // namespace pilum::partitioner
