// Folds: how many values become one.
#pragma once

#include <cstdint>

namespace pilum {

// Sums and products of integers wrap around; minimum and maximum of floats propagate NaN.
enum class Fold : std::uint8_t { Sum, Product, Minimum, Maximum };

}  // namespace pilum
