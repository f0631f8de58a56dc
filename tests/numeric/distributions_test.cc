// What draws on the host are made of: bits, logarithms, probabilities; against the C library in long double.
#include "numeric/distributions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/kernel/scalar_functions.h"

namespace pilum::numeric {
namespace {

// The distance to what is expected, in units of its last place.
double ulps(double got, long double expected) {
  const double near = std::abs(static_cast<double>(expected));
  const long double unit = std::nextafter(near, HUGE_VAL) - near;
  return static_cast<double>(std::abs(got - expected) / unit);
}

TEST(PhiloxStream, BeginsWithTheKernelsWordsAndGoesOnWithItsOwn) {
  PhiloxStream bits(0x0123456789abcdef, (std::uint64_t{7} << 32) + 1, (std::uint64_t{5} << 32) + 9);
  for (std::uint32_t block = 0; block < 4; ++block) {
    const auto words = kernel::test::philox({9, 5 + (block << 16), 1, 7}, {0x89abcdef, 0x01234567});
    EXPECT_EQ(bits.next(), words[0] | std::uint64_t{words[1]} << 32) << block;
    EXPECT_EQ(bits.next(), words[2] | std::uint64_t{words[3]} << 32) << block;
  }
}

TEST(PhiloxStream, UniformNumbersAreBelowOneAndPositiveOnesAboveZero) {
  PhiloxStream a(1, 2, 3), b(1, 2, 3);
  for (int k = 0; k < 100; ++k) {
    const double uniform = a.uniform(), positive = b.positive();
    EXPECT_GE(uniform, 0);
    EXPECT_LT(uniform, 1);
    EXPECT_EQ(positive, uniform + 0x1p-53);
  }
}

TEST(PortableMath, IsWithinAnUlpOfTheCLibrarys) {
  PhiloxStream bits(11, 0, 0);
  for (int k = 0; k < 20'000; ++k) {
    const double u = bits.positive(), wide = std::ldexp(u, static_cast<int>(bits.next() % 2000) - 1000);
    EXPECT_LT(ulps(portable::log(wide), std::log(static_cast<long double>(wide))), 1) << wide;
    const double near = 0.5 + u;
    EXPECT_LT(ulps(portable::log(near), std::log(static_cast<long double>(near))), 1) << near;
    EXPECT_LT(ulps(portable::log1p(-u / 2), std::log1p(-u / 2.0L)), 2) << u;
    EXPECT_LT(ulps(portable::log1p(-u * 0x1p-40), std::log1p(-u * 0x1p-40L)), 2) << u;
    const double power = (u - 0.5) * 1400;
    EXPECT_LT(ulps(portable::exp(power), std::exp(static_cast<long double>(power))), 1) << power;
  }
}

TEST(PortableMath, HasTheEndsOfItsRange) {
  EXPECT_EQ(portable::log(0), -HUGE_VAL);
  EXPECT_EQ(portable::log(HUGE_VAL), HUGE_VAL);
  EXPECT_TRUE(std::isnan(portable::log(-1)));
  EXPECT_TRUE(std::isnan(portable::log(NAN)));
  EXPECT_EQ(portable::log(1), 0);
  EXPECT_NEAR(portable::log(5e-324), -744.44007192138126, 1e-12);
  EXPECT_EQ(portable::exp(0), 1);
  EXPECT_EQ(portable::exp(-HUGE_VAL), 0);
  EXPECT_EQ(portable::exp(1000), HUGE_VAL);
  EXPECT_TRUE(std::isnan(portable::exp(NAN)));
  EXPECT_EQ(portable::log1p(-1e-300), -1e-300);
}

TEST(NormalLayers, AreOfOneArea) {
  const auto& [place, height] = kNormalLayers;
  constexpr double kTail = 3.6541528853610088;
  const double area = kTail * std::exp(-0.5 * kTail * kTail) + std::sqrt(M_PI / 2) * std::erfc(kTail / std::sqrt(2.0));
  EXPECT_NEAR(place[0] * std::exp(-0.5 * kTail * kTail) / area, 1, 1e-14);
  for (int k = 1; k < NormalLayers::kCount; ++k) {
    EXPECT_EQ(height[k], portable::exp(-0.5 * place[k] * place[k]));
    EXPECT_NEAR(place[k] * (height[k + 1] - height[k]) / area, 1, 1e-12) << k;
  }
  EXPECT_EQ(place[NormalLayers::kCount], 0);
}

// Kolmogorov and Smirnov's distance; 1.95 / sqrt(n) comes once in a thousand seeds.
TEST(NormalLayers, GiveNormalNumbers) {
  std::vector<double> numbers(200'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    PhiloxStream bits(20261201, 1, i);
    numbers[i] = draw_normal(bits);
  }
  std::ranges::sort(numbers);
  const auto n = static_cast<double>(numbers.size());
  double distance = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double below = 0.5 * std::erfc(-numbers[i] / std::sqrt(2.0)), share = static_cast<double>(i) / n;
    distance = std::max({distance, below - share, share + 1 / n - below});
  }
  EXPECT_LT(distance * std::sqrt(n), 1.95);
  const auto beyond = std::ranges::count_if(numbers, [](double x) { return std::abs(x) > 3.6541528853610088; });
  EXPECT_NEAR(static_cast<double>(beyond), n * std::erfc(3.6541528853610088 / std::sqrt(2.0)), 4 * std::sqrt(51.6));
}

TEST(Probabilities, OfPoissonNumbersAreTheFormulas) {
  for (const double mean : {0.1, 1.0, 9.0, 10.0, 33.3, 1e4}) {
    for (const double k : {0.0, 1.0, 2.0, 15.0, 16.0, 30.0, 9990.0, 12000.0}) {
      const long double expected = k * std::log(static_cast<long double>(mean)) - mean - std::lgamma(k + 1.0L);
      EXPECT_NEAR(log_poisson(k, mean), static_cast<double>(expected), 2e-14 * (1 + std::abs(expected)))
          << k << " " << mean;
    }
  }
}

TEST(Probabilities, OfBinomialNumbersAreTheFormulas) {
  for (const double n : {1.0, 20.0, 300.0, 1e6}) {
    for (const double p : {1e-7, 0.03, 0.25, 0.5}) {
      for (const double k : {0.0, 1.0, 7.0, 16.0, std::floor(n / 2), n - 1, n}) {
        if (k > n) continue;
        const long double expected = std::lgamma(n + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(n - k + 1.0L) +
                                     k * std::log(static_cast<long double>(p)) + (n - k) * std::log1p(-p + 0.0L);
        const double lost = 1e-18 * std::lgamma(n + 1);  // by the formula
        EXPECT_NEAR(log_binomial(k, n, p), static_cast<double>(expected), 1e-13 * (1 + std::abs(expected)) + lost)
            << k << " of " << n << " by " << p;
      }
    }
  }
}

TEST(Probabilities, OfLargeMeansLoseNothing) {
  // Near the mean it is that of a normal distribution.
  EXPECT_NEAR(log_poisson(1e15, 1e15), -0.5 * std::log(2 * M_PI * 1e15), 1e-12);
  EXPECT_NEAR(log_poisson(1e15 + std::sqrt(1e15), 1e15), -0.5 * std::log(2 * M_PI * 1e15) - 0.5, 1e-7);
}

}  // namespace
}  // namespace pilum::numeric
