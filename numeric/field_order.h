// Arrays of few cells along their last axes, as the fields of points are: (n, n, 4), (particles, 3), (n, 3, 3).
//
// In memory each field lies by itself: their stores have these axes first, (4, n, n), and what is computed point by
// point goes in that order, too. So operations on one field read that field alone, its cells side by side, and such an
// array costs what one of shape (4, n, n) does.
#pragma once

#include "numeric/array_state.h"
#include "scheduler/record/operation.h"

namespace pilum::numeric {

// The most fields that lie by themselves; and the most cells along one of their axes.
inline constexpr std::int64_t kMostFields = 64, kMostAlongFields = 15;

// How many of the shape's last axes count its fields, which lie one after the other; 0: it lies row-major. By the shape
// and from which size on arrays are cut, so that all ranks say so alike.
int axes_of_fields(const scheduler::Recorder& recorder, const Shape& shape);

// A new array whose store is as it is: of library calls that want it so.
inline Array make_row_major(scheduler::Recorder& recorder, const Call& call, const Shape& shape, DType dtype) {
  return make_array(recorder.make_store(shape, dtype, call.name, call.where));
}
// All of a new store that nobody has seen, with its first axes last: as if it had been made so.
Array fields_last(const Array& fields_first, int axes);
[[gnu::cold]] Array make_of_fields(scheduler::Recorder& recorder, const Call& call, const Shape& shape, DType dtype);
// A new array. No array memory is taken.
inline Array make_new(scheduler::Recorder& recorder, const Call& call, const Shape& shape, DType dtype) {
  const int last = shape.rank() - 1;
  if (last > 0 && shape[last] <= kMostAlongFields) [[unlikely]]
    return make_of_fields(recorder, call, shape, dtype);
  return make_row_major(recorder, call, shape, dtype);
}

// Whether the view goes along its axes in the order of its store's.
inline bool is_in_order(const scheduler::View& view) {
  int before = -1;
  for (int k = 0; k < view.map.store_rank; ++k) {
    const int axis = view.map[k].axis;
    if (axis < 0) continue;
    if (axis < before) return false;
    before = axis;
  }
  return true;
}
// The same points in the order of memory: of what an elementwise operation writes, and a reduction reads.
[[gnu::cold]] void put_in_order(scheduler::Elementwise& elementwise);
[[gnu::cold]] void put_in_order(scheduler::Reduction& reduction);
// The view with its last axes first.
void lead_by_last(scheduler::View& view, int axes);

}  // namespace pilum::numeric
