#include "scheduler/record/argument.h"

#include <algorithm>

namespace pilum::scheduler {

using partitioner::AffineMap;
using partitioner::Region;

AffineMap Argument::map() const {
  AffineMap composed = view.map;
  if (footprint.offsets()) return composed;
  composed.view_rank = footprint.domain_rank;
  for (int k = 0; k < composed.store_rank; ++k) {
    partitioner::AxisMap& axis = composed[k];
    if (axis.axis < 0) continue;
    const AxisCells window = footprint.window(axis.axis);
    axis = {static_cast<std::int8_t>(window.axis), window.axis < 0 ? 0 : axis.scale * window.scale,
            axis.offset + axis.scale * window.offset};
  }
  return composed;
}

AffineMap Argument::nearest_map() const {
  AffineMap nearest = map();
  if (!std::holds_alternative<Windows>(footprint.cells)) return nearest;
  for (int k = 0; k < nearest.store_rank; ++k) {
    const partitioner::AxisMap& axis = view.map[k];
    if (axis.axis < 0) continue;
    const AxisCells window = footprint.window(axis.axis);
    if (window.axis < 0) continue;
    nearest[k].offset += axis.scale * std::clamp<std::int64_t>(-window.offset, 0, window.extent - 1);
  }
  return nearest;
}

std::int64_t Argument::reach(int axis) const {
  const partitioner::AxisMap& map = view.map[axis];
  return map.axis < 0 ? 0 : map.scale * (footprint.window(map.axis).extent - 1);
}

Point Argument::low() const {
  if (const Offsets* offsets = footprint.offsets()) return offsets->low;
  Point low{view.map.store_rank};
  for (int k = 0; k < low.rank; ++k) low[k] = std::min<std::int64_t>(0, reach(k));
  return low;
}

Point Argument::high() const {
  if (const Offsets* offsets = footprint.offsets()) return offsets->high;
  Point high{view.map.store_rank};
  for (int k = 0; k < high.rank; ++k) high[k] = std::max<std::int64_t>(0, reach(k));
  return high;
}

bool Argument::is_pointwise() const {
  if (footprint.function()) return false;
  const Point none{view.map.store_rank};
  if (const Offsets* offsets = footprint.offsets()) return offsets->at.size() == 1 && offsets->at.front() == none;
  return low() == none && high() == none;
}

Rect Argument::hull(const Rect& piece) const {
  if (const Offsets* offsets = footprint.offsets()) {
    Rect cells = partitioner::image(view.map, piece);
    if (piece.empty()) return cells;
    for (std::size_t k = 0; k < static_cast<std::size_t>(cells.rank); ++k) {
      cells.lo[k] += offsets->low.x[k];
      cells.hi[k] += offsets->high.x[k];
    }
    return cells;
  }
  if (piece.empty()) return Rect{view.map.store_rank};
  if (!footprint.function()) return partitioner::image(view.map, footprint.box(piece));
  const Rect hull = cells(piece).hull();
  return hull.empty() ? Rect{view.map.store_rank} : hull;
}

Region Argument::cells(const Rect& piece) const {
  if (const auto* asked = std::get_if<AskedCells>(&footprint.cells)) {
    if (!asked->known) return asked_cells(piece);
    const auto [place, is_new] = asked->known->try_emplace(piece);
    if (is_new) place->second = asked_cells(piece);
    return place->second;
  }
  const Offsets* offsets = footprint.offsets();
  if (!offsets) return hull(piece);
  if (piece.empty()) return {};
  const Rect cells = partitioner::image(view.map, piece);
  if (offsets->at.size() == 1) return shift(cells, offsets->at.front());
  std::vector<Rect> shifted;
  for (const Point& offset : offsets->at) shifted.push_back(shift(cells, offset));
  return Region::of(std::move(shifted));
}

Region Argument::asked_cells(const Rect& piece) const {
  const Region region = footprint.ask(piece);
  std::vector<Rect> rects;
  for (const Rect& rect : region.rects()) rects.push_back(partitioner::image(view.map, rect));
  return Region::of(std::move(rects));
}

Region Argument::points_touching(const Region& cells, const Rect& piece) const {
  if (footprint.function()) return cells.empty() ? Region() : Region(piece);
  std::vector<Rect> points;
  const AffineMap first = map();
  for (const Rect& rect : cells.rects()) {
    if (const Offsets* offsets = footprint.offsets()) {
      for (Point back : offsets->at) {
        for (int k = 0; k < back.rank; ++k) back[k] = -back[k];
        points.push_back(partitioner::preimage(first, shift(rect, back), piece));
      }
      continue;
    }
    Rect around = rect;
    const Point low = this->low(), high = this->high();
    for (std::size_t k = 0; k < static_cast<std::size_t>(rect.rank); ++k) {
      around.lo[k] -= high.x[k];
      around.hi[k] -= low.x[k];
    }
    points.push_back(partitioner::preimage(first, around, piece));
  }
  return Region::of(std::move(points));
}

Argument kernel_argument(const StoreRef& store, const AffineMap& map, kernel::Access access) {
  Argument argument{{store, map, {}}, {}};
  argument.footprint.access = access;
  argument.footprint.dtype = store->dtype;
  argument.footprint.domain_rank = static_cast<std::int8_t>(map.view_rank);
  argument.footprint.cells = Offsets::none(map.store_rank);
  return argument;
}

}  // namespace pilum::scheduler
