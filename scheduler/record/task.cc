#include "scheduler/record/task.h"

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

Rect TaskRead::footprint_hull(const Rect& piece) const {
  if (argument && !known) return argument->cells(piece);
  if (argument) {
    const Rect hull = footprint(piece).hull();
    return hull.empty() ? Rect{map.store_rank} : hull;
  }
  Rect cells = partitioner::image(map, piece);
  if (piece.empty()) return cells;
  for (std::size_t k = 0; k < static_cast<std::size_t>(cells.rank); ++k) {
    cells.lo[k] += low.x[k];
    cells.hi[k] += high.x[k];
  }
  return cells;
}

Region TaskRead::footprint(const Rect& piece) const {
  if (argument && !known) return argument->cells(piece);
  if (argument) {
    const auto [place, is_new] = known->try_emplace(piece);
    if (is_new) place->second = argument->exact_cells(piece);
    return place->second;
  }
  const Rect cells = partitioner::image(map, piece);
  if (piece.empty()) return {};
  if (offsets.size() == 1) return shift(cells, offsets.front());
  std::vector<Rect> shifted;
  for (const Point& offset : offsets) shifted.push_back(shift(cells, offset));
  return Region::of(std::move(shifted));
}

Region TaskRead::points_reading(const Region& cells, const Rect& piece) const {
  if (known) return cells.empty() ? Region() : Region(piece);
  std::vector<Rect> points;
  for (Rect rect : cells.rects()) {
    if (argument) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(rect.rank); ++k) {
        rect.lo[k] -= high.x[k];
        rect.hi[k] -= low.x[k];
      }
      points.push_back(partitioner::preimage(map, rect, piece));
      continue;
    }
    for (Point back : offsets) {
      for (int k = 0; k < back.rank; ++k) back[k] = -back[k];
      points.push_back(partitioner::preimage(map, shift(rect, back), piece));
    }
  }
  return Region::of(std::move(points));
}

Rect TaskWrite::cells(const Rect& piece) const {
  return argument ? argument->cells(piece) : partitioner::image(map, piece);
}

Rect TaskReduction::cells(const Rect& piece) const {
  return whole && !piece.empty() ? Rect::of(store->shape) : partitioner::image(map, piece);
}

std::uint64_t scalar_bits(const Operation& operation, const ScalarSource& source) {
  const auto input = static_cast<std::size_t>(source.input);
  return operation.launch ? operation.scalars.words()[input] : cast(operation.inputs[input].scalar, source.as).bits;
}

}  // namespace pilum::scheduler
