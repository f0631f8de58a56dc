#include "partitioner/renumber.h"

#include <algorithm>

namespace pilum::partitioner {
namespace {

// Of `row`, which has one step along each axis before this one, the cells numbered first <= n < last: a part of a step,
// whole steps, a part of a step. A step of this axis and of those before it is of `cells` cells.
void add_run(Rect row, int axis, std::int64_t cells, std::int64_t first, std::int64_t last, std::vector<Rect>& rects) {
  if (first >= last) return;
  if (axis == row.rank) return rects.push_back(row);
  const auto a = static_cast<std::size_t>(axis);
  const std::int64_t step = cells / row.hi[a];
  const auto add_part = [&](std::int64_t from, std::int64_t to) {
    Rect part = row;
    part.lo[a] = from / step;
    part.hi[a] = part.lo[a] + 1;
    add_run(part, axis + 1, step, from - part.lo[a] * step, to - part.lo[a] * step, rects);
  };
  if (first % step != 0) {
    const std::int64_t end = std::min(last, (first / step + 1) * step);
    add_part(first, end);
    first = end;
  }
  const std::int64_t whole = std::max(first, last / step * step);
  if (first < whole) {
    Rect steps = row;
    steps.lo[a] = first / step;
    steps.hi[a] = whole / step;
    rects.push_back(steps);
  }
  if (whole < last) add_part(whole, last);
}

}  // namespace

Region renumber(const Rect& box, const Shape& from, const Shape& to, std::int64_t most_runs) {
  if (box.empty()) return {};
  // A run is what a step of the axes before `inner` has of the box: those behind `inner` are whole, or count as if.
  int inner = box.rank - 1;
  while (inner > 0 && box.extent(inner) == from[inner]) --inner;
  std::int64_t runs = 1;
  for (int axis = 0; axis < inner; ++axis) runs *= box.extent(axis);
  while (runs > most_runs) runs /= box.extent(--inner);
  std::vector<Rect> rects;
  const auto number = [&](const auto& at) {
    std::int64_t sum = 0;
    for (int axis = 0; axis < box.rank; ++axis) sum = sum * from[axis] + at[static_cast<std::size_t>(axis)];
    return sum;
  };
  Rect run = box;  // the axes before `inner` step by step
  for (std::int64_t k = 0; k < runs; ++k) {
    std::int64_t rest = k;
    for (int axis = inner - 1; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      run.lo[a] = box.lo[a] + rest % box.extent(axis);
      run.hi[a] = run.lo[a] + 1;
      rest /= box.extent(axis);
    }
    auto last = run.hi;
    for (std::size_t a = 0; a < static_cast<std::size_t>(box.rank); ++a) --last[a];
    add_run(Rect::of(to), 0, to.elements(), number(run.lo), number(last) + 1, rects);
  }
  return Region::of(std::move(rects));
}

}  // namespace pilum::partitioner
