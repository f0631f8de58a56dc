// Values that bodies refuse when they run: on GPUs, which write no texts, by number.
#pragma once

#include <cstdint>
#include <string>

namespace pilum::scheduler {

// A distribution's parameter: what it is called, and which numbers it may be.
enum class RefusedValue : std::uint8_t {
  None,
  GammaShape,
  DegreesOfFreedom,
  BetaA,
  BetaB,
  Mean,
  Trials,
  Chance,
  Concentration,
  ZipfExponent,
  SeriesChance,
  Good,
  Bad,
  Sample,
  TooMany  // a sample of fewer
};

// "shape is -1: give 0 or more"; `other`: how many there are, of TooMany.
[[nodiscard]] std::string explain_value(RefusedValue what, double value, double other = 0);

// What a body for GPUs tells in place of an axis: it has refused this value, whose bits are the index.
[[nodiscard]] constexpr std::int64_t code_of(RefusedValue what) {
  return -64 - static_cast<std::int64_t>(what);
}
// None of other numbers.
[[nodiscard]] RefusedValue find_refused_value(std::int64_t code);

}  // namespace pilum::scheduler
