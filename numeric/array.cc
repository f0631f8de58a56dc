// An Array's life and its metadata.
#include "pilum/array.h"

#include <array>
#include <new>

#include "numeric/array_state.h"

namespace pilum::numeric {

Array make_array(scheduler::StoreRef store) {
  static const auto identities = [] {
    std::array<partitioner::AffineMap, kMaxAxes + 1> maps;
    for (int rank = 0; rank <= kMaxAxes; ++rank)
      maps[static_cast<std::size_t>(rank)] = partitioner::AffineMap::identity(rank);
    return maps;
  }();
  const scheduler::Store& made = *store;
  auto* state = new (std::nothrow) ArrayState{scheduler::Handle(std::move(store)),
                                              identities[static_cast<std::size_t>(made.shape.rank())], made.shape};
  if (!state) {
    fail<MemoryError>(Call{"array", std::source_location::current()},
                      "the process has no memory left for the record of one more array: destroy some");
  }
  return ArrayAccess::adopt(state);
}

Array make_view(const ArrayState& of, const partitioner::AffineMap& map, const Shape& shape) {
  return ArrayAccess::adopt(new PartState(of.handle, map, shape));
}

void refuse_state(const Call& call, const Array& array) {
  const ArrayState* state = ArrayAccess::state(array);
  if (!state)
    fail<ValueError>(call, "the array is empty: it was made without a value, or moved from; assign one first");
  fail<RuntimeError>(call, "the array, of shape ", state->shape, ", belongs to a pilum::Runtime that ",
                     state->store().recorder ? "lives on another thread: use it there" : "has ended: use it before");
}

Array::Array(const Array& other) noexcept : state_(other.state_) {
  if (state_) ++state_->references;
}

void Array::release() noexcept {
  if (--state_->references > 0) return;
  if (state_->is_part) {
    delete static_cast<PartState*>(state_);
  } else {
    delete state_;
  }
}

const Shape& Array::shape() const noexcept {
  static constexpr Shape kNone;
  return state_ ? state_->shape : kNone;
}

DType Array::dtype() const noexcept {
  return state_ ? state_->dtype() : DType::Float64;
}

std::int64_t Array::size() const noexcept {
  return state_ ? state_->shape.elements() : 0;
}

}  // namespace pilum::numeric
