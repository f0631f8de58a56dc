// Element types and how they combine (NumPy 2, NEP 50).
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iosfwd>

#include "pilum/half.h"

namespace pilum {

// The type of an array's elements, named as in NumPy. In the order of their arrival: programs in C and Fortran know
// them by number, and nothing follows from the order.
enum class DType : std::uint8_t {
  Bool,
  Int32,
  Int64,
  Float32,
  Float64,
  Int8,
  Int16,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Complex64,  // std::complex<float>: the real part, then the imaginary one
  Complex128,
  Float16  // of IEEE's 16 bits (pilum::half): stored as these, computed in float32
};

inline constexpr DType bool_ = DType::Bool;
inline constexpr DType int8 = DType::Int8;
inline constexpr DType int16 = DType::Int16;
inline constexpr DType int32 = DType::Int32;
inline constexpr DType int64 = DType::Int64;
inline constexpr DType uint8 = DType::UInt8;
inline constexpr DType uint16 = DType::UInt16;
inline constexpr DType uint32 = DType::UInt32;
inline constexpr DType uint64 = DType::UInt64;
inline constexpr DType float16 = DType::Float16;
inline constexpr DType float32 = DType::Float32;
inline constexpr DType float64 = DType::Float64;
inline constexpr DType complex64 = DType::Complex64;
inline constexpr DType complex128 = DType::Complex128;

namespace detail {

enum class DTypeKind : std::uint8_t { Bool, Signed, Unsigned, Floating, Complex };

struct DTypeFacts {
  const char* name;
  std::size_t itemsize;
  DTypeKind kind;
};
// By number.
inline constexpr DTypeFacts kDTypeFacts[] = {
    {"bool", 1, DTypeKind::Bool},           {"int32", 4, DTypeKind::Signed},     {"int64", 8, DTypeKind::Signed},
    {"float32", 4, DTypeKind::Floating},    {"float64", 8, DTypeKind::Floating}, {"int8", 1, DTypeKind::Signed},
    {"int16", 2, DTypeKind::Signed},        {"uint8", 1, DTypeKind::Unsigned},   {"uint16", 2, DTypeKind::Unsigned},
    {"uint32", 4, DTypeKind::Unsigned},     {"uint64", 8, DTypeKind::Unsigned},  {"complex64", 8, DTypeKind::Complex},
    {"complex128", 16, DTypeKind::Complex}, {"float16", 2, DTypeKind::Floating},
};

constexpr const DTypeFacts& facts_of(DType dtype) {
  return kDTypeFacts[static_cast<std::size_t>(dtype)];
}

}  // namespace detail

// How many there are: DType(0) to DType(kDTypeCount - 1).
inline constexpr std::size_t kDTypeCount = sizeof detail::kDTypeFacts / sizeof *detail::kDTypeFacts;

// Bytes an element takes.
constexpr std::size_t itemsize(DType dtype) {
  return detail::facts_of(dtype).itemsize;
}

// "bool", "int8", "uint64", "float32", …
constexpr const char* name(DType dtype) {
  return detail::facts_of(dtype).name;
}

// Prints its name.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, DType dtype) {
  return out << name(dtype);
}

constexpr bool is_floating(DType dtype) {
  return detail::facts_of(dtype).kind == detail::DTypeKind::Floating;
}
constexpr bool is_complex(DType dtype) {
  return detail::facts_of(dtype).kind == detail::DTypeKind::Complex;
}
constexpr bool is_signed(DType dtype) {  // an integer with a sign
  return detail::facts_of(dtype).kind == detail::DTypeKind::Signed;
}
constexpr bool is_unsigned(DType dtype) {  // an integer without one; bool is none
  return detail::facts_of(dtype).kind == detail::DTypeKind::Unsigned;
}
constexpr bool is_integer(DType dtype) {
  return is_signed(dtype) || is_unsigned(dtype);
}

namespace detail {

// The dtype of a kind that has so many bytes; float64 where there is none.
constexpr DType dtype_of_size(DTypeKind kind, std::size_t itemsize) {
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    if (kDTypeFacts[k].kind == kind && kDTypeFacts[k].itemsize == itemsize) return static_cast<DType>(k);
  }
  return DType::Float64;
}

// What the parts of a complex number are; another dtype itself.
constexpr DType part_of(DType dtype) {
  return is_complex(dtype) ? dtype_of_size(DTypeKind::Floating, itemsize(dtype) / 2) : dtype;
}
// The complex dtype of parts that are of a floating one, or hold it: there is none of float16s.
constexpr DType complex_of(DType part) {
  return part == DType::Float16 ? DType::Complex64 : dtype_of_size(DTypeKind::Complex, 2 * itemsize(part));
}
// The floating dtype that meets an integer one: float16 for int8, float32 for int16, float64 for all wider ones.
constexpr DType floating_of(DType integer) {
  return dtype_of_size(DTypeKind::Floating, 2 * itemsize(integer));
}

}  // namespace detail

// The dtype that holds the values of both, as numpy.promote_types: int32 and float32 meet in float64, as do int64 and
// uint64; int8 and uint8 meet in int16, float64 and complex64 in complex128; int8 and float16 in float16.
constexpr DType promote(DType a, DType b) {
  using detail::DTypeKind;
  const DTypeKind kind_a = detail::facts_of(a).kind, kind_b = detail::facts_of(b).kind;
  if (kind_a == kind_b) return itemsize(a) < itemsize(b) ? b : a;
  if (kind_a == DTypeKind::Bool) return b;
  if (kind_b == DTypeKind::Bool) return a;
  if (kind_a == DTypeKind::Complex || kind_b == DTypeKind::Complex)
    return detail::complex_of(promote(detail::part_of(a), detail::part_of(b)));
  if (kind_a == DTypeKind::Floating) return promote(a, detail::floating_of(b));
  if (kind_b == DTypeKind::Floating) return promote(detail::floating_of(a), b);
  const DType with_sign = kind_a == DTypeKind::Signed ? a : b, without = kind_a == DTypeKind::Signed ? b : a;
  if (itemsize(without) < itemsize(with_sign)) return with_sign;
  return detail::dtype_of_size(DTypeKind::Signed, 2 * itemsize(without));
}

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::Bool;
};
template <>
struct DTypeOf<std::int8_t> {
  static constexpr DType value = DType::Int8;
};
template <>
struct DTypeOf<std::int16_t> {
  static constexpr DType value = DType::Int16;
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
struct DTypeOf<std::uint8_t> {
  static constexpr DType value = DType::UInt8;
};
template <>
struct DTypeOf<std::uint16_t> {
  static constexpr DType value = DType::UInt16;
};
template <>
struct DTypeOf<std::uint32_t> {
  static constexpr DType value = DType::UInt32;
};
template <>
struct DTypeOf<std::uint64_t> {
  static constexpr DType value = DType::UInt64;
};
template <>
struct DTypeOf<unsigned long long> {
  static constexpr DType value = DType::UInt64;
};
template <>
struct DTypeOf<half> {
  static constexpr DType value = DType::Float16;
};
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::Float32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::Float64;
};

template <>
struct DTypeOf<std::complex<float>> {
  static constexpr DType value = DType::Complex64;
};
template <>
struct DTypeOf<std::complex<double>> {
  static constexpr DType value = DType::Complex128;
};

template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

}  // namespace pilum
