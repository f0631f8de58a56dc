// Which numbers distributions take for parameters: NumPy takes NaN for some, and -0.0 for none that begins at 0.
#pragma once

#include <cmath>

namespace pilum::numeric {

inline bool is_not_negative(double x) {
  return std::isnan(x) || !std::signbit(x);
}
inline bool is_positive(double x) {
  return std::isnan(x) || x > 0;
}
inline bool is_mean(double x) {
  constexpr double kMostPoisson = 0x1p63 - 10 * 3037000499.97605;  // ten deviations below 2^63
  return x >= 0 && x <= kMostPoisson;
}
inline bool is_count(double x) {
  return x >= 0 && x <= 0x1p63;
}
inline bool is_probability(double x) {
  return x >= 0 && x <= 1;
}
inline bool is_above_one(double x) {
  return x > 1;
}
inline bool is_below_one(double x) {
  return x >= 0 && x < 1;
}
inline bool is_small_count(double x) {
  return x >= 0 && x <= 1e9;
}

}  // namespace pilum::numeric
