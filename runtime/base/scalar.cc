#include "runtime/base/scalar.h"

#include <charconv>
#include <cmath>

namespace pilum {
namespace {

template <class Function>
auto visit(const Scalar& value, Function function) {
  switch (value.dtype) {
    case DType::Bool: return function(value.as<bool>());
    case DType::Int32: return function(value.as<std::int32_t>());
    case DType::Int64: return function(value.as<std::int64_t>());
    case DType::Float32: return function(value.as<float>());
    default: return function(value.as<double>());
  }
}

}  // namespace

Scalar cast(const Scalar& value, DType to) {
  return visit(value, [to](auto number) {
    switch (to) {
      case DType::Bool: return Scalar::of<bool>(number != 0);
      case DType::Int32: return Scalar::of(static_cast<std::int32_t>(number));
      case DType::Int64: return Scalar::of(static_cast<std::int64_t>(number));
      case DType::Float32: return Scalar::of(static_cast<float>(number));
      default: return Scalar::of(static_cast<double>(number));
    }
  });
}

std::string to_string(const Scalar& value) {
  if (value.dtype == DType::Bool) return value.as<bool>() ? "true" : "false";
  if (is_integer(value.dtype)) return std::to_string(cast(value, DType::Int64).as<std::int64_t>());
  char text[40];
  // The shortest digits that give the number back; whole numbers without an exponent, as far as they are exact.
  const auto shortest = [&text](auto number) {
    constexpr double kExact = 1e15;
    const bool whole = number == std::trunc(number) && std::abs(static_cast<double>(number)) < kExact;
    const auto format = whole ? std::chars_format::fixed : std::chars_format::general;
    *std::to_chars(text, text + sizeof text - 1, number, format).ptr = 0;
  };
  if (value.dtype == DType::Float32) {
    shortest(value.as<float>());
  } else {
    shortest(value.as<double>());
  }
  return text;
}

}  // namespace pilum
