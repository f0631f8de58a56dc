// Where elementary functions are tried: all exponents, the ranges where something happens, and numbers that are hard.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel::test {

template <class T>
struct Points {
  std::vector<T> a, b;
};

// Zeros, infinities, NaN, the ends of the range, and the neighbours of small whole numbers.
template <class T>
std::vector<T> special_points() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> points = {0,
                           -T{0},
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::max(),
                           Limits::lowest(),
                           Limits::min(),
                           -Limits::min(),
                           Limits::denorm_min(),
                           -Limits::denorm_min(),
                           Limits::epsilon(),
                           -Limits::epsilon()};
  for (const T whole : {0.5, 1.0, 2.0, 3.0, 4.0, 8.0, 10.0, 100.0}) {
    for (const T x : {whole, -whole}) {
      points.push_back(x);
      points.push_back(std::nextafter(x, Limits::infinity()));
      points.push_back(std::nextafter(x, -Limits::infinity()));
    }
  }
  return points;
}

// Near multiples of pi/2 that are hard to tell from them (J.-M. Muller, Elementary Functions, 2016, chapter 11; K. C.
// Ng), and arguments whose results lie near the middle of two floats or at the ends of the range.
template <class T>
std::vector<T> hard_points() {
  std::vector<T> points;
  for (const double x : {0x1.6ac5b262ca1ffp849,
                         0x1.921fb54442d18p0,
                         0x1.921fb54442d18p1,
                         0x1.2d97c7f3321d2p2,
                         0x1p30,
                         0x1.0000000000001p30,
                         0x1.fffffffffffffp29,
                         0x1p31,
                         1e22,
                         0x1.1000000000001p1000,
                         0x1.5p127,
                         0x1.fdbca2p+125,
                         0x1.62e42fefa39efp-1,
                         0x1.62e42fefa39efp-2,
                         709.78271289338397,
                         710.47586007394386,
                         -745.13321910194122,
                         1023.999,
                         -1074.5,
                         88.7228391,
                         -103.972084,
                         0x1.6a09e667f3bcdp0,
                         0x1.6a09e667f3bcdp-1,
                         0x1.a827999fcef32p-2,
                         0x1.bb67ae8584caap-1,
                         36.7,
                         18.7,
                         22.1,
                         1e-8,
                         1e-5}) {
    for (int step = -2; step <= 2; ++step) {
      T value = static_cast<T>(x);
      for (int i = 0; i < std::abs(step); ++i) value = std::nextafter(value, step < 0 ? T{-1e30f} : T{1e30f});
      points.push_back(value);
      points.push_back(-value);
    }
  }
  return points;
}

// Where a function is neither tiny, nor its argument, nor a constant.
inline double range_of(Op op) {
  switch (op) {
    case Op::Arcsin:
    case Op::Arccos:
    case Op::Arctanh: return 1;
    case Op::Exp:
    case Op::Expm1:
    case Op::Sinh:
    case Op::Cosh: return 746;
    case Op::Exp2: return 1076;
    case Op::Tanh: return 22;
    case Op::Erf: return 7;
    case Op::Erfc: return 28;
    case Op::Gamma:
    case Op::LogGamma: return 180;
    default: return 100;
  }
}

template <class T>
Points<T> points_of(Op op, std::uint64_t seed, std::uint64_t count) {
  std::mt19937_64 random(seed);
  const auto any = [&] {
    using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return std::bit_cast<T>(static_cast<Word>(random()));
  };
  const auto between = [&](double low, double high) {
    return static_cast<T>(std::uniform_real_distribution<double>(low, high)(random));
  };
  const double range = range_of(op);
  const auto drawn = [&]() -> T {
    switch (random() % 8) {
      case 0: return any();
      case 1:
      case 2: return between(-range, range);
      case 3: return between(-range / 10, range / 10);
      case 4: return between(-2, 2);
      case 5: return between(-1, 1) * std::ldexp(T{1}, -static_cast<int>(random() % 60));
      case 6: return T{1} + between(-1, 1) * std::ldexp(T{1}, -static_cast<int>(random() % 50));
      default: return between(0, 1) * std::ldexp(T{1}, static_cast<int>(random() % 60));
    }
  };
  Points<T> points;
  points.a = special_points<T>();
  const std::vector<T> hard = hard_points<T>(), special = points.a;
  for (const T x : special) {  // each with each
    for (const T y : special) {
      points.a.push_back(x);
      points.b.push_back(y);
    }
  }
  points.a.erase(points.a.begin(), points.a.begin() + static_cast<std::ptrdiff_t>(special.size()));
  for (const T x : hard) {
    points.a.push_back(x);
    points.b.push_back(hard[random() % hard.size()]);
  }
  while (points.a.size() < count) {
    points.a.push_back(drawn());
    // Of one size, as often as not.
    points.b.push_back(random() % 2 ? drawn() : points.a.back() * between(-2, 2));
  }
  return points;
}

}  // namespace pilum::kernel::test
