// The pointers in an instruction, one after the other: scripts and replays keep them relative to their blocks.
#pragma once

#include <cstdint>

#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// Calls visit(pointer, number of the touch whose block it points into) for each of an instruction's pointers.
template <class Visit>
struct ForEachPointer {
  Visit visit;
  std::size_t touches;

  void operator()(Launch& launch) {
    for (std::size_t i = 0; i < launch.arrays.size(); ++i) visit(launch.arrays[i].base, i);
  }
  void operator()(Copy& copy) {
    visit(copy.from.data, 0);
    visit(copy.to.data, 1);
  }
  void operator()(Send& send) {
    visit(send.data, 0);
    if (send.items) visit(send.items.range, 1);
    if (send.flag) visit(send.flag, 1);
  }
  void operator()(Receive& receive) {
    visit(receive.data, 0);
    if (receive.items) visit(receive.items.range, 1);
    if (receive.flag) visit(receive.flag, 1);
  }
  void operator()(Taken& taken) { visit(taken.flag, 1); }
  void operator()(FoldParts& fold) {
    if (fold.part_count > 0) visit(fold.parts, 0);
    visit(fold.to.data, touches - 1);
  }
  void operator()(Reshape& reshape) {
    visit(reshape.from.data, 0);
    visit(reshape.to.data, 1);
  }
  void operator()(Allocate&) {}
  void operator()(Free&) {}
  void operator()(HostCall&) {}
  void operator()(ReplayedPlan&) {}
};

template <class Visit>
void for_each_pointer(Instruction& instruction, std::size_t touches, Visit visit) {
  std::visit(ForEachPointer<Visit>{visit, touches}, instruction.what);
}

// The store that an instruction names; null: none.
inline StoreId* store_of(Instruction& instruction) {
  if (auto* copy = std::get_if<Copy>(&instruction.what)) return &copy->store;
  if (auto* send = std::get_if<Send>(&instruction.what)) return &send->store;
  if (auto* receive = std::get_if<Receive>(&instruction.what)) return &receive->store;
  return nullptr;
}

template <class Pointer>
void add_bytes(Pointer& pointer, std::uintptr_t bytes) {
  pointer = reinterpret_cast<Pointer>(reinterpret_cast<std::uintptr_t>(pointer) + bytes);
}

}  // namespace pilum::scheduler
