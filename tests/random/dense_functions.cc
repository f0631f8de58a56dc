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

}  // namespace

double float_function(Op op, double a, double b, DType dtype) {
  return dtype == DType::Float32 ? exact(op, static_cast<float>(a), static_cast<float>(b)) : exact(op, a, b);
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
  const float single = static_cast<float>(size);
  return 2 * (static_cast<double>(std::nextafterf(single, HUGE_VALF)) - single);
}

DType dtype_of_function(Op op, DType dtype, std::size_t widest) {
  const bool keeps = (op >= Op::FloorDivide && op <= Op::Lcm) || op == Op::Fmin || op == Op::Fmax || op == Op::Floor ||
                     op == Op::Ceil || op == Op::Trunc || op == Op::NanToNum || op == Op::Reciprocal;
  if (!keeps && is_floating(dtype)) return dtype;
  if (!keeps) return widest == 2 && op != Op::Sinc ? DType::Float32 : DType::Float64;
  if (op >= Op::LeftShift && op <= Op::Lcm && is_floating(dtype)) throw Invalid("an operation of integers");
  const bool of_bools =
      op == Op::Fmin || op == Op::Fmax || op == Op::Floor || op == Op::Ceil || op == Op::Trunc || op == Op::NanToNum;
  if (dtype == DType::Bool && (op == Op::Gcd || op == Op::Lcm)) throw Invalid("divisors of bools");
  if (dtype == DType::Bool && !of_bools) return DType::Int8;
  return dtype;
}

DType dtype_of_result(Op op, DType dtype) {
  if (op == Op::Signbit) return DType::Bool;
  return op == Op::FrexpExponent ? DType::Int32 : dtype;
}

bool is_function(Op op) {
  if (op == Op::Sign) return false;
  return (op >= Op::FloorDivide && op <= Op::LogAddExp2) || (op >= Op::Floor && op <= Op::LogGamma);
}

}  // namespace pilum::random_programs
