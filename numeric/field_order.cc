#include "numeric/field_order.h"

#include <algorithm>
#include <array>

namespace pilum::numeric {
namespace {

// From so many points on: of fewer the operations' own time is what counts.
constexpr std::int64_t kLeastPoints = 1024;

// An axis of an array as a place in these.
using Places = std::array<int, kMaxAxes>;

std::size_t at(int axis) {
  return static_cast<std::size_t>(axis);
}

// What takes the last axes to the front: by axis its new place.
Places last_first(int rank, int axes) {
  Places places{};
  for (int axis = 0; axis < rank; ++axis) places[at(axis)] = (axis + axes) % rank;
  return places;
}

// What takes the view's axes to the order of its store's. Those that repeat its cells come first.
Places in_order(const scheduler::View& view) {
  Places places{};
  std::array<bool, kMaxAxes> is_of_store{};
  for (int k = 0; k < view.map.store_rank; ++k) {
    if (view.map[k].axis >= 0) is_of_store[at(view.map[k].axis)] = true;
  }
  int next = 0;
  for (int axis = 0; axis < view.shape.rank(); ++axis) {
    if (!is_of_store[at(axis)]) places[at(axis)] = next++;
  }
  for (int k = 0; k < view.map.store_rank; ++k) {
    if (view.map[k].axis >= 0) places[at(view.map[k].axis)] = next++;
  }
  return places;
}

void move_axes(scheduler::View& view, const Places& places) {
  for (int k = 0; k < view.map.store_rank; ++k) {
    partitioner::AxisMap& axis = view.map[k];
    if (axis.axis >= 0) axis.axis = static_cast<std::int8_t>(places[at(axis.axis)]);
  }
  const Shape before = view.shape;
  for (int axis = 0; axis < before.rank(); ++axis) view.shape[places[at(axis)]] = before[axis];
}

}  // namespace

int axes_of_fields(const scheduler::Recorder& recorder, const Shape& shape) {
  std::int64_t fields = 1;
  int axes = 0;
  for (int axis = shape.rank() - 1; axis > 0 && shape[axis] <= kMostAlongFields; --axis) {
    fields *= shape[axis];
    ++axes;
    if (fields > kMostFields) return 0;
  }
  if (fields < 2) return 0;
  // Where arrays are cut sooner, they lie so sooner.
  const std::int64_t split_bytes = recorder.processors().split_bytes;
  const std::int64_t least =
      split_bytes > 0 ? std::clamp<std::int64_t>(split_bytes / 8, 2, kLeastPoints) : kLeastPoints;
  return shape.elements() / fields < least ? 0 : axes;
}

Array fields_last(const Array& fields_first, int axes) {
  const ArrayState& state = *ArrayAccess::state(fields_first);
  const int rank = state.shape.rank();
  scheduler::View view = state.view();
  move_axes(view, last_first(rank, rank - axes));
  // Axes of one cell that the view has not are before those that it has.
  state.store().field_axes = static_cast<std::uint8_t>(view.map.store_rank - (rank - axes));
  return make_view(state, view.map, view.shape);
}

Array make_of_fields(scheduler::Recorder& recorder, const Call& call, const Shape& shape, DType dtype) {
  const int axes = axes_of_fields(recorder, shape);
  if (axes == 0) return make_row_major(recorder, call, shape, dtype);
  // Where there is no room for it, the error has the shape that was asked for.
  const scheduler::StoreRef store = recorder.make_store(shape, dtype, call.name, call.where);
  const Places places = last_first(shape.rank(), axes);
  for (int axis = 0; axis < shape.rank(); ++axis) store->shape[places[at(axis)]] = shape[axis];
  return fields_last(make_array(store), axes);
}

void put_in_order(scheduler::Elementwise& elementwise) {
  const Places places = in_order(elementwise.output);
  if (elementwise.op == kernel::Op::Index) elementwise.axis = static_cast<std::int8_t>(places[at(elementwise.axis)]);
  move_axes(elementwise.output, places);
  for (scheduler::Operand& input : elementwise.inputs) {
    if (input.is_view()) move_axes(input.view, places);
  }
}

void put_in_order(scheduler::Reduction& reduction) {
  const Places places = in_order(reduction.input);
  std::array<int, kMaxAxes> kept{};  // by the input's new axis: which of the output's it was
  kept.fill(-1);
  unsigned reduced = 0;
  int next = 0;
  for (int axis = 0; axis < reduction.input.shape.rank(); ++axis) {
    if (reduction.reduced_axes >> axis & 1) {
      reduced |= 1u << places[at(axis)];
    } else {
      kept[at(places[at(axis)])] = next++;
    }
  }
  Places of_output{};
  int place = 0;
  for (const int axis : kept) {
    if (axis >= 0) of_output[at(axis)] = place++;
  }
  reduction.reduced_axes = static_cast<std::uint8_t>(reduced);
  move_axes(reduction.input, places);
  move_axes(reduction.output, of_output);
}

void lead_by_last(scheduler::View& view, int axes) {
  move_axes(view, last_first(view.shape.rank(), axes));
}

}  // namespace pilum::numeric
