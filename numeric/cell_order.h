// NumPy's order of cells, in bodies that sort lines.
#pragma once

#include "pilum/operand.h"

namespace pilum::numeric {

// Complex numbers: by the real part, then by the other one; before those with a NaN in the imaginary part, in the real
// one, in both, each of which are in the order of what is left of them. Of real numbers none is a NaN.
template <class T>
bool is_before(T a, T b) {
  if constexpr (ComplexNumber<T>) {
    const bool nan_a = a.imag() != a.imag(), nan_b = b.imag() != b.imag();
    if (a.real() < b.real()) return !nan_a || nan_b;
    if (a.real() > b.real()) return nan_b && !nan_a;
    const bool both_lost = a.real() != a.real() && b.real() != b.real();
    if (a.real() == b.real() || both_lost) return a.imag() < b.imag() || (nan_b && !nan_a);
    return b.real() != b.real();
  } else {
    return a < b;
  }
}

}  // namespace pilum::numeric
