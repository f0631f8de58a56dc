// Distributions whose numbers take as many random bits as it happens: methods of rejection. Each object has what
// follows from the parameters, and draws a cell's number from the cell's own bits. IEEE operations alone, on cores and
// GPUs: see portable_math.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numeric/normal_layers.h"
#include "numeric/philox.h"
#include "numeric/portable_math.h"

namespace pilum::numeric {

// log(n!) less Stirling's formula, (n + 1/2) log n - n + log(2 pi) / 2, for a whole n > 0.
inline double stirling_error(double n) {
  constexpr double kErrors[] = {0x1.4c071bcda0a5bp-4, 0x1.52a9b923ea649p-5, 0x1.c579a268d80b3p-6, 0x1.54a2662fd78a9p-6,
                                0x1.10b4e513fcbedp-6, 0x1.c6b167bebdf36p-7, 0x1.85d4d612e4a86p-7, 0x1.552805e7b3076p-7,
                                0x1.2f4871b12ab64p-7, 0x1.10f9d4c0743a7p-7, 0x1.f0593088014f8p-8, 0x1.c7018733aa9c6p-8,
                                0x1.a40514700f36cp-8, 0x1.86076c002d4a7p-8, 0x1.6c08f6f194a10p-8};
  if (n < 16) return kErrors[static_cast<int>(n) - 1];
  const double square = n * n;
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / square) / square) / square) / square) / n;
}

// x log(x / mean) + mean - x, without cancellation.
inline double deviance(double x, double mean) {
  if (!(std::abs(x - mean) < 0.1 * (x + mean))) return x * portable::log(x / mean) + mean - x;
  const double v = (x - mean) / (x + mean);
  double sum = (x - mean) * v, power = 2 * x * v;
  for (int k = 3;; k += 2) {
    power *= v * v;
    const double next = sum + power / k;
    if (next == sum) return sum;
    sum = next;
  }
}

// Logarithms of probabilities by saddle points: C. Loader, "Fast and accurate computation of binomial probabilities",
// 2000. Formulas of factorials lose all digits where the numbers are large.
inline constexpr double kLogTwoPi = 0x1.d67f1c864beb5p+0;
inline double log_poisson(double k, double mean) {
  if (k == 0) return -mean;
  return -stirling_error(k) - deviance(k, mean) - 0.5 * (kLogTwoPi + portable::log(k));
}
inline double log_binomial(double k, double n, double p) {
  if (k == 0) return n * portable::log1p(-p);
  if (k == n) return n * portable::log(p);
  return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * p) -
         deviance(n - k, n * (1 - p)) + 0.5 * (portable::log(n / k / (n - k)) - kLogTwoPi);
}

// A whole number in doubles as an integer.
inline std::int64_t whole(double number) {
  return number < 0x1p63 ? static_cast<std::int64_t>(number) : std::numeric_limits<std::int64_t>::max();
}

// Of mean 0 and standard deviation 1: by layers, mostly of one word.
inline double draw_normal(PhiloxStream& bits) {
  const NormalLayers& layers = kNormalLayers;
  for (;;) {
    const std::uint64_t word = bits.next();
    const int layer = static_cast<int>(word % NormalLayers::kCount);
    const double size = static_cast<double>(word >> 11) * 0x1p-53 * layers.place[layer];
    const double sign = word & 256 ? -1 : 1;
    if (size < layers.place[layer + 1]) return sign * size;
    if (layer == 0) {  // the tail: G. Marsaglia, 1964
      for (;;) {
        const double beyond = -portable::log(bits.positive()) / layers.place[1];
        if (-2 * portable::log(bits.positive()) > beyond * beyond) return sign * (layers.place[1] + beyond);
      }
    }
    const double height = layers.height[layer] + bits.uniform() * (layers.height[layer + 1] - layers.height[layer]);
    if (height < portable::exp(-0.5 * size * size)) return sign * size;
  }
}

// The gamma distribution of this shape and scale 1: G. Marsaglia, W. W. Tsang, "A simple method for generating gamma
// variables", ACM TOMS 26, 2000. Below 1 it is that of shape + 1 times a power of a uniform number.
class Gamma {
 public:
  using Cell = double;
  explicit Gamma(const double* parameters) : Gamma(parameters[0]) {}
  explicit Gamma(double shape)
      : shape_(shape), d_((shape < 1 ? shape + 1 : shape) - 1.0 / 3), c_(1 / std::sqrt(9 * d_)) {}

  double operator()(PhiloxStream& bits) const {
    if (!(shape_ > 0)) return shape_ == 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
    const double large = draw_large(bits);
    return shape_ < 1 ? large * portable::exp(portable::log(bits.positive()) / shape_) : large;
  }
  // Its logarithm, where the number itself may be too small.
  double logarithm(PhiloxStream& bits) const {
    const double large = portable::log(draw_large(bits));
    return shape_ < 1 ? large + portable::log(bits.positive()) / shape_ : large;
  }

 private:
  // Of shape 1 or more.
  double draw_large(PhiloxStream& bits) const {
    for (;;) {
      const double x = draw_normal(bits), root = 1 + c_ * x;
      if (root <= 0) continue;
      const double v = root * root * root, square = x * x, u = bits.positive();
      if (u < 1 - 0.0331 * square * square) return d_ * v;
      if (portable::log(u) < 0.5 * square + d_ * (1 - v + portable::log(v))) return d_ * v;
    }
  }

  double shape_, d_, c_;
};

// Twice a gamma number of half as many degrees of freedom.
class ChiSquare {
 public:
  using Cell = double;
  explicit ChiSquare(const double* parameters) : half_(parameters[0] / 2) {}
  double operator()(PhiloxStream& bits) const { return 2 * half_(bits); }

