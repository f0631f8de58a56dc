// Transfers in flight by Request: O(1) to add, find and remove, and a stale Request is caught.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "runtime/base/check.h"
#include "runtime/comm/communicator.h"

namespace pilum::comm {

//  63         32 31           0
// | generation  | slot + 2     |
//
// References to states stay valid until they are removed.
template <class State>
class RequestTable {
 public:
  Request add(State state) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    slots_[index].state = std::move(state);
    slots_[index].live = true;
    ++live_;
    return std::uint64_t{slots_[index].generation} << 32 | (index + 2);
  }

  State& at(Request request) { return slot(request).state; }

  void remove(Request request) {
    Slot& freed = slot(request);
    freed.state = State{};
    freed.live = false;
    ++freed.generation;
    --live_;
    free_.push_back(static_cast<std::uint32_t>(request) - 2);
  }

  std::size_t size() const { return live_; }

  template <class Visitor>
  void for_each(Visitor visit) {
    for (Slot& slot : slots_) {
      if (slot.live) visit(slot.state);
    }
  }

 private:
  struct Slot {
    State state{};
    std::uint32_t generation = 0;
    bool live = false;
  };

  Slot& slot(Request request) {
    const std::size_t index = static_cast<std::uint32_t>(request) - std::size_t{2};
    PILUM_CHECK(index < slots_.size() && slots_[index].live && slots_[index].generation == request >> 32,
                "request {:#x} is not in flight: it was tested again after it was done, or never made", request);
    return slots_[index];
  }

  std::deque<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t live_ = 0;
};

}  // namespace pilum::comm
