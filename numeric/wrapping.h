// Sums, products and extrema of cells on the host, as kernels compute them.
#pragma once

#include <type_traits>

namespace pilum::numeric {

// The unsigned type that integers of type T are computed in: narrow ones would be multiplied as int, which overflows.
template <class T>
using Wrapping = decltype(std::make_unsigned_t<T>{} + 0u);

// Integers wrap; of bools it is "or", and "and".
template <class T>
T add_wrapping(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  } else {
    return static_cast<T>(a + b);
  }
}
template <class T>
T multiply_wrapping(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a && b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  } else {
    return static_cast<T>(a * b);
  }
}

// A NaN stays, as in numpy.minimum and maximum.
template <class T>
T minimum_with_nan(T a, T b) {
  return a < b || a != a ? a : b;
}
template <class T>
T maximum_with_nan(T a, T b) {
  return a > b || a != a ? a : b;
}

}  // namespace pilum::numeric
