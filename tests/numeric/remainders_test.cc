// Remainders of floats are exact: the C library's and Python's, also where a quotient is rounded to a whole number.
#include <cmath>
#include <cstring>
#include <iostream>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/seeds.h"

namespace pilum {
namespace {

namespace np = numeric;

template <class T>
T any_bits(std::mt19937_64& random) {
  const std::uint64_t bits = random();
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Quotients near whole numbers, small ones and huge ones, and what is no number.
template <class T>
void add_pair(std::mt19937_64& random, std::vector<T>& a, std::vector<T>& b) {
  constexpr T kSpecial[] = {T{0},
                            -T{0},
                            T{1},
                            -T{3},
                            std::numeric_limits<T>::infinity(),
                            -std::numeric_limits<T>::infinity(),
                            std::numeric_limits<T>::quiet_NaN(),
                            std::numeric_limits<T>::denorm_min(),
                            std::numeric_limits<T>::max()};
  T one = any_bits<T>(random), other = any_bits<T>(random);
  switch (random() % 6) {
    case 0: break;
    case 1: one = kSpecial[random() % std::size(kSpecial)]; break;
    case 2: other = kSpecial[random() % std::size(kSpecial)]; break;
    case 3: other = static_cast<T>(std::ldexp(one, -static_cast<int>(random() % 60))); break;
    default: {
      const T whole = static_cast<T>(random() >> random() % 64);
      other = static_cast<T>(static_cast<double>(random() % 100000) / 997 - 50);
      one = whole * other;
      for (int steps = static_cast<int>(random() % 3); steps > 0; --steps)
        one = std::nextafter(one,
                             random() % 2 ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity());
    }
  }
  a.push_back(one);
  b.push_back(other);
}

template <class T>
bool is_same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
T python_remainder(T a, T b) {
  const T rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(T{0}, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

template <class T>
void check_pairs(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> a, b;
  for (int i = 0; i < 20011; ++i) add_pair(random, a, b);
  fakes::run_on_simulated_ranks({.ranks = 1}, [&](scheduler::Session&) {
    const np::Array x = np::array(a), y = np::array(b);
    const auto rests = np::fmod(x, y).template to_vector<T>(), remainders = np::remainder(x, y).template to_vector<T>();
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_PRED2(is_same<T>, rests[i], std::fmod(a[i], b[i])) << "fmod(" << a[i] << ", " << b[i] << ")";
      ASSERT_PRED2(is_same<T>, remainders[i], python_remainder(a[i], b[i])) << a[i] << " % " << b[i];
    }
  });
}

TEST(Remainders, OfFloatsAreExact) {
  scheduler::for_each_seed(20,
                           [](std::uint64_t seed) { seed % 2 ? check_pairs<double>(seed) : check_pairs<float>(seed); });
}

// Where all quotients are small, nothing is left to the C library.
TEST(Remainders, OfPositionsInABoxAreExact) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> places(-40, 40);
  std::vector<double> a(10001);
  for (double& place : a) place = places(random);
  fakes::run_on_simulated_ranks({.ranks = 1}, [&](scheduler::Session&) {
    const auto inside = np::remainder(np::array(a), 12.5).to_vector<double>();
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(inside[i], python_remainder(a[i], 12.5)) << a[i];
  });
}

// Vectors of integers are divided as doubles, where these hold them and a quotient that is nearly whole stays below.
template <class T>
void expect_integer_quotients(const std::vector<T>& a, const std::vector<T>& b) {
  fakes::run_on_simulated_ranks({.ranks = 1}, [&](scheduler::Session&) {
    const np::Array x = np::array(a), y = np::array(b);
    const auto quotients = np::floor_divide(x, y).to_vector<T>(), rests = np::remainder(x, y).to_vector<T>(),
               left = np::fmod(x, y).to_vector<T>();
    for (std::size_t i = 0; i < a.size(); ++i) {
      T quotient = a[i] / b[i], rest = a[i] % b[i];
      ASSERT_EQ(left[i], rest) << +a[i] << " % " << +b[i];
      if (rest != 0 && (rest < 0) != (b[i] < 0)) --quotient, rest += b[i];
      ASSERT_EQ(quotients[i], quotient) << +a[i] << " // " << +b[i];
      ASSERT_EQ(rests[i], rest) << +a[i] << " % " << +b[i];
    }
  });
}

// Of numbers of so many bits; some are negative.
template <class T>
void divide_near_multiples(std::uint64_t seed, unsigned bits) {
  std::mt19937_64 random(seed);
  const auto draw = [&] {
    const auto size = static_cast<T>(random() >> (64 - bits) >> random() % bits);
    return std::is_signed_v<T> && random() % 2 ? static_cast<T>(0 - size) : size;
  };
  std::vector<T> a, b;
  while (a.size() < 20000) {
    const T divisor = draw(), near = static_cast<T>(random() % 5 - 2);
    if (divisor == 0 || (std::is_signed_v<T> && divisor == static_cast<T>(-1))) continue;
    T number = draw();
    if (random() % 2) number = static_cast<T>(static_cast<std::uint64_t>(number / divisor * divisor) + near);
    if (random() % 3 == 0) number = static_cast<T>((std::uint64_t{1} << random() % (bits - 1)) + near);
    a.push_back(number);
    b.push_back(divisor);
  }
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << sizeof(T) << " bytes");
  expect_integer_quotients(a, b);
}

TEST(IntegerQuotients, AreThoseOfIntegers) {
  scheduler::for_each_seed(3, [](std::uint64_t seed) {
    divide_near_multiples<std::int64_t>(seed, 64);
    divide_near_multiples<std::int64_t>(seed, 52);
    divide_near_multiples<std::uint64_t>(seed, 64);
    divide_near_multiples<std::uint64_t>(seed, 52);
    divide_near_multiples<std::int32_t>(seed, 32);
    divide_near_multiples<std::uint32_t>(seed, 32);
    divide_near_multiples<std::int16_t>(seed, 16);
    divide_near_multiples<std::uint8_t>(seed, 8);
  });
  // On both sides of what is divided as doubles.
  std::vector<std::int64_t> a, b;
  for (const int bits : {51, 52, 53, 54}) {
    for (const std::int64_t near : {-3, -2, -1, 0, 1, 2, 3}) {
      for (const std::int64_t divisor : {1, 2, 3, 7, -2, -3, -10, (1 << 26) + 1, (1 << 30) - 1}) {
        for (const std::int64_t sign : {1, -1}) {
          a.push_back(sign * ((std::int64_t{1} << bits) + near));
          b.push_back(divisor);
        }
      }
    }
  }
  expect_integer_quotients(a, b);
}

}  // namespace
}  // namespace pilum
