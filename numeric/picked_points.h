// The points of a body that reads or writes picked cells, as those of fewer axes.
#pragma once

#include <cstddef>
#include <vector>

#include "numeric/picked_form.h"
#include "pilum/detail/task_form.h"

namespace pilum::numeric {

// Neighbouring axes along which all that is by point lies one behind the other are one, so that the rows of an (n, 3)
// of indices are not walked one by one.
struct MergedPoints {
  PickedForm form;
  std::vector<pilum::detail::BoundStore> stores;
  Piece::Bounds lo, hi;
  int rank;

  // Store `by_point` and those from the third on are by point, the other one is the array. In any order, axes may
  // change places.
  MergedPoints(const PickedForm& of, const pilum::detail::BoundStore* given, std::size_t by_point, const Piece& points,
               bool in_any_order);
  // Whether the last axis is short and lies otherwise than the one before it, as those of an (n, 3) do, which is kept
  // by columns; and both name cells, in the order of the points.
  bool has_short_rows() const;

 private:
  std::int64_t extent(int axis) const { return hi[u(axis)] - lo[u(axis)]; }
  bool is_by_point(std::size_t store) const { return store == by_point_ || store > 1; }
  bool is_followed(int axis) const;  // by one of the array
  void swap_axes(int axis);          // with the one behind it, as below
  bool can_merge(int axis) const;
  void merge(int axis);

  std::size_t by_point_;
};

}  // namespace pilum::numeric
