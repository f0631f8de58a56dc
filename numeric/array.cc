// An Array's life, its metadata, and the way of its cells to the user.
#include "pilum/array.h"

#include "numeric/array_state.h"

namespace pilum::numeric {

const ArrayState& checked_state(const Call& call, const Array& array, const scheduler::Recorder& recorder) {
  const ArrayState* state = ArrayAccess::state(array);
  if (!state) [[unlikely]] {
    fail<ValueError>(call, "the array is empty: it was made without a value, or moved from; assign one first");
  }
  if (state->store().recorder != &recorder) [[unlikely]] {
    fail<RuntimeError>(call, "the array, of shape ", state->shape, ", belongs to a pilum::Runtime that ",
                       state->store().recorder ? "lives on another thread: use it there" : "has ended: use it before");
  }
  return *state;
}

const ArrayState& checked_state(const Call& call, const Array& array) {
  return checked_state(call, array, recorder_of(call));
}

Array::Array(const Array& other) noexcept : state_(other.state_) {
  if (state_) ++state_->references;
}

void Array::release() noexcept {
  if (--state_->references == 0) delete state_;
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

void Array::check_one_cell(std::source_location where) const {
  const Call call{"item", where};
  const ArrayState& state = checked_state(call, *this);
  if (state.shape.elements() != 1) {
    fail<ValueError>(call, "shape ", state.shape, " has ", state.shape.elements(),
                     " cells, item takes an array of one: index one, or use to_vector");
  }
}

std::vector<std::byte> Array::fetch(DType dtype, const char* operation, std::source_location where) const {
  const Call call{operation, where};
  scheduler::Recorder& recorder = recorder_of(call);
  const ArrayState& state = checked_state(call, *this, recorder);
  if (state.dtype() != dtype) {
    fail<DTypeError>(call, "the array is ", state.dtype(), ", it was asked for as ", dtype,
                     ": name the array's own C++ type, or cast it with astype first");
  }
  if (state.shape.elements() == 0) return {};
  return recorder.fetch(state.view(), operation, where);
}

}  // namespace pilum::numeric
