// What the functions that kernels call mean for two numbers, or one: for oracles. By the C library, and by definition.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel::test {

// The quotient rounded down, as if the numbers were not bounded.
inline __int128 python_quotient(__int128 a, __int128 b) {
  const __int128 quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

template <class T>
T integer_function(Op op, T a, T b) {
  using U = std::make_unsigned_t<T>;
  constexpr int kBits = std::numeric_limits<U>::digits;
  const auto magnitude = [](T x) { return static_cast<U>(x < 0 ? U(0) - static_cast<U>(x) : static_cast<U>(x)); };
  switch (op) {
    case Op::FloorDivide: return b == 0 ? T{0} : static_cast<T>(python_quotient(a, b));
    case Op::Fmod: return b == 0 ? T{0} : static_cast<T>(static_cast<__int128>(a) % b);
    case Op::LeftShift: return b < 0 || b >= kBits ? T{0} : static_cast<T>(static_cast<U>(a) << b);
    case Op::RightShift: return static_cast<T>(b < 0 || b >= kBits ? (a < 0 ? -1 : 0) : a >> b);
    case Op::MultiplyHigh: {
      using Wide = unsigned __int128;
      return static_cast<T>(static_cast<Wide>(static_cast<U>(a)) * static_cast<Wide>(static_cast<U>(b)) >> 64);
    }
    case Op::Gcd: return static_cast<T>(std::gcd(magnitude(a), magnitude(b)));
    case Op::Lcm: {
      const U divisor = std::gcd(magnitude(a), magnitude(b));
      return divisor == 0 ? T{0} : static_cast<T>(magnitude(a) / divisor * magnitude(b));
    }
    default: throw std::logic_error("a function of integers");
  }
}

// Philox 4x32-10 as its paper has it, in words of 32 bits.
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0], second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

// Box and Muller's numbers of two words, in long double: the cosine's, then the sine's.
inline std::array<double, 2> normal_pair(std::uint64_t low, std::uint64_t high) {
  const auto k = static_cast<double>((low & INT64_MAX) | 1);
  const long double radius = std::sqrt(-2 * std::log(static_cast<long double>(k) * 0x1p-63L));
  const auto turns = static_cast<long double>(static_cast<double>(static_cast<std::int64_t>(high))) * 0x1p-64L;
  const long double angle = 2 * std::numbers::pi_v<long double> * turns;
  return {static_cast<double>(radius * std::cos(angle)), static_cast<double>(radius * std::sin(angle))};
}

inline double normal_function(std::int64_t a, std::int64_t b, std::int64_t c) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto counter = static_cast<std::uint64_t>(a) / 2, draw = static_cast<std::uint64_t>(b),
             key = static_cast<std::uint64_t>(c);
  const auto words = philox({low(counter), high(counter), low(draw), high(draw)}, {low(key), high(key)});
  return normal_pair(words[0] | std::uint64_t{words[1]} << 32,
                     words[2] | std::uint64_t{words[3]} << 32)[static_cast<std::uint64_t>(a) % 2];
}

// The ops of three integers that give one.
inline std::int64_t ternary_function(Op op, std::int64_t a, std::int64_t b, std::int64_t c) {
  const auto low = [](std::int64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::int64_t x) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x) >> 32); };
  const auto words = philox({low(a), high(a), low(b), high(b)}, {low(c), high(c)});
  switch (op) {
    case Op::PhiloxLow: return static_cast<std::int64_t>(words[0] | std::uint64_t{words[1]} << 32);
    case Op::PhiloxHigh: return static_cast<std::int64_t>(words[2] | std::uint64_t{words[3]} << 32);
    default: throw std::logic_error("a function of three integers");
  }
}

// floatobject.c's float_divmod of CPython, and NumPy's beside it.
template <class T>
T floor_quotient(T a, T b) {
  if (b == 0) return a / b;
  T rest = std::fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T{0}, a / b);
  T whole = std::floor(quotient);
  if (quotient - whole > T{0.5}) whole += 1;
  return whole;
}

