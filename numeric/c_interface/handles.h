// Handles of C programs: numbers that name objects, so that one which was released is known as such.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pilum::c_interface {

// A thread's objects of one kind. A handle is a slot and a count of its uses: releasing one makes it
// invalid for good, whatever is made later. `kKind` tells handles of several kinds apart.
template <class T, unsigned kKind>
class Handles {
 public:
  std::uint64_t add(T object) {
    if (free_.empty()) {
      free_.push_back(slots_.size());
      slots_.emplace_back();
    }
    const std::size_t place = free_.back();
    Slot& slot = slots_[place];
    slot.object.emplace(std::move(object));
    free_.pop_back();
    return static_cast<std::uint64_t>(slot.uses) << kSlotBits | static_cast<std::uint64_t>(place) << kKindBits | kKind;
  }

  // Null for a handle of nothing.
  T* find(std::uint64_t handle) {
    Slot* slot = slot_of(handle);
    return slot ? &*slot->object : nullptr;
  }

  // The object, for the caller to let go of.
  std::optional<T> remove(std::uint64_t handle) {
    Slot* slot = slot_of(handle);
    if (!slot) return std::nullopt;
    free_.reserve(free_.size() + 1);
    std::optional<T> object = std::exchange(slot->object, std::nullopt);
    // A slot whose count is used up is never taken again.
    if (++slot->uses != 0) free_.push_back(static_cast<std::size_t>(slot - slots_.data()));
    return object;
  }

  // How many there are.
  std::size_t count() const { return slots_.size() - free_.size(); }

 private:
  static constexpr int kKindBits = 3, kSlotBits = 32;
  static_assert(kKind > 0 && kKind < 1u << kKindBits, "a handle is never 0");

  struct Slot {
    std::uint32_t uses = 0x50494c00;  // no number that lies about in memory
    std::optional<T> object;
  };

  Slot* slot_of(std::uint64_t handle) {
    const std::size_t place = (handle & ((std::uint64_t{1} << kSlotBits) - 1)) >> kKindBits;
    if ((handle & ((1u << kKindBits) - 1)) != kKind || place >= slots_.size()) return nullptr;
    Slot& slot = slots_[place];
    return slot.uses == handle >> kSlotBits && slot.object ? &slot : nullptr;
  }

  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;
};

// This thread's table. It ends with its thread once it is empty; one that is not is left to the system, for at the end
// of the main thread the runtime that its arrays belong to may still be there, and calls may still come (atexit).
template <class Table>
Table& of_this_thread() {
  thread_local Table* table = nullptr;
  struct End {
    Table*& table;
    ~End() {
      if (table && table->count() == 0) delete std::exchange(table, nullptr);
    }
  };
  if (!table) {
    thread_local const End end{table};
    table = new Table;
  }
  return *table;
}

}  // namespace pilum::c_interface
