#include "partitioner/tiling.h"

#include <limits>
#include <numeric>

namespace pilum::partitioner {
namespace {

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {  // b > 0
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

// The same parts by smaller numbers, so that what views of every second cell are cut at looks alike, wherever they
// begin: with s = g * s' and a part's range w = g * w', offset + w * i <= s * x is ceil(offset / g) + w' * i <= s' * x.
AxisTiling simplified(AxisTiling axis) {
  if (axis.table || axis.range % axis.parts != 0) return axis;
  const std::int64_t common = std::gcd(axis.range / axis.parts, axis.scale);
  if (common < 2) return axis;
  axis.range /= common;
  axis.scale /= common;
  axis.offset = ceil_divide(axis.offset, common);
  return axis;
}

}  // namespace

Tiling Tiling::replicated(const Rect& box) {
  Tiling tiling;
  tiling.box_ = box;
  tiling.replicated_ = true;
  return tiling;
}

Tiling Tiling::on_one(const Rect& box) {
  Tiling tiling;
  tiling.box_ = box;
  return tiling;
}

Tiling Tiling::even(const Rect& box, const std::array<int, kMaxAxes>& parts) {
  Tiling tiling;
  tiling.box_ = box;
  int stride = 1;
  for (int axis = box.rank - 1; axis >= 0; --axis) {
    const auto k = static_cast<std::size_t>(axis);
    if (parts[k] <= 1) continue;
    tiling.axes_[k] = AxisTiling{parts[k], stride, box.extent(axis), box.lo[k], 1};
    stride *= parts[k];
  }
  tiling.processors_ = stride;
  return tiling;
}

Tiling Tiling::cut(const Rect& box, const std::array<AxisTiling, kMaxAxes>& axes, int processors) {
  Tiling tiling;
  tiling.box_ = box;
  tiling.axes_ = axes;
  tiling.processors_ = processors;
  return tiling;
}

// x with cut(part) <= scale * x < cut(part + 1), open outwards.
void Tiling::part_range(const AxisTiling& axis, std::int64_t part, std::int64_t& lo, std::int64_t& hi) const {
  constexpr auto kInfinite = std::numeric_limits<std::int64_t>::max() / 4;
  const std::int64_t low = part == 0 ? -kInfinite : axis.cut(part);
  const std::int64_t high = part == axis.parts - 1 ? kInfinite : axis.cut(part + 1);
  if (axis.scale > 0) {
    lo = ceil_divide(low, axis.scale);
    hi = ceil_divide(high, axis.scale);
  } else {  // low <= -s * x < high: x in (-high/s, -low/s]
    lo = -ceil_divide(high, -axis.scale) + 1;
    hi = -ceil_divide(low, -axis.scale) + 1;
  }
}

std::int64_t Tiling::part_of(const AxisTiling& axis, std::int64_t x) {
  const std::int64_t cell = axis.scale * x;
  std::int64_t low = 0, high = axis.parts - 1;  // the last part whose cut is <= cell
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (axis.cut(middle) <= cell) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Cells that lie in one part are cut as if it had no others: so what is computed from a few of a large array's cells
// lies alike wherever these are.
AxisTiling Tiling::in_one_part(const AxisTiling& axis, std::int64_t lo, std::int64_t extent) {
  if (extent <= 0) return axis;
  const std::int64_t part = part_of(axis, lo);
  if (part_of(axis, lo + extent - 1) != part) return axis;
  return {axis.parts, axis.stride, axis.parts * extent, lo - part * extent};
}

Rect Tiling::tile(int processor) const {
  if (replicated_) return box_;
  Rect tile = box_;
  if (processor >= processors_) {
    tile.make_empty();
    return tile;
  }
  for (int i = 0; i < fixed_count_; ++i) {
    const FixedPart& fixed = fixed_[static_cast<std::size_t>(i)];
    if ((processor / fixed.stride) % fixed.parts != fixed.index) {
      tile.make_empty();
      return tile;
    }
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(box_.rank); ++k) {
    const AxisTiling& axis = axes_[k];
    if (axis.parts <= 1) continue;
    std::int64_t lo = 0, hi = 0;
    part_range(axis, (processor / axis.stride) % axis.parts, lo, hi);
    tile.lo[k] = std::max(tile.lo[k], lo);
    tile.hi[k] = std::max(tile.lo[k], std::min(tile.hi[k], hi));
  }
  return tile;
}

void Tiling::for_each_tile(const Rect& rect, const std::function<void(int, const Rect&)>& visit) const {
  const Rect inside = intersect(rect, box_);
  if (inside.empty()) return;
  int base = 0;
  for (int i = 0; i < fixed_count_; ++i) {
    const FixedPart& fixed = fixed_[static_cast<std::size_t>(i)];
    base += fixed.index * fixed.stride;
  }
  std::array<std::int64_t, kMaxAxes> first{}, last{}, part{};
  const auto rank = static_cast<std::size_t>(box_.rank);
  for (std::size_t k = 0; k < rank; ++k) {
    if (axes_[k].parts <= 1) continue;
    first[k] = part_of(axes_[k], inside.lo[k]);
    last[k] = part_of(axes_[k], inside.hi[k] - 1);
    if (first[k] > last[k]) std::swap(first[k], last[k]);
  }
  part = first;
  while (true) {
    int processor = base;
    Rect common = inside;
    for (std::size_t k = 0; k < rank; ++k) {
      if (axes_[k].parts <= 1) continue;
      processor += static_cast<int>(part[k]) * axes_[k].stride;
      std::int64_t lo = 0, hi = 0;
      part_range(axes_[k], part[k], lo, hi);
      common.lo[k] = std::max(common.lo[k], lo);
      common.hi[k] = std::max(common.lo[k], std::min(common.hi[k], hi));
    }
    if (!common.empty()) visit(processor, common);
    std::size_t k = rank;
    while (k > 0 && (axes_[k - 1].parts <= 1 || part[k - 1] == last[k - 1])) {
      if (axes_[k - 1].parts > 1) part[k - 1] = first[k - 1];
      --k;
    }
    if (k == 0) return;
    ++part[k - 1];
  }
}

Tiling Tiling::pull_back(const AffineMap& map, const Rect& domain) const {
  if (replicated_) return replicated(domain);
  Tiling tiling;
  tiling.box_ = domain;
  tiling.processors_ = processors_;
  tiling.fixed_count_ = fixed_count_;
  tiling.fixed_ = fixed_;
  for (int k = 0; k < map.store_rank; ++k) {
    const AxisTiling& cut = axis(k);
    if (cut.parts <= 1) continue;
    if (map[k].axis < 0) {
      tiling.fixed_[static_cast<std::size_t>(tiling.fixed_count_++)] =
          FixedPart{cut.parts, cut.stride, static_cast<std::int32_t>(part_of(cut, map[k].offset))};
      continue;
    }
    // cell = scale * x + offset, compared with cut(i): subtract the offset from the cuts.
    const auto axis = static_cast<std::size_t>(map[k].axis);
    tiling.axes_[axis] =
        in_one_part(simplified({cut.parts, cut.stride, cut.range, cut.offset - map[k].offset * cut.scale,
                                map[k].scale * cut.scale, cut.table}),
                    domain.lo[axis], domain.extent(map[k].axis));
  }
  return tiling;
}

bool Tiling::is_cut_across(const AffineMap& map) const {
  unsigned followed = 0;
  for (int k = 0; k < map.store_rank; ++k) {
    if (map[k].axis < 0 || axis(k).parts <= 1) continue;
    const unsigned bit = 1U << map[k].axis;
    if (followed & bit) return true;
    followed |= bit;
  }
  return false;
}

Tiling Tiling::align(const Rect& box, const std::array<int, kMaxAxes>& along,
                     const std::array<std::int64_t, kMaxAxes>& shift) const {
  if (replicated_) return replicated(box);
  Tiling tiling;
  tiling.box_ = box;
  tiling.processors_ = processors_;
  tiling.fixed_count_ = fixed_count_;
  tiling.fixed_ = fixed_;
  for (std::size_t k = 0; k < static_cast<std::size_t>(box.rank); ++k) {
    if (along[k] < 0) continue;
    AxisTiling cut = axis(along[k]);
    cut.offset -= shift[k] * cut.scale;
    if (cut.parts > 1) tiling.axes_[k] = cut;
  }
  return tiling;
}

std::string to_string(const Tiling& tiling) {
  if (tiling.is_replicated()) return "replicated";
  std::string parts, cuts;
  for (int axis = 0; axis < tiling.box().rank; ++axis) {
    const AxisTiling& cut = tiling.axis(axis);
    parts += (axis ? "x" : "") + std::to_string(cut.parts);
    if (cut.parts <= 1) continue;
    cuts += " axis " + std::to_string(axis) + " at ";
    if (cut.table) {
      for (int part = 1; part < cut.parts; ++part) cuts += (part > 1 ? "," : "") + std::to_string(cut.cut(part));
    } else {
      cuts += std::to_string(cut.offset) + "+" + std::to_string(cut.range) + "*i/" + std::to_string(cut.parts);
    }
    if (cut.scale != 1) cuts += " (x" + std::to_string(cut.scale) + ")";
  }
  return (parts.empty() ? "1" : parts) + cuts;
}

}  // namespace pilum::partitioner
