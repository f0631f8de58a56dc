// Element types and how they combine (NumPy 2, NEP 50).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>

namespace pilum {

// The type of an array's elements, named as in NumPy.
enum class DType : std::uint8_t { Bool, Int32, Int64, Float32, Float64 };

inline constexpr DType bool_ = DType::Bool;
inline constexpr DType int32 = DType::Int32;
inline constexpr DType int64 = DType::Int64;
inline constexpr DType float32 = DType::Float32;
inline constexpr DType float64 = DType::Float64;

// Bytes an element takes.
constexpr std::size_t itemsize(DType dtype) {
  constexpr std::size_t kSizes[] = {1, 4, 8, 4, 8};
  return kSizes[static_cast<int>(dtype)];
}

// "bool", "int32", "int64", "float32", "float64".
constexpr const char* name(DType dtype) {
  constexpr const char* kNames[] = {"bool", "int32", "int64", "float32", "float64"};
  return kNames[static_cast<int>(dtype)];
}

// Prints its name.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, DType dtype) {
  return out << name(dtype);
}

constexpr bool is_floating(DType dtype) {
  return dtype >= DType::Float32;
}
constexpr bool is_integer(DType dtype) {
  return dtype == DType::Int32 || dtype == DType::Int64;
}

// The dtype that holds the values of both, as numpy.promote_types: int32 and float32 meet in float64.
constexpr DType promote(DType a, DType b) {
  const DType low = a < b ? a : b;
  const DType high = a < b ? b : a;
  return is_integer(low) && high == DType::Float32 ? DType::Float64 : high;
}

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::Bool;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType value = DType::Int32;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType value = DType::Int64;
};
template <>
struct DTypeOf<long long> {
  static constexpr DType value = DType::Int64;
};
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::Float32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::Float64;
};

template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

}  // namespace pilum
