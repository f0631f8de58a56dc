// What the kernel's operations mean for two numbers, or one: for oracles.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "pilum/half.h"
#include "runtime/kernel/ir/kernel.h"
#include "tests/kernel/complex_scalar_ops.h"
#include "tests/kernel/scalar_functions.h"

namespace pilum::kernel::test {

template <class T>
T wrapping(Op op, T a, T b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (op) {
    case Op::Add: return static_cast<T>(x + y);
    case Op::Subtract: return static_cast<T>(x - y);
    case Op::Multiply: return static_cast<T>(x * y);
    default: break;
  }
  std::uint64_t product = 1;
  for (int bit = 63; b > 0 && bit >= 0; --bit) product = product * product * (y >> bit & 1 ? x : 1);
  return static_cast<T>(product);
}

// a - floor(a / b) * b, as if the numbers were not bounded.
inline __int128 python_remainder(__int128 a, __int128 b) {
  __int128 quotient = a / b;
  if (quotient * b != a && (a < 0) != (b < 0)) --quotient;
  return a - quotient * b;
}

// float.__mod__ of CPython.
template <std::floating_point T>
T python_remainder(T a, T b) {
  T rest = std::fmod(a, b);
  if (std::isnan(rest)) return rest;
  if (rest == 0) return std::copysign(T{0}, b);
  if (std::signbit(rest) != std::signbit(b)) rest += b;
  return rest;
}

template <class T>
T arithmetic(Op op, T a, T b);
// A float's, rounded.
template <>
inline half arithmetic(Op op, half a, half b);

template <class T>
T arithmetic(Op op, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    switch (op) {
      case Op::Add:
      case Op::Maximum:
      case Op::Or: return a || b;
      case Op::Multiply:
      case Op::Minimum:
      case Op::And: return a && b;
      case Op::Subtract:
      case Op::Xor: return a != b;
      default: throw std::logic_error("bool arithmetic");
    }
  } else {
    if (op == Op::Minimum || op == Op::Maximum) {
      if (a != a) return a;
      if (b != b) return b;
      // Of two equal zeros, the first one.
      return op == Op::Minimum ? (b < a ? b : a) : (b > a ? b : a);
    }
    if constexpr (std::is_integral_v<T>) {
      switch (op) {
        case Op::Remainder: return b == 0 ? T{0} : static_cast<T>(python_remainder(a, b));
        case Op::And: return static_cast<T>(a & b);
        case Op::Or: return static_cast<T>(a | b);
        case Op::Xor: return static_cast<T>(a ^ b);
        case Op::Add:
        case Op::Subtract:
        case Op::Multiply:
        case Op::Power: return wrapping(op, a, b);
        default: return integer_function(op, a, b);
      }
    } else {
      switch (op) {
        case Op::Add: return a + b;
        case Op::Subtract: return a - b;
        case Op::Multiply: return a * b;
        case Op::Divide: return a / b;
        case Op::Power: return std::pow(a, b);
        case Op::Remainder: return python_remainder(a, b);
        default: return float_function(op, a, b);
      }
    }
  }
}

// The neighbour of a towards b: that of their bits, which are in the halves' order for each sign.
inline half next_half(half a, half b) {
  if (a != a || b != b) return half(a + b);
  if (a == b) return a;
  if (a == 0) return half::from_bits(static_cast<std::uint16_t>((b.bits() & 0x8000) + 1));
  const bool grows = (a < b) == (a > 0);
  return half::from_bits(static_cast<std::uint16_t>(grows ? a.bits() + 1 : a.bits() - 1));
}

template <>
inline half arithmetic(Op op, half a, half b) {
  if (op == Op::Nextafter) return next_half(a, b);
  return half(arithmetic(op, static_cast<float>(a), static_cast<float>(b)));
}

inline bool compares(Op op) {
  return op >= Op::Equal && op <= Op::GreaterEqual;
}

template <class T>
bool comparison(Op op, T x, T y) {
  switch (op) {
    case Op::Equal: return x == y;
    case Op::NotEqual: return x != y;
    case Op::Less: return x < y;
    case Op::LessEqual: return x <= y;
    case Op::Greater: return x > y;
    default: return x >= y;
  }
}

template <class T>
T unary(Op op, T x) {
  if constexpr (std::is_same_v<T, half>) {
    return half(unary(op, static_cast<float>(x)));
  } else if constexpr (std::is_same_v<T, bool>) {
    return op == Op::Not ? !x : x;
  } else if constexpr (std::is_integral_v<T>) {
    if (op == Op::Not) return static_cast<T>(static_cast<T>(-1) - x);
    return op == Op::Negate || x < 0 ? wrapping(Op::Subtract, T{0}, x) : x;
  } else {
    switch (op) {
      case Op::Negate: return -x;
      case Op::Absolute: return std::fabs(x);
      case Op::Sqrt: return std::sqrt(x);
      case Op::RoundHalf: return static_cast<T>(half(x));
      default: return float_function(op, x);
    }
  }
}

// C++'s conversion, of complex numbers the real part's; a float's whole part wraps in an integer that does not hold it,
// as far as an int64 does.
template <class To, class From>
To converted(From value) {
  if constexpr (is_complex_number<From> && is_complex_number<To>) {
    return static_cast<To>(value);
  } else if constexpr (is_complex_number<To>) {
    return To(converted<typename To::value_type>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (is_complex_number<From>) {
    return converted<To>(value.real());
  } else {
    if constexpr (detail::kIsFloating<From> && std::is_integral_v<To>) {
      if (value < 0 || sizeof(To) < sizeof(std::int64_t)) return static_cast<To>(static_cast<std::int64_t>(value));
    }
    return static_cast<To>(value);
  }
}

// The operation by which a fold goes on.
inline Op op_of(Fold fold) {
  static constexpr Op kOps[] = {Op::Add, Op::Multiply, Op::Minimum, Op::Maximum};
  return kOps[static_cast<int>(fold)];
}

}  // namespace pilum::kernel::test
