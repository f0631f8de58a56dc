// Logarithms and exponentials made of IEEE operations alone: the same bits by any C library, on any processor. The
// sources that include it are compiled with -ffp-contract=off.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

namespace pilum::numeric::portable {

// Of log 2, the upper digits and the rest: few enough for products by exponents to be exact.
inline constexpr double kLog2High = 0x1.62e42feep-1;  // NOLINT(modernize-use-std-numbers): not all of its digits
inline constexpr double kLog2Low = 0x1.a39ef35793c76p-33;

// The natural logarithm, within 1 ulp. Of a mantissa 1 + f between the roots of 1/2 and 2 it is f - f^2/2 + s (f^2/2 +
// R), s = f / (2 + f), where R is the rest of the inverse hyperbolic tangent's series.
inline double log(double x) {
  if (!(x > 0)) return x == 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (x > std::numeric_limits<double>::max()) return x;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0x1.6a09e667f3bcdp-1) {
    mantissa *= 2;
    --exponent;
  }
  const double f = mantissa - 1, s = f / (2 + f), square = s * s, half = 0.5 * f * f;
  double rest = 0;
  for (int k = 23; k >= 3; k -= 2) rest = square * (rest + 2.0 / k);
  return exponent * kLog2High - ((half - (s * (half + rest) + exponent * kLog2Low)) - f);
}

// Of 1 + x: what 1 + x lost by rounding is put right in proportion (Kahan).
inline double log1p(double x) {
  const double sum = 1 + x;
  return sum == 1 ? x : log(sum) * (x / (sum - 1));
}

// e to the power of x, within 1 ulp: the series of what is left of x besides multiples of log 2.
inline double exp(double x) {
  if (x != x) return x;
  if (x > 710) return std::numeric_limits<double>::infinity();
  if (x < -746) return 0;
  const double power = std::floor(x * std::numbers::log2e + 0.5);
  const double high = x - power * kLog2High, low = power * kLog2Low, rest = high - low;
  double sum = 1;
  for (int k = 14; k >= 3; --k) sum = 1 + rest / k * sum;
  return std::ldexp(1 + (high + (0.5 * rest * rest * sum - low)), static_cast<int>(power));
}

}  // namespace pilum::numeric::portable
