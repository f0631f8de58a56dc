#include "numeric/shapes.h"

#include <algorithm>
#include <limits>
#include <span>

namespace pilum::numeric {

void check_shape(const Call& call, const Shape& shape, DType dtype) {
  if (shape.rank() > kMaxAxes) {
    fail<ShapeError>(call, "the shape has ", shape.rank(), " axes, arrays have at most ", kMaxAxes,
                     ": join some of them");
  }
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent < 0; })) {
    fail<ShapeError>(call, "shape ", shape, " has a negative extent: extents are 0 or more");
  }
  if (shape.elements() != 0 || std::find(shape.begin(), shape.end(), 0) == shape.end()) {
    std::int64_t bytes = static_cast<std::int64_t>(itemsize(dtype));
    for (std::int64_t extent : shape) {
      if (__builtin_mul_overflow(bytes, extent, &bytes)) {
        fail<ShapeError>(call, "shape ", shape, " of ", dtype, " takes 2^63 bytes or more: make it smaller");
      }
    }
  }
}

int checked_axis(const Call& call, int axis, int rank) {
  if (axis < -rank || axis >= rank) {
    fail<IndexError>(
        call, "axis ", axis, " does not exist in an array with ", rank, rank == 1 ? " axis" : " axes",
        rank == 0 ? ": leave it out" : ": name one from " + std::to_string(-rank) + " to " + std::to_string(rank - 1));
  }
  return axis < 0 ? axis + rank : axis;
}

Shape broadcast_shapes(const Call& call, const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape shape = longer;
  const int shift = longer.rank() - shorter.rank();
  for (int axis = 0; axis < shorter.rank(); ++axis) {
    const std::int64_t one = longer[axis + shift];
    const std::int64_t other = shorter[axis];
    if (one == other || other == 1) continue;
    if (one != 1) {
      fail<ShapeError>(call, "shapes ", a, " and ", b, " do not broadcast: axis ", axis + shift, " has ",
                       &longer == &a ? one : other, " and ", &longer == &a ? other : one,
                       ". Reshape one of them, or slice them to the same extent; an extent of 1 fits any");
    }
    shape[axis + shift] = other;
  }
  return shape;
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  const int shift = to.rank() - from.rank();
  if (shift < 0) return false;
  for (int axis = 0; axis < from.rank(); ++axis) {
    if (from[axis] != 1 && from[axis] != to[axis + shift]) return false;
  }
  return true;
}

void broadcast_view_to(scheduler::View& view, const Shape& shape) {
  const int shift = shape.rank() - view.shape.rank();
  for (int k = 0; k < view.map.store_rank; ++k) {
    partitioner::AxisMap& axis = view.map[k];
    if (axis.axis < 0) continue;
    const int target = axis.axis + shift;
    if (view.shape[axis.axis] != shape[target]) {
      axis = partitioner::AxisMap{-1, 0, axis.offset};
    } else {
      axis.axis = static_cast<std::int8_t>(target);
    }
  }
  view.map.view_rank = shape.rank();
  view.shape = shape;
}

Shape without_leading_ones(Shape shape, int rank) {
  while (shape.rank() > rank && shape[0] == 1) shape = Shape(std::span(shape.begin() + 1, shape.end()));
  return shape;
}

}  // namespace pilum::numeric
