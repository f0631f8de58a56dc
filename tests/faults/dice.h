// The random programs' dice, for seeds that follow each other by one.
#pragma once

#include "tests/random/dice.h"

namespace pilum::faults {

class Dice : public random_programs::Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_programs::Dice(seed * 0x9e3779b97f4a7c15u + 1) {}
};

}  // namespace pilum::faults
