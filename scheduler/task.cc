#include "scheduler/task.h"

namespace pilum::scheduler {

Rect TaskRead::footprint_hull(const Rect& piece) const {
  Rect cells = partitioner::image(map, piece);
  if (piece.empty()) return cells;
  for (std::size_t k = 0; k < static_cast<std::size_t>(cells.rank); ++k) {
    cells.lo[k] += low.x[k];
    cells.hi[k] += high.x[k];
  }
  return cells;
}

Region TaskRead::footprint(const Rect& piece) const {
  const Rect cells = partitioner::image(map, piece);
  if (piece.empty()) return {};
  if (offsets.size() == 1) return shift(cells, offsets.front());
  std::vector<Rect> shifted;
  for (const Point& offset : offsets) shifted.push_back(shift(cells, offset));
  return Region::of(std::move(shifted));
}

}  // namespace pilum::scheduler
