#include "runtime/base/scalar.h"

#include <charconv>
#include <cmath>

#include "runtime/base/dtype_visit.h"

namespace pilum {

Scalar cast(const Scalar& value, DType to) {
  return visit_real_dtype(value.dtype, [&]<class From>(From) {
    const From number = value.as<From>();
    return visit_real_dtype(to, [&]<class To>(To) {
      return Scalar::of(std::is_same_v<To, bool> ? static_cast<To>(number != From{}) : static_cast<To>(number));
    });
  });
}

std::string to_string(const Scalar& value) {
  if (value.dtype == DType::Bool) return value.as<bool>() ? "true" : "false";
  if (is_signed(value.dtype)) return std::to_string(cast(value, DType::Int64).as<std::int64_t>());
  if (is_unsigned(value.dtype)) return std::to_string(cast(value, DType::UInt64).as<std::uint64_t>());
  char text[40];
  // The shortest digits that give the number back; whole numbers without an exponent, as far as they are exact.
  const auto shortest = [&text](auto number) {
    constexpr double kExact = 1e15;
    const bool whole = number == std::trunc(number) && std::abs(static_cast<double>(number)) < kExact;
    const auto format = whole ? std::chars_format::fixed : std::chars_format::general;
    *std::to_chars(text, text + sizeof text - 1, number, format).ptr = 0;
  };
  if (value.dtype == DType::Float16) {
    shortest(static_cast<float>(value.as<half>()));
  } else if (value.dtype == DType::Float32) {
    shortest(value.as<float>());
  } else {
    shortest(value.as<double>());
  }
  return text;
}

}  // namespace pilum
