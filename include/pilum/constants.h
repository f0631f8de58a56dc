// NumPy's constants, as doubles: np::pi. (newaxis is in pilum/index.h.)
#pragma once

#include <limits>
#include <numbers>

namespace pilum::numeric {

inline constexpr double pi = std::numbers::pi;
inline constexpr double e = std::numbers::e;
inline constexpr double euler_gamma = std::numbers::egamma;
inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace pilum::numeric
