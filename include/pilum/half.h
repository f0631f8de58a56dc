// The numbers of float16 arrays: IEEE 754's binary16.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace pilum {

// A number of 16 bits: a sign, 5 bits of exponent, 10 behind the point; up to 65504, and some 3 decimal digits. It is
// what memory holds: made explicitly of a number, which is rounded once, to the nearest, to the even one of two (inf
// from 65520 on); read as a float, which is exact, so that expressions of halves are computed in float. A NaN is a
// quiet one with the first 9 bits of its payload. NumPy: float16.
class half {
 public:
  half() = default;
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr explicit half(T number) : bits_(rounded(static_cast<double>(number))) {}

  constexpr operator float() const {
    const std::uint32_t sign = (bits_ & 0x8000u) << 16, exponent = bits_ >> 10 & 31u, fraction = bits_ & 0x3ffu;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction ? 0x400000u : 0u) | fraction << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -size : size;
  }

  constexpr std::uint16_t bits() const { return bits_; }
  static constexpr half from_bits(std::uint16_t bits) {
    half number{};
    number.bits_ = bits;
    return number;
  }

  constexpr half operator-() const { return from_bits(static_cast<std::uint16_t>(bits_ ^ 0x8000)); }
  // Of floats, as with other numbers; by name, lest two halves be taken for numbers beside an array.
  friend constexpr float operator+(half a, half b) { return float{a} + float{b}; }
  friend constexpr float operator-(half a, half b) { return float{a} - float{b}; }
  friend constexpr float operator*(half a, half b) { return float{a} * float{b}; }
  friend constexpr float operator/(half a, half b) { return float{a} / float{b}; }
  friend constexpr bool operator==(half a, half b) { return float{a} == float{b}; }
  friend constexpr std::partial_ordering operator<=>(half a, half b) { return float{a} <=> float{b}; }
  constexpr half& operator+=(float other) { return *this = half(*this + other); }
  constexpr half& operator-=(float other) { return *this = half(*this - other); }
  constexpr half& operator*=(float other) { return *this = half(*this * other); }
  constexpr half& operator/=(float other) { return *this = half(*this / other); }

 private:
  static constexpr std::uint16_t rounded(double number) {
    constexpr std::uint64_t kInfinity = 0x7ff0'0000'0000'0000, kBias = std::uint64_t{1023 - 15} << 52;
    const auto bits = std::bit_cast<std::uint64_t>(number);
    const std::uint64_t sign = bits >> 48 & 0x8000, size = bits & ~(std::uint64_t{1} << 63);
    std::uint64_t result = 0;
    if (size > kInfinity) {
      result = 0x7e00 | (size >> 42 & 0x3ff);
    } else if (size >= std::bit_cast<std::uint64_t>(65520.0)) {
      result = 0x7c00;
    } else if (size < std::bit_cast<std::uint64_t>(0x1p-14)) {
      // 2^-24 is the last digit of 2^28.
      result =
          std::bit_cast<std::uint64_t>(std::bit_cast<double>(size) + 0x1p28) - std::bit_cast<std::uint64_t>(0x1p28);
    } else {
      result = (size - kBias + (std::uint64_t{1} << 41) - 1 + (size >> 42 & 1)) >> 42;
    }
    return static_cast<std::uint16_t>(sign | result);
  }

  std::uint16_t bits_;
};

namespace detail {

template <class T>
inline constexpr bool kIsFloating = std::is_floating_point_v<T> || std::is_same_v<T, half>;

}  // namespace detail

}  // namespace pilum

template <>
class std::numeric_limits<pilum::half> {
 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;
  static constexpr bool is_iec559 = true, is_bounded = true, is_modulo = false, traps = false, tinyness_before = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr int radix = 2, digits = 11, digits10 = 3, max_digits10 = 5;
  static constexpr int min_exponent = -13, min_exponent10 = -4, max_exponent = 16, max_exponent10 = 4;
  static constexpr pilum::half min() noexcept { return pilum::half::from_bits(0x0400); }
  static constexpr pilum::half max() noexcept { return pilum::half::from_bits(0x7bff); }
  static constexpr pilum::half lowest() noexcept { return pilum::half::from_bits(0xfbff); }
  static constexpr pilum::half epsilon() noexcept { return pilum::half::from_bits(0x1400); }
  static constexpr pilum::half round_error() noexcept { return pilum::half::from_bits(0x3800); }
  static constexpr pilum::half infinity() noexcept { return pilum::half::from_bits(0x7c00); }
  static constexpr pilum::half quiet_NaN() noexcept { return pilum::half::from_bits(0x7e00); }
  static constexpr pilum::half signaling_NaN() noexcept { return pilum::half::from_bits(0x7d00); }
  static constexpr pilum::half denorm_min() noexcept { return pilum::half::from_bits(0x0001); }
};
