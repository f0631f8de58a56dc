// What an Array points to: a view of a store, and a handle that says somebody may still ask for its value.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <utility>

#include "numeric/errors.h"
#include "pilum/array.h"
#include "runtime/base/record_pool.h"
#include "scheduler/record/recorder.h"

namespace pilum::numeric {

// Counted by plain numbers, as everything that arrays do happens on one thread. Most arrays are a store as it is: they
// share its shape, and the map with all others of their rank.
struct ArrayState {
  scheduler::Handle handle;
  const partitioner::AffineMap& map;
  const Shape& shape;
  int references = 1;
  bool is_part = false;  // it is a PartState

  static void* operator new(std::size_t) { return RecordPool<ArrayState>::take(); }
  static void* operator new(std::size_t, const std::nothrow_t&) noexcept { return RecordPool<ArrayState>::try_take(); }
  static void operator delete(void* block) noexcept { RecordPool<ArrayState>::give(block); }
  scheduler::Store& store() const { return *handle.store(); }
  DType dtype() const { return store().dtype; }
  scheduler::View view() const { return scheduler::View{handle.store(), map, shape}; }
  // The same where it is to lie: an operation's views are copied once.
  void write_view(scheduler::View& view) const {
    view.store = handle.store();
    view.map = map;
    view.shape = shape;
  }
};

// Other cells of a store, or its cells in another order.
struct PartState : ArrayState {
  PartState(const scheduler::Handle& of, const partitioner::AffineMap& map, const Shape& shape)
      : ArrayState{of, own_map, own_shape, 1, true}, own_map(map), own_shape(shape) {}
  // build(own_map, own_shape) makes them where they lie, of a map like this and of no axes.
  template <class Build>
    requires std::invocable<Build, partitioner::AffineMap&, Shape&>
  PartState(const scheduler::Handle& of, const partitioner::AffineMap& map, Build build)
      : ArrayState{of, own_map, own_shape, 1, true}, own_map(map) {
    build(own_map, own_shape);
  }
  static void* operator new(std::size_t) { return RecordPool<PartState>::take(); }
  static void operator delete(void* block) noexcept { RecordPool<PartState>::give(block); }
  partitioner::AffineMap own_map;  // as own_shape: nobody changes it once it is made
  Shape own_shape;
};

struct ArrayAccess {
  static const ArrayState* state(const Array& array) { return array.state_; }
  static Array adopt(ArrayState* state) { return Array(state); }
  // Ends a temporary, which nobody can name after the call that it was given to.
  static void let_go(const Operand& operand) {
    if (operand.is_temporary_) const Array gone = std::move(const_cast<Array&>(*operand.array_));
  }
};

// The whole of a new store.
Array make_array(scheduler::StoreRef store);
// Other cells of a state's store.
Array make_view(const ArrayState& of, const partitioner::AffineMap& map, const Shape& shape);

// Its tasks are cut along this axis, however small it is.
inline void split_along(const Array& array, int axis) {
  const ArrayState& state = *ArrayAccess::state(array);
  state.store().split_axes = static_cast<std::uint8_t>(1U << state.map.store_axis_of(axis));
}

[[noreturn, gnu::cold]] void refuse_state(const Call& call, const Array& array);
// The array's state, fit for use with `recorder`: throws for an empty array (ValueError) and for one whose runtime has
// ended or lives on another thread (RuntimeError).
inline const ArrayState& checked_state(const Call& call, const Array& array, const scheduler::Recorder& recorder) {
  const ArrayState* state = ArrayAccess::state(array);
  if (!state || state->store().recorder != &recorder) [[unlikely]]
    refuse_state(call, array);
  return *state;
}

// Selections of this thread that nobody has read yet (selection.cc).
[[gnu::tls_model("initial-exec")]] extern constinit thread_local const Selection* unread_selections;
// Reads them: what is recorded next may write cells that they name.
[[gnu::cold]] void read_selections();

inline scheduler::Recorder& recorder_of(const Call& call) {
  if (unread_selections) [[unlikely]]
    read_selections();
  return scheduler::current_recorder(call.name, call.where);
}

// The same, with this thread's recorder.
inline const ArrayState& checked_state(const Call& call, const Array& array) {
  return checked_state(call, array, recorder_of(call));
}

}  // namespace pilum::numeric
