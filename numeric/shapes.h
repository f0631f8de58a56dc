// Shapes that users pass, and how shapes broadcast.
#pragma once

#include "numeric/errors.h"
#include "pilum/array.h"
#include "scheduler/record/operation.h"

namespace pilum::numeric {

// Throws ShapeError for a shape that no array can have: a negative extent, more than 8 axes, 2^63 bytes or more.
void check_shape(const Call& call, const Shape& shape, DType dtype);

// `axis`, counted from the front. Throws IndexError where an array of `rank` axes has no such one.
int checked_axis(const Call& call, int axis, int rank);

// Sooner than ==, which calls: nearly all shapes are of few axes.
inline bool is_same(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int axis = 0; axis < a.rank(); ++axis) {
    if (a[axis] != b[axis]) return false;
  }
  return true;
}

// The shape that both broadcast to, as NumPy: aligned at the last axis, 1 meets anything. Throws ShapeError.
Shape broadcast_shapes(const Call& call, const Shape& a, const Shape& b);
bool broadcasts_to(const Shape& from, const Shape& to);
// Without axes of extent 1 in front, as far as there are more than `rank`: what NumPy's setitem takes of a value.
Shape without_leading_ones(Shape shape, int rank);

// The view read at the points of `shape`, which is not its own and which that broadcasts to.
void broadcast_view_to(scheduler::View& view, const Shape& shape);
// The same of any shape that it broadcasts to. Each operand comes here, nearly all as they are.
inline void broadcast_view(scheduler::View& view, const Shape& shape) {
  if (!is_same(view.shape, shape)) broadcast_view_to(view, shape);
}

}  // namespace pilum::numeric
