// Random choices that are the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace pilum::faults {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(end));
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }  // both included
  bool percent(int chance) { return below(100) < chance; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace pilum::faults
