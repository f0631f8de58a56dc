#include "tests/random/dense_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "tests/random/dense.h"

namespace pilum::random_programs {
namespace {

constexpr long double kPi = std::numbers::pi_v<long double>;

long double elementary(Op op, long double a, long double b) {
  const long double larger = std::max(a, b), distance = std::fabs(a - b);
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
    case Op::Erf: return std::erf(a);
    case Op::Erfc: return std::erfc(a);
    case Op::Gamma: return std::tgamma(a);
    case Op::LogGamma: return std::lgamma(a);
    case Op::Degrees: return a * (180 / kPi);
    case Op::Radians: return a * (kPi / 180);
    case Op::Sinc:
      if (a == 0) return 1;
      if (std::isfinite(a) && a == std::floor(a)) return 0;
      return std::sin(kPi * std::remainder(a, 2.0L)) / (kPi * a);
    case Op::Hypot: return std::hypot(a, b);
    case Op::Arctan2: return std::atan2(a, b);
    case Op::LogAddExp: return a == b ? a + std::log(2.0L) : larger + std::log1p(std::exp(-distance));
    case Op::LogAddExp2: return a == b ? a + 1 : larger + std::log1p(std::exp2(-distance)) / std::log(2.0L);
    default: throw std::logic_error("not an elementary function");
  }
}

// The quotient of a division rounded down, as Python's float_floor_div.
template <class T>
T floor_quotient(T a, T b) {
  if (b == 0) return a / b;
  const T rest = std::fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient = quotient - 1;
  if (quotient == 0) return std::copysign(T{0}, a / b);
  const T below = std::floor(quotient);
  return quotient - below > T{0.5} ? below + 1 : below;
}

template <class T>
T chosen(Op op, T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  if (a == b && std::signbit(a) != std::signbit(b)) throw Invalid("the smaller one of 0.0 and -0.0");
  return op == Op::Fmin ? std::min(a, b) : std::max(a, b);
}

template <class T>
T exact(Op op, T a, T b) {
  int exponent = 0;
  T whole = 0;
  switch (op) {
    case Op::FloorDivide: return floor_quotient(a, b);
    case Op::Fmod: return std::fmod(a, b);
    case Op::Copysign:
      if (std::isnan(b)) throw Invalid("the sign of a NaN");
      return std::copysign(a, b);
    case Op::Nextafter: return std::nextafter(a, b);
    case Op::Heaviside: return a != a ? a : a == 0 ? b : a < 0 ? T{0} : T{1};
    case Op::Fmin:
    case Op::Fmax: return chosen(op, a, b);
    case Op::Floor: return std::floor(a);
    case Op::Ceil: return std::ceil(a);
    case Op::Trunc: return std::trunc(a);
    case Op::Rint: return std::nearbyint(a);
    case Op::Fabs: return std::fabs(a);
    case Op::Reciprocal: return 1 / a;
    case Op::NanToNum:
      if (std::isnan(a)) return 0;
      return std::clamp(a, std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max());
    case Op::FrexpMantissa: return std::isfinite(a) ? std::frexp(a, &exponent) : a;
    case Op::FrexpExponent:
      if (std::isfinite(a)) std::frexp(a, &exponent);
      return static_cast<T>(exponent);
    case Op::ModfPart: return std::isnan(a) ? a : std::modf(a, &whole);
    case Op::ModfWhole: return std::trunc(a);
    default: return static_cast<T>(elementary(op, a, b));
  }
}

// Of float16: from a power of two towards 0 its digits are half as far apart.
double next_half(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return a;
  if (a == 0) return std::copysign(0x1p-24, b);
  if (std::isinf(a)) return std::copysign(65504.0, a);
  int exponent = 0;
  const bool shrinks = (b < a) == (a > 0), is_power = std::abs(std::frexp(a, &exponent)) == 0.5;
  const double digit = std::ldexp(1.0, std::max(exponent - 11 - (shrinks && is_power), -24));
  const double next = std::abs(a) + (shrinks ? -digit : digit);
  return std::copysign(next > 65504 ? HUGE_VAL : next, a);
}

}  // namespace

double float_function(Op op, double a, double b, DType dtype) {
  if (dtype == DType::Float16 && op == Op::Nextafter) return next_half(a, b);
  if (dtype == DType::Float16 && op == Op::NanToNum) return std::isnan(a) ? 0 : std::clamp(a, -65504.0, 65504.0);
  return dtype == DType::Float64 ? exact(op, a, b) : exact(op, static_cast<float>(a), static_cast<float>(b));
}

