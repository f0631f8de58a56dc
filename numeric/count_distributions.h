// More distributions that are drawn by rejection or inversion: angles, and numbers that are counted. As those of
// distributions.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "numeric/distributions.h"
#include "numeric/philox.h"
#include "numeric/portable_math.h"

namespace pilum::numeric {

// 1 less the cosine of an angle of von Mises' distribution: D. J. Best, N. I. Fisher, "Efficient simulation of the von
// Mises distribution", 1979. So much is left of small angles, which the cosine itself has lost. From 10^6 on the angle
// is normal.
class VonMises {
 public:
  using Cell = double;
  explicit VonMises(const double* parameters)
      : kappa_(parameters[0]), root_(1 + std::sqrt(1 + 4 * kappa_ * kappa_)), envelope_(envelope()) {}

  double operator()(PhiloxStream& bits) const {
    if (std::isnan(kappa_)) return kappa_;
    if (kappa_ > 1e6) {
      const double normal = draw_normal(bits);
      return std::min(normal * normal / (2 * kappa_), 2.0);
    }
    for (;;) {
      const double z = one_less_cosine(bits);  // of an angle that is as likely as any
      if (kappa_ < 1e-8) return z;
      const double rest = (envelope_ - 1) * z / (envelope_ + 1 - z);
      const double y = kappa_ * (envelope_ - 1 + rest), v = bits.positive();
      if (y * (2 - y) - v >= 0 || portable::log(y / v) + 1 - y >= 0) return rest;
    }
  }

 private:
  double envelope() const {
    if (kappa_ < 1e-5) return 1 / kappa_ + kappa_;
    const double rho = (root_ - std::sqrt(2 * root_)) / (2 * kappa_);
    return (1 + rho * rho) / (2 * rho);
  }
  // Of a point in a disk: its angle, doubled.
  static double one_less_cosine(PhiloxStream& bits) {
    for (;;) {
      const double x = 2 * bits.uniform() - 1, y = 2 * bits.uniform() - 1, square = x * x + y * y;
      if (square < 1 && square > 0) return 2 * y * y / square;
    }
  }

  double kappa_, root_, envelope_;
};

// Zipf's distribution: L. Devroye, "Non-uniform random variate generation", 1986, X.6.1.
class Zipf {
 public:
  using Cell = std::int64_t;
  explicit Zipf(const double* parameters)
      : less_(parameters[0] - 1), b_(portable::exp(std::min(less_, 1024.0) * std::numbers::ln2)) {}

  std::int64_t operator()(PhiloxStream& bits) const {
    if (less_ > 1023) return 1;
    for (;;) {
      const double u = bits.positive(), v = bits.uniform();
      const double x = std::floor(portable::exp(-portable::log(u) / less_));
      if (!(x >= 1 && x < 0x1p63)) continue;
      const double t = portable::exp(less_ * portable::log1p(1 / x));
      if (v * x * (t - 1) / (b_ - 1) <= t / b_) return whole(x);
    }
  }

 private:
  double less_, b_;
};

// The logarithmic series distribution: A. W. Kemp, "Efficient generation of logarithmically distributed pseudo-random
// variables", 1981.
class LogSeries {
 public:
  using Cell = std::int64_t;
  explicit LogSeries(const double* parameters) : p_(parameters[0]), rate_(portable::log1p(-p_)) {}

  std::int64_t operator()(PhiloxStream& bits) const {
    for (;;) {
      const double v = bits.uniform();
      if (v >= p_) return 1;
      const double q = 1 - portable::exp(rate_ * bits.uniform());
      if (v <= q * q) {
        const double count = std::floor(1 + portable::log(v) / portable::log(q));
        if (v == 0 || !(count >= 1)) continue;
        return whole(count);
      }
      return v >= q ? 1 : 2;
    }
  }

 private:
  double p_, rate_;
};

// How many good ones are among those drawn: a uniform number less the probabilities of the likeliest number, of its
// neighbours, of theirs, until nothing is left of it. As many steps as the distribution is wide.
class Hypergeometric {
 public:
  using Cell = std::int64_t;
  explicit Hypergeometric(const double* parameters)
      : good_(std::trunc(parameters[0])),
        bad_(std::trunc(parameters[1])),
        drawn_(std::trunc(parameters[2])),
        least_(std::max(0.0, drawn_ - bad_)),
        most_(std::min(drawn_, good_)),
        mode_(std::clamp(std::floor((drawn_ + 1) * (good_ + 1) / (good_ + bad_ + 2)), least_, most_)),
        likeliest_(probability_of_mode()) {}

  std::int64_t operator()(PhiloxStream& bits) const {
    if (least_ == most_) return whole(least_);
    for (;;) {
      double left = bits.uniform() - likeliest_;
      if (left < 0) return whole(mode_);
      double below = mode_, above = mode_, low = likeliest_, high = likeliest_;
      while (below > least_ || above < most_) {
        if (above < most_) {
          high *= (good_ - above) * (drawn_ - above) / ((above + 1) * (bad_ - drawn_ + above + 1));
          ++above;
          left -= high;
          if (left < 0) return whole(above);
        }
        if (below > least_) {
          low *= below * (bad_ - drawn_ + below) / ((good_ - below + 1) * (drawn_ - below + 1));
          --below;
          left -= low;
          if (left < 0) return whole(below);
        }
        if (high < 1e-300 && low < 1e-300) break;  // nothing is left but roundings
      }
    }
  }

 private:
  double probability_of_mode() const {
    if (least_ == most_) return 1;
    const double share = drawn_ / (good_ + bad_);
    return portable::exp(log_binomial(mode_, good_, share) + log_binomial(drawn_ - mode_, bad_, share) -
                         log_binomial(drawn_, good_ + bad_, share));
  }

  double good_, bad_, drawn_, least_, most_, mode_, likeliest_;
};

}  // namespace pilum::numeric
