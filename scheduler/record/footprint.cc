#include "scheduler/record/footprint.h"

#include <algorithm>
#include <string>

#include "pilum/error.h"
#include "scheduler/record/recorder.h"

namespace pilum::scheduler {

void Offsets::add(const Point& offset) {
  if (std::find(at.begin(), at.end(), offset) != at.end()) return;
  if (at.empty()) low = high = offset;
  at.push_back(offset);
  for (int k = 0; k < offset.rank; ++k) {
    low[k] = std::min(low[k], offset[k]);
    high[k] = std::max(high[k], offset[k]);
  }
}

Rect Footprint::box(const Rect& piece) const {
  Rect box = Rect::of(shape);
  for (std::size_t k = 0; k < static_cast<std::size_t>(box.rank); ++k) {
    const AxisCells window = this->window(static_cast<int>(k));
    std::int64_t lo = window.offset, hi = window.offset + window.extent;
    if (window.axis >= 0) {
      const auto a = static_cast<std::size_t>(window.axis);
      const std::int64_t first = window.scale * piece.lo[a], last = window.scale * (piece.hi[a] - 1);
      lo += std::min(first, last);
      hi += std::max(first, last);
    }
    box.lo[k] = std::clamp<std::int64_t>(lo, 0, box.hi[k]);
    box.hi[k] = std::clamp<std::int64_t>(hi, box.lo[k], box.hi[k]);
  }
  return box;
}

partitioner::Region Footprint::ask(const Rect& piece) const {
  if (piece.empty()) return {};
  std::vector<Rect> rects;
  const auto add = [&](const Rect& points) {
    const NoRecording none("a function that says which cells a task touches");
    for (const Box& box : function()->boxes(Piece(points.rank, points.lo, points.hi))) {
      if (box.rank() != shape.rank()) {
        throw ShapeError("the projection gave a box of " + std::to_string(box.rank()) + " axes for an array of shape " +
                         to_string(shape) + ": give lo and hi for each of its axes");
      }
      const Rect touched = intersect(Rect::of(shape), Rect{box.rank(), box.lo(), box.hi()});
      if (!touched.empty()) rects.push_back(touched);
    }
  };
  if (function()->takes_pieces) {
    add(piece);
    return partitioner::Region::of(std::move(rects));
  }
  Rect point = piece;
  for (;;) {
    for (std::size_t a = 0; a < static_cast<std::size_t>(piece.rank); ++a) point.hi[a] = point.lo[a] + 1;
    add(point);
    int axis = piece.rank - 1;
    for (; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (++point.lo[a] < piece.hi[a]) break;
      point.lo[a] = piece.lo[a];
    }
    if (axis < 0) return partitioner::Region::of(std::move(rects));
  }
}

}  // namespace pilum::scheduler