double rounded_half(double number) {
  if (number == 0 || !std::isfinite(number)) return number;
  const double digit = std::ldexp(1.0, std::max(std::ilogb(number), -14) - 10);
  const double rounded = std::copysign(std::nearbyint(number / digit) * digit, number);
  return std::abs(rounded) > 65504 ? std::copysign(HUGE_VAL, number) : rounded;
}

__int128 integer_function(Op op, __int128 a, __int128 b, DType dtype) {
  const __int128 bits = __int128{8} * itemsize(dtype);
  const bool inexact = b != 0 && a % b != 0;
  const auto size = [](__int128 number) { return static_cast<std::uint64_t>(number < 0 ? -number : number); };
  const __int128 common = std::gcd(size(a), size(b));
  switch (op) {
    case Op::FloorDivide: return b == 0 ? 0 : a / b - (inexact && (a < 0) != (b < 0));
    case Op::Fmod: return b == 0 ? 0 : a % b;
    case Op::LeftShift: return b < 0 || b >= bits ? 0 : static_cast<__int128>(static_cast<std::uint64_t>(a) << b);
    case Op::RightShift: return a >> (b < 0 || b >= bits ? 100 : static_cast<int>(b));
    case Op::Gcd: return common;
    case Op::Lcm:
      return common == 0 ? 0 : static_cast<__int128>(size(a) / static_cast<std::uint64_t>(common) * size(b));
    case Op::Fmin: return std::min(a, b);
    case Op::Fmax: return std::max(a, b);
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::NanToNum: return a;
    case Op::Reciprocal: return a == 1 || a == -1 ? a : 0;
    default: throw std::logic_error("not a function of integers");
  }
}

double tolerance_of(Op op, double a, double b, double result, DType dtype) {
  if (!std::isfinite(result)) return 0;
  double size = std::abs(result);
  if (op == Op::LogAddExp || op == Op::LogAddExp2) size = std::max(size, std::abs(std::max(a, b)));
  if (op == Op::LogGamma) size = std::max(size, 1.0);
  if (dtype == DType::Float64) return 2 * (std::nextafter(size, HUGE_VAL) - size);
  if (dtype == DType::Float16) return std::ldexp(std::max(size, 0x1p-14), -9);
  const float single = static_cast<float>(size);
  return 2 * (static_cast<double>(std::nextafterf(single, HUGE_VALF)) - single);
}

DType dtype_of_function(Op op, DType dtype, std::size_t widest) {
  const bool keeps = (op >= Op::FloorDivide && op <= Op::Lcm) || op == Op::Fmin || op == Op::Fmax || op == Op::Floor ||
                     op == Op::Ceil || op == Op::Trunc || op == Op::NanToNum || op == Op::Reciprocal;
  const bool of_scipy = op >= Op::Erf && op <= Op::LogGamma;
  if (op == Op::BitwiseCount && is_floating(dtype)) throw Invalid("bits of floats");
  if (op == Op::BitwiseCount) return dtype == DType::Bool ? DType::Int8 : dtype;
  if (of_scipy && (dtype == DType::Float16 || widest == 1)) return DType::Float64;
  if (!keeps && is_floating(dtype)) return dtype;
  if (!keeps && (op == Op::Sinc || widest > 2)) return DType::Float64;
  if (!keeps) return widest == 2 ? DType::Float32 : DType::Float16;
  if (op >= Op::LeftShift && op <= Op::Lcm && is_floating(dtype)) throw Invalid("an operation of integers");
  const bool of_bools =
      op == Op::Fmin || op == Op::Fmax || op == Op::Floor || op == Op::Ceil || op == Op::Trunc || op == Op::NanToNum;
  if (dtype == DType::Bool && (op == Op::Gcd || op == Op::Lcm)) throw Invalid("divisors of bools");
  if (dtype == DType::Bool && !of_bools) return DType::Int8;
  return dtype;
}

DType dtype_of_result(Op op, DType dtype) {
  if (op == Op::Signbit) return DType::Bool;
  if (op == Op::BitwiseCount) return DType::UInt8;
  return op == Op::FrexpExponent ? DType::Int32 : dtype;
}

bool is_function(Op op) {
  if (op == Op::Sign) return false;
  return (op >= Op::FloorDivide && op <= Op::LogAddExp2) || (op >= Op::Floor && op <= Op::LogGamma) ||
         op == Op::Degrees || op == Op::Radians;
}

}  // namespace pilum::random_programs