 private:
  Gamma half_;
};

// The beta distribution: x / (x + y) of gamma numbers; by their logarithms where these may be too small.
class Beta {
 public:
  using Cell = double;
  explicit Beta(const double* parameters)
      : x_(parameters[0]),
        y_(parameters[1]),
        is_nan_(std::isnan(parameters[0] + parameters[1])),
        is_plain_(std::min(parameters[0], parameters[1]) >= kLeastShape &&
                  parameters[0] + parameters[1] <= std::numeric_limits<double>::max()) {}

  double operator()(PhiloxStream& bits) const {
    if (is_nan_) return std::numeric_limits<double>::quiet_NaN();
    if (is_plain_) {
      const double x = x_(bits), y = y_(bits);
      return x / (x + y);
    }
    const double x = x_.logarithm(bits), y = y_.logarithm(bits);
    const double ratio = x == y ? 1 : portable::exp(-std::abs(x - y));  // both may be infinite
    return x < y ? ratio / (1 + ratio) : 1 / (1 + ratio);
  }

 private:
  static constexpr double kLeastShape = 0.1;  // the least uniform number to the power of 10 is 2^-530

  Gamma x_, y_;
  bool is_nan_, is_plain_;
};

// The Poisson distribution: by a product of uniform numbers where the mean is below 10, else PTRS (W. Hörmann, "The
// transformed rejection method for generating Poisson random variables", 1993).
class Poisson {
 public:
  using Cell = std::int64_t;
  explicit Poisson(const double* parameters) : mean_(parameters[0]) {
    if (mean_ < kTransformed) {
      limit_ = portable::exp(-mean_);
    } else {
      b_ = 0.931 + 2.53 * std::sqrt(mean_);
      a_ = -0.059 + 0.02483 * b_;
      squeeze_ = 0.9277 - 3.6224 / (b_ - 2);
      log_alpha_ = portable::log(1.1239 + 1.1328 / (b_ - 3.4));
    }
  }

  std::int64_t operator()(PhiloxStream& bits) const { return mean_ < kTransformed ? multiply(bits) : reject(bits); }

 private:
  static constexpr double kTransformed = 10;

  std::int64_t multiply(PhiloxStream& bits) const {
    std::int64_t count = 0;
    double product = bits.positive();
    while (product > limit_) {
      product *= bits.positive();
      ++count;
    }
    return count;
  }
  std::int64_t reject(PhiloxStream& bits) const {
    for (;;) {
      const double u = bits.uniform() - 0.5, v = bits.positive(), side = 0.5 - std::abs(u);
      const double k = std::floor((2 * a_ / side + b_) * u + mean_ + 0.43);
      if (side >= 0.07 && v <= squeeze_) return whole(k);
      if (!(k >= 0) || (side < 0.013 && v > side)) continue;
      if (portable::log(v) + log_alpha_ - portable::log(a_ / (side * side) + b_) <= log_poisson(k, mean_))
        return whole(k);
    }
  }

  double mean_;
  double limit_ = 0;                                    // of products
  double b_ = 0, a_ = 0, squeeze_ = 0, log_alpha_ = 0;  // of PTRS
};

// The binomial distribution of n trials: by inversion where fewer than 10 are expected to succeed, else BTRS (W.
// Hörmann, "The generation of binomial random variates", 1993). Where success is likely, failures are counted.
class Binomial {
 public:
  using Cell = std::int64_t;
  explicit Binomial(const double* parameters)
      : n_(parameters[0]),
        is_turned_(parameters[1] > 0.5),
        p_(is_turned_ ? 1 - parameters[1] : parameters[1]),
        none_(is_rejected() ? 0 : portable::exp(n_ * portable::log1p(-p_))),
        spread_(std::sqrt(n_ * p_ * (1 - p_))),
        b_(1.15 + 2.53 * spread_),
        a_(-0.0873 + 0.0248 * b_ + 0.01 * p_),
        squeeze_(0.92 - 4.2 / b_),
        log_scale_(is_rejected()
                       ? portable::log((2.83 + 5.1 / b_) * spread_) + log_binomial(std::floor((n_ + 1) * p_), n_, p_)
                       : 0) {}

  std::int64_t operator()(PhiloxStream& bits) const {
    const double count = is_rejected() ? reject(bits) : invert(bits);
    return whole(is_turned_ ? n_ - count : count);
  }

 private:
  bool is_rejected() const { return n_ * p_ >= 10; }

  // The first number at which the sum of probabilities passes a uniform number. Beyond 110 there are less than 2^-200.
  double invert(PhiloxStream& bits) const {
    const double ratio = p_ / (1 - p_);
    const int most = static_cast<int>(std::min(n_, 110.0));
    for (;;) {
      double left = bits.uniform(), probability = none_;
      for (int k = 0; k <= most; ++k) {
        if (left < probability) return k;
        left -= probability;
        probability *= (n_ - k) / (k + 1) * ratio;
      }
    }
  }
  double reject(PhiloxStream& bits) const {
    for (;;) {
      const double u = bits.uniform() - 0.5, v = bits.positive(), side = 0.5 - std::abs(u);
      const double k = std::floor((2 * a_ / side + b_) * u + n_ * p_ + 0.5);
      if (side >= 0.07 && v <= squeeze_) return k;
      if (!(k >= 0) || k > n_) continue;
      if (portable::log(v / (a_ / (side * side) + b_)) + log_scale_ <= log_binomial(k, n_, p_)) return k;
    }
  }

  double n_;
  bool is_turned_;
  double p_, none_, spread_, b_, a_, squeeze_, log_scale_;
};

}  // namespace pilum::numeric
