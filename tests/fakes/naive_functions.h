// NumPy's functions of one or two numbers, by the C library in long double where it has them: for the naive recorder.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <type_traits>

#include "runtime/base/check.h"
#include "runtime/kernel/ir/kernel.h"

namespace pilum::fakes {

// Of integers, which wrap.
template <class C>
  requires std::is_integral_v<C>
C naive_function(kernel::Op op, C a, C b) {
  using kernel::Op;
  using U = std::make_unsigned_t<C>;
  constexpr C kBits = 8 * sizeof(C);
  const auto size = [](C x) { return x < 0 ? static_cast<U>(0 - static_cast<U>(x)) : static_cast<U>(x); };
  const U common = std::gcd(size(a), size(b));
  switch (op) {
    case Op::FloorDivide:
      if (b == 0) return 0;
      if (b == -1) return static_cast<C>(0 - static_cast<U>(a));
      return static_cast<C>(a / b - (a % b != 0 && (a < 0) != (b < 0)));
    case Op::Fmod: return b == 0 || b == -1 ? C(0) : static_cast<C>(a % b);
    case Op::LeftShift: return b < 0 || b >= kBits ? C(0) : static_cast<C>(static_cast<U>(a) << b);
    case Op::RightShift: return b < 0 || b >= kBits ? static_cast<C>(a < 0 ? -1 : 0) : static_cast<C>(a >> b);
    case Op::Gcd: return static_cast<C>(common);
    case Op::Lcm: return common == 0 ? C(0) : static_cast<C>(size(a) / common * size(b));
    default: PILUM_CHECK(false, "a function of integers {}", kernel::name(op));
  }
  return a;
}

// numpy.floor_divide: npy_divmod of NumPy says what it is.
template <class C>
C naive_floor_divide(C a, C b) {
  C rest = std::fmod(a, b);
  if (b == 0) return a / b;
  C quotient = (a - rest) / b;
  if (rest != 0 && std::signbit(b) != std::signbit(rest)) quotient -= 1;
  if (quotient == 0) return std::copysign(C(0), a / b);
  const C whole = std::floor(quotient);
  return quotient - whole > C(0.5) ? whole + 1 : whole;
}

inline long double naive_elementary(kernel::Op op, long double a, long double b) {
  using kernel::Op;
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
    case Op::Sinc: {
      const long double angle = std::numbers::pi_v<long double> * std::remainder(a, 2.0L);
      const bool whole = std::isfinite(a) && a == std::floor(a);
      return a == 0 ? 1.0L : whole ? 0.0L : std::sin(angle) / (std::numbers::pi_v<long double> * a);
    }
    case Op::Erf: return std::erf(a);
    case Op::Erfc: return std::erfc(a);
    case Op::Gamma: return std::tgamma(a);
    case Op::LogGamma: return std::lgamma(a);
    case Op::Hypot: return std::hypot(a, b);
    case Op::Arctan2: return std::atan2(a, b);
    case Op::LogAddExp:
      return a == b ? a + std::numbers::ln2_v<long double> : std::max(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
    case Op::LogAddExp2:
      return a == b ? a + 1
                    : std::max(a, b) + std::log1p(std::exp2(-std::fabs(a - b))) / std::numbers::ln2_v<long double>;
    default: PILUM_CHECK(false, "an elementary function {}", kernel::name(op));
  }
  return a;
}

template <class C>
  requires std::is_floating_point_v<C>
C naive_function(kernel::Op op, C a, C b) {
  using kernel::Op;
  int exponent = 0;
  switch (op) {
    case Op::FloorDivide: return naive_floor_divide(a, b);
    case Op::Fmod: return std::fmod(a, b);
    case Op::Floor: return std::floor(a);
    case Op::Ceil: return std::ceil(a);
    case Op::Trunc: return std::trunc(a);
    case Op::Rint: return std::rint(a);
    case Op::FrexpMantissa: return std::isfinite(a) ? std::frexp(a, &exponent) : a;
    case Op::FrexpExponent:
      if (std::isfinite(a)) std::frexp(a, &exponent);
      return static_cast<C>(exponent);
    case Op::Copysign: return std::copysign(a, b);
    case Op::Nextafter: return std::nextafter(a, b);
    case Op::Ldexp: return std::ldexp(a, static_cast<int>(std::fmin(std::fmax(b, C(-9999)), C(9999))));
    case Op::Fmin: return std::fmin(a, b);
    case Op::Fmax: return std::fmax(a, b);
    case Op::Heaviside: return std::isnan(a) ? a : a == 0 ? b : static_cast<C>(a > 0);
    default: return static_cast<C>(naive_elementary(op, a, b));
  }
}

}  // namespace pilum::fakes
