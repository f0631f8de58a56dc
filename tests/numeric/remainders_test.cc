// Remainders of floats are exact: the C library's and Python's, also where a quotient is rounded to a whole number.
#include <cmath>
#include <cstring>
#include <iostream>
#include <limits>
#include <random>
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

}  // namespace
}  // namespace pilum