// Elementary functions, by the C library's longer numbers: rounded, they are exact or next to it.
inline long double elementary_function(Op op, long double a) {
  constexpr long double kPi = 3.14159265358979323846264338327950288L;
  switch (op) {
    case Op::Exp: return std::exp(a);
    case Op::Log: return std::log(a);
    case Op::Exp2: return std::exp2(a);
    case Op::Expm1: return std::expm1(a);
    case Op::Log2: return std::log2(a);
    case Op::Log10: return std::log10(a);
    case Op::Log1p: return std::log1p(a);
    case Op::Cbrt: return std::cbrt(a);
    case Op::Sin: return std::sin(a);
    case Op::Cos: return std::cos(a);
    case Op::Tan: return std::tan(a);
    case Op::Arcsin: return std::asin(a);
    case Op::Arccos: return std::acos(a);
    case Op::Arctan: return std::atan(a);
    case Op::Sinh: return std::sinh(a);
    case Op::Cosh: return std::cosh(a);
    case Op::Tanh: return std::tanh(a);
    case Op::Arcsinh: return std::asinh(a);
    case Op::Arccosh: return std::acosh(a);
    case Op::Arctanh: return std::atanh(a);
    case Op::Sinc:
      if (a == 0) return 1;
      if (a == std::trunc(a)) return std::isinf(a) ? std::numeric_limits<long double>::quiet_NaN() : 0;
      return std::sin(kPi * std::remainder(a, 2.0L)) / (kPi * a);
    case Op::Erf: return std::erf(a);
    case Op::Erfc: return std::erfc(a);
    case Op::Gamma: return std::tgamma(a);
    case Op::LogGamma: return std::lgamma(a);
    default: throw std::logic_error("a function of a float");
  }
}

inline long double elementary_function(Op op, long double a, long double b) {
  const long double larger = a < b ? b : a, distance = std::fabs(a - b);
  switch (op) {
    case Op::Hypot: return std::hypot(a, b);
    case Op::Arctan2: return std::atan2(a, b);
    case Op::LogAddExp: return a == b ? a + std::log(2.0L) : larger + std::log1p(std::exp(-distance));
    case Op::LogAddExp2: return a == b ? a + 1 : larger + std::log1p(std::exp2(-distance)) / std::log(2.0L);
    default: throw std::logic_error("a function of floats");
  }
}

template <class T>
T float_function(Op op, T a, T b) {
  switch (op) {
    case Op::FloorDivide: return floor_quotient(a, b);
    case Op::Fmod: return std::fmod(a, b);
    case Op::Copysign: return std::copysign(a, b);
    case Op::Nextafter: return std::nextafter(a, b);
    case Op::Ldexp: return std::scalbn(a, b > 100000 ? 100000 : b < -100000 ? -100000 : static_cast<int>(b));
    case Op::Fmin: return std::isnan(a) ? b : std::isnan(b) || a <= b ? a : b;
    case Op::Fmax: return std::isnan(a) ? b : std::isnan(b) || a >= b ? a : b;
    case Op::Heaviside: return std::isnan(a) ? a : a == 0 ? b : a < 0 ? 0 : 1;
    default: return static_cast<T>(elementary_function(op, a, b));
  }
}

template <class T>
T float_function(Op op, T a) {
  int exponent = 0;
  switch (op) {
    case Op::Floor: return std::floor(a);
    case Op::Ceil: return std::ceil(a);
    case Op::Trunc: return std::trunc(a);
    case Op::Rint: return std::nearbyint(a);
    case Op::FrexpMantissa: return std::isfinite(a) ? std::frexp(a, &exponent) : a;
    case Op::FrexpExponent:
      if (std::isfinite(a)) std::frexp(a, &exponent);
      return static_cast<T>(exponent);
    default: return static_cast<T>(elementary_function(op, a));
  }
}

}  // namespace pilum::kernel::test
