// Numbers that a line of the program always passes, a helper's 0.5: each is one number of a kernel however often the
// line is run, so that what is computed with it twice is computed once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// Gives the numbers of operations their names (Operand::name) as they are recorded: one for each place of an operation
// of a line, until another number comes in that place; then, and for good, none. Plans keep which numbers are one, and
// are made anew where others are: as a place loses its name once, that is seldom, and numbers that change from time to
// time make no difference to plans. Equal numbers of different lines have different names. A function of the recorded
// calls. The recording thread's.
class NumberNames {
 public:
  static constexpr std::size_t kMost = 2048;  // later places have no name

  void give(Operation& operation) {
    auto* elementwise = std::get_if<Elementwise>(&operation.what);
    if (!elementwise) return;
    for (std::size_t place = 0; place < elementwise->inputs.size(); ++place) {
      Operand& input = elementwise->inputs[place];
      if (input.is_view()) continue;
      input.name = find({operation.name, operation.where.file_name(), operation.where.line(),
                         static_cast<std::uint32_t>(place), input.scalar});
    }
  }

 private:
  struct Number {
    const char* operation = nullptr;  // null: a free slot
    const char* file = nullptr;
    std::uint32_t line = 0, place = 0;
    Scalar value;
    std::uint32_t name = 0;  // 0: it has changed
    bool is_of(const Number& other) const {
      return operation == other.operation && file == other.file && line == other.line && place == other.place;
    }
  };

  std::uint32_t find(const Number& number) {
    if (numbers_.empty()) numbers_.resize(2 * kMost);
    const std::uint64_t mixed = (reinterpret_cast<std::uintptr_t>(number.operation) ^ std::uint64_t{number.line} << 20 ^
                                 std::uint64_t{number.place} << 40 ^ reinterpret_cast<std::uintptr_t>(number.file)) *
                                0x9e3779b97f4a7c15;
    std::size_t slot = mixed >> 40 & (numbers_.size() - 1);
    for (; numbers_[slot].operation; slot = (slot + 1) & (numbers_.size() - 1)) {
      if (!numbers_[slot].is_of(number)) continue;
      if (numbers_[slot].value != number.value) numbers_[slot].name = 0;
      return numbers_[slot].name;
    }
    if (count_ == kMost) return 0;
    numbers_[slot] = number;
    return numbers_[slot].name = ++count_;
  }

  std::vector<Number> numbers_;  // open addressing, at most half full
  std::uint32_t count_ = 0;
};

}  // namespace pilum::scheduler
