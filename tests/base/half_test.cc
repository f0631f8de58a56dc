// pilum::half against IEEE's definition of binary16, written with ldexp: every half, and what lies beside every point
// where rounding changes.
#include "pilum/half.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace pilum {
namespace {

constexpr std::uint16_t kInfinity = 0x7c00;

half of(std::uint32_t bits) {
  return half::from_bits(static_cast<std::uint16_t>(bits));
}

double defined_value(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  const double size = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return bits & 0x8000 ? -size : size;
}

TEST(Half, EveryHalfIsTheFloatOfItsDefinition) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = of(bits);
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
    if ((bits & 0x7fff) > kInfinity) {
      ASSERT_TRUE(std::isnan(value)) << bits;
    } else if ((bits & 0x7fff) == kInfinity) {
      ASSERT_TRUE(std::isinf(value)) << bits;
    } else {
      ASSERT_EQ(value, defined_value(bits)) << bits;
    }
  }
}

TEST(Half, EveryHalfComesBackFromFloatAndDouble) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const bool is_nan = (bits & 0x7fff) > kInfinity;
    const std::uint32_t quiet = is_nan ? bits | 0x200 : bits;
    ASSERT_EQ(half(static_cast<float>(of(bits))).bits(), quiet);
    ASSERT_EQ(half(static_cast<double>(of(bits))).bits(), quiet);
  }
}

// Between neighbours the nearer one, in the middle the even one; so also in double, where a float would be rounded
// twice.
template <class T>
void expect_rounding_between_all_neighbours() {
  const T far = std::numeric_limits<T>::infinity();
  for (std::uint32_t low = 0; low < kInfinity; ++low) {
    const std::uint32_t high = low + 1, even = low % 2 ? high : low;
    const double below = defined_value(low), above = high == kInfinity ? 65536.0 : defined_value(high);
    const T middle = static_cast<T>((below + above) / 2);
    for (const std::uint32_t sign : {0u, 0x8000u}) {
      const auto bits = [&](T size) { return half(sign ? -size : size).bits(); };
      ASSERT_EQ(bits(middle), even | sign) << low;
      ASSERT_EQ(bits(std::nextafter(middle, T{0})), low | sign) << low;
      ASSERT_EQ(bits(std::nextafter(middle, far)), high | sign) << low;
      ASSERT_EQ(bits(std::nextafter(static_cast<T>(below), far)), low | sign) << low;
      ASSERT_EQ(bits(std::nextafter(static_cast<T>(above), T{0})), high | sign) << low;
    }
  }
}

TEST(Half, FloatsAreRoundedToTheNearestAndTheEvenOne) {
  expect_rounding_between_all_neighbours<float>();
}
TEST(Half, DoublesAreRoundedOnce) {
  expect_rounding_between_all_neighbours<double>();
}

TEST(Half, WhatIsTooLargeIsInfinite) {
  EXPECT_EQ(half(65519.996f).bits(), 0x7bff);
  EXPECT_EQ(half(65520.0f).bits(), kInfinity);
  EXPECT_EQ(half(-3e38f).bits(), kInfinity | 0x8000);
  EXPECT_EQ(half(1e300).bits(), kInfinity);
  EXPECT_EQ(half(std::numeric_limits<std::int64_t>::min()).bits(), kInfinity | 0x8000);
  EXPECT_EQ(half(std::numeric_limits<float>::denorm_min()).bits(), 0);
  EXPECT_EQ(half(-std::numeric_limits<double>::denorm_min()).bits(), 0x8000);
}

TEST(Half, NaNsAreQuietAndKeepTheirSign) {
  EXPECT_EQ(half(std::numeric_limits<float>::quiet_NaN()).bits(), 0x7e00);
  EXPECT_EQ(half(-std::numeric_limits<double>::quiet_NaN()).bits(), 0xfe00);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(of(0x7c01))), 0x7fc02000u);
}

TEST(Half, ItsLimitsAreThoseOfBinary16) {
  using Limits = std::numeric_limits<half>;
  EXPECT_EQ(Limits::max(), 65504.0f);
  EXPECT_EQ(Limits::lowest(), -65504.0f);
  EXPECT_EQ(Limits::min(), std::ldexp(1.0f, -14));
  EXPECT_EQ(Limits::denorm_min(), std::ldexp(1.0f, -24));
  EXPECT_EQ(Limits::epsilon(), std::ldexp(1.0f, -10));
  EXPECT_EQ(half(1 + Limits::epsilon()).bits(), half(1).bits() + 1);
}

TEST(Half, ExpressionsAreFloatsAndAssignmentsAreRounded) {
  half a(2048), b(1);
  static_assert(std::is_same_v<decltype(a + b), float>);
  EXPECT_EQ(a + b, 2049.0f);
  a += b;
  EXPECT_EQ(a, 2048.0f);
  EXPECT_EQ((-a).bits(), 0xe800);
  static_assert(half(0.1).bits() == 0x2e66);
  static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half> && std::is_standard_layout_v<half>);
}

}  // namespace
}  // namespace pilum
