// Logarithms and exponentials made of IEEE operations alone: the same bits by any C library, on any processor, and on
// GPUs, whose compiler is given this text (drawn_text.h). The sources that include it are compiled with
// -ffp-contract=off.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
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
  int exponent = -1022;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    exponent -= 54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52);
  double mantissa = std::bit_cast<double>((bits & 0xfffffffffffff) | 0x3fe0000000000000);  // from 1/2 to 1
  if (mantissa < 0x1.6a09e667f3bcdp-1) {
    mantissa *= 2;
    --exponent;
  }
  const double f = mantissa - 1, s = f / (2 + f), square = s * s, half = 0.5 * f * f;
  // Every other term: two sums, which processors take at once.
  constexpr double kThird[] = {2.0 / 23, 2.0 / 19, 2.0 / 15, 2.0 / 11, 2.0 / 7, 2.0 / 3};
  constexpr double kFifth[] = {2.0 / 21, 2.0 / 17, 2.0 / 13, 2.0 / 9, 2.0 / 5};
  const double fourth = square * square;
  double third = kThird[0], fifth = kFifth[0];
  for (int k = 1; k < 6; ++k) third = third * fourth + kThird[k];
  for (int k = 1; k < 5; ++k) fifth = fifth * fourth + kFifth[k];
  const double rest = square * third + fourth * fifth;
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
  // 2 / k!, every other term.
  constexpr double kOdd[] = {2 / 6227020800.0, 2 / 39916800.0, 2 / 362880.0, 2 / 5040.0, 2 / 120.0, 2 / 6.0};
  constexpr double kEven[] = {2 / 87178291200.0, 2 / 479001600.0, 2 / 3628800.0, 2 / 40320.0, 2 / 720.0, 2 / 24.0};
  const double square = rest * rest;
  double odd = kOdd[0], even = kEven[0];
  for (int k = 1; k < 6; ++k) {
    odd = odd * square + kOdd[k];
    even = even * square + kEven[k];
  }
  const double sum = rest * odd + square * even;
  const double value = 1 + (high + (0.5 * rest * rest * (1 + sum) - low));
  // By two powers of 2, for the last numbers before 0 and before infinity.
  const int exponent = static_cast<int>(power), first = exponent / 2;
  const auto power_of_two = [](int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); };
  return value * power_of_two(first) * power_of_two(exponent - first);
}

}  // namespace pilum::numeric::portable
