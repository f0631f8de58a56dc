// What an Array points to: a view of a store, and a handle that says somebody may still ask for its value.
#pragma once

#include <utility>

#include "numeric/errors.h"
#include "pilum/array.h"
#include "scheduler/recorder.h"

namespace pilum::numeric {

// Counted by plain numbers, as everything that arrays do happens on one thread.
struct ArrayState {
  scheduler::Handle handle;
  partitioner::AffineMap map;
  Shape shape;
  int references = 1;

  scheduler::Store& store() const { return *handle.store(); }
  DType dtype() const { return store().dtype; }
  scheduler::View view() const { return scheduler::View{handle.store(), map, shape}; }
};

struct ArrayAccess {
  static const ArrayState* state(const Array& array) { return array.state_; }
  static Array adopt(ArrayState* state) { return Array(state); }
};

// The whole of a new store.
inline Array make_array(scheduler::StoreRef store) {
  const int rank = store->shape.rank();
  const Shape shape = store->shape;
  return ArrayAccess::adopt(
      new ArrayState{scheduler::Handle(std::move(store)), partitioner::AffineMap::identity(rank), shape});
}
// Other cells of a state's store.
inline Array make_view(const ArrayState& of, const partitioner::AffineMap& map, const Shape& shape) {
  return ArrayAccess::adopt(new ArrayState{of.handle, map, shape});
}

// The array's state, fit for use with `recorder`: throws for an empty array (ValueError) and for one whose runtime has
// ended or lives on another thread (RuntimeError).
const ArrayState& checked_state(const Call& call, const Array& array, const scheduler::Recorder& recorder);
// The same, with this thread's recorder.
const ArrayState& checked_state(const Call& call, const Array& array);

inline scheduler::Recorder& recorder_of(const Call& call) {
  return scheduler::current_recorder(call.name, call.where);
}

}  // namespace pilum::numeric
