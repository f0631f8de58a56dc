// The draws' distributions, against closed forms; and that they follow from seed, draw and cell alone.
#include "pilum/random.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "tests/kernel/scalar_functions.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using random::default_rng;
using Random = NumericTest;

constexpr int kDrawn = 20'000;

// Kolmogorov's statistic times the root of the count: above 1.95 in one of 1,000 samples of the distribution.
double kolmogorov(std::vector<double> sample, const std::function<double(double)>& distribution) {
  std::sort(sample.begin(), sample.end());
  const auto count = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = distribution(sample[i]), at = static_cast<double>(i);
    distance = std::max({distance, (at + 1) / count - p, p - at / count});
  }
  return distance * std::sqrt(count);
}
constexpr double kKolmogorov = 1.95;

double uniform_distribution(double x) {
  return std::clamp(x, 0.0, 1.0);
}
double normal_distribution(double x) {
  return std::erfc(-x / std::sqrt(2.0)) / 2;
}
double exponential_distribution(double x) {
  return -std::expm1(-x);
}

// The squares of the distances to what is expected, in units of it, less the degrees of freedom, in deviations.
double chi_square_deviations(const std::vector<std::int64_t>& numbers, std::int64_t low, std::int64_t count) {
  std::vector<double> seen(static_cast<std::size_t>(count));
  for (const std::int64_t number : numbers) ++seen.at(static_cast<std::size_t>(number - low));
  const double expected = static_cast<double>(numbers.size()) / static_cast<double>(count);
  double sum = 0;
  for (const double times : seen) sum += (times - expected) * (times - expected) / expected;
  const auto freedom = static_cast<double>(count - 1);
  return (sum - freedom) / std::sqrt(2 * freedom);
}

double moment(const std::vector<double>& sample, int power) {
  double sum = 0;
  for (const double x : sample) sum += std::pow(x, power);
  return sum / static_cast<double>(sample.size());
}

TEST_F(Random, CellsFollowFromSeedDrawAndPlaceByPhilox) {
  auto rng = default_rng(0x0123456789abcdef);
  rng.random(7);
  const std::vector<double> drawn = rng.random({3, 5}).to_vector<double>();  // draw 1
  for (std::uint32_t i = 0; i < 15; ++i) {
    const auto words = kernel::test::philox({i, 0, 1, 0}, {0x89abcdef, 0x01234567});
    const std::uint64_t bits = words[0] | std::uint64_t{words[1]} << 32;
    // The bits as a signed number, from -2^63.
    EXPECT_EQ(drawn[i], static_cast<double>((bits ^ 1ul << 63) >> 11) * 0x1p-53);
  }
}

TEST_F(Random, NormalNumbersArePairsOfOnePhilox) {
  auto rng = default_rng(0x0123456789abcdef);
  rng.random(7);
  const std::vector<double> drawn = rng.standard_normal({3, 5}).to_vector<double>();  // draw 1
  for (std::uint32_t pair = 0; pair < 8; ++pair) {
    const auto words = kernel::test::philox({pair, 0, 1, 0}, {0x89abcdef, 0x01234567});
    const std::uint64_t low = words[0] | std::uint64_t{words[1]} << 32, high = words[2] | std::uint64_t{words[3]} << 32;
    const double radius = std::sqrt(-2 * std::log(static_cast<double>((low & INT64_MAX) | 1) * 0x1p-63));
    const double angle = 2 * std::numbers::pi * 0x1p-64 * static_cast<double>(static_cast<std::int64_t>(high));
    EXPECT_NEAR(drawn[2 * pair], radius * std::cos(angle), 1e-14);
    if (pair < 7) {
      EXPECT_NEAR(drawn[2 * pair + 1], radius * std::sin(angle), 1e-14);
    }
  }
}

TEST_F(Random, EqualSeedsDrawTheSameAndOthersDoNot) {
  auto a = default_rng(5), b = default_rng(5), c = default_rng(6);
  const auto first = a.normal(0.0, 1.0, 100).to_vector<double>();
  EXPECT_EQ(first, b.normal(0.0, 1.0, {10, 10}).to_vector<double>());
  EXPECT_NE(first, c.normal(0.0, 1.0, 100).to_vector<double>());
  EXPECT_NE(first, a.normal(0.0, 1.0, 100).to_vector<double>());
  auto copy = a;
  EXPECT_EQ(a.random(9).to_vector<double>(), copy.random(9).to_vector<double>());
  EXPECT_NE(default_rng(std::numeric_limits<std::uint64_t>::max()).random().item<double>(),
            default_rng(0).random().item<double>());
}

TEST_F(Random, ShapesAndDTypesAreNumPys) {
  auto rng = default_rng(1);
  EXPECT_EQ(rng.random().shape(), Shape{});
  EXPECT_EQ(rng.random({2, 0, 3}).shape(), (Shape{2, 0, 3}));
  EXPECT_EQ(rng.random({2, 3, 4, 5}).shape(), (Shape{2, 3, 4, 5}));
  EXPECT_EQ(rng.random(4, float32).dtype(), float32);
  EXPECT_EQ(rng.normal().shape(), Shape{});
  EXPECT_EQ(rng.normal(zeros({3, 1}), ones(4)).shape(), (Shape{3, 4}));
  EXPECT_EQ(rng.normal(zeros(4, float32), 1, {2, 4}).dtype(), float64);
  EXPECT_EQ(rng.uniform(0, 1, 3).dtype(), float64);
  EXPECT_EQ(rng.integers(0, 9, 3).dtype(), int64);
  EXPECT_EQ(rng.integers(0, 9, 3, int32).dtype(), int32);
  EXPECT_EQ(rng.integers(0, 2, 3, bool_).dtype(), bool_);
  EXPECT_EQ(rng.exponential(ones({2, 2})).shape(), (Shape{2, 2}));
  EXPECT_EQ(rng.standard_exponential(3, float32).dtype(), float32);
}

TEST_F(Random, UniformNumbersAreEvenlySpread) {
  for (const DType dtype : {float64, float32}) {
    const auto sample = default_rng(11).random(kDrawn, dtype).to_vector<double>();
    EXPECT_LT(kolmogorov(sample, uniform_distribution), kKolmogorov);
    EXPECT_LT(*std::max_element(sample.begin(), sample.end()), 1);
    EXPECT_GE(*std::min_element(sample.begin(), sample.end()), 0);
    EXPECT_NEAR(moment(sample, 1), 0.5, 4 / std::sqrt(12.0 * kDrawn));
    EXPECT_NEAR(moment(sample, 2), 1 / 3.0, 4 * std::sqrt(4 / 45.0 / kDrawn));
  }
  const auto between = default_rng(12).uniform(-3, 5.0, kDrawn).to_vector<double>();
  EXPECT_LT(kolmogorov(between, [](double x) { return uniform_distribution((x + 3) / 8); }), kKolmogorov);
  const Array high = array({1.0, 100.0});
  const auto columns = default_rng(12).uniform(array({0.0, 99.0}), high, {kDrawn, 2})(all, 1).to_vector<double>();
  EXPECT_LT(kolmogorov(columns, [](double x) { return uniform_distribution(x - 99); }), kKolmogorov);
}

TEST_F(Random, NormalNumbersAreNormal) {
  for (const DType dtype : {float64, float32}) {
    const auto sample = default_rng(21).standard_normal(kDrawn, dtype).to_vector<double>();
    EXPECT_LT(kolmogorov(sample, normal_distribution), kKolmogorov);
    EXPECT_NEAR(moment(sample, 1), 0, 4 / std::sqrt(kDrawn));
    EXPECT_NEAR(moment(sample, 2), 1, 4 * std::sqrt(2.0 / kDrawn));
    EXPECT_NEAR(moment(sample, 3), 0, 4 * std::sqrt(15.0 / kDrawn));
    EXPECT_NEAR(moment(sample, 4), 3, 4 * std::sqrt(96.0 / kDrawn));
  }
  const auto scaled = default_rng(22).normal(10, 0.5, kDrawn).to_vector<double>();
  EXPECT_LT(kolmogorov(scaled, [](double x) { return normal_distribution((x - 10) / 0.5); }), kKolmogorov);
}

// Each of a pair alone, how far both lie out, and how often a normal number is beyond 2, 3 and 4.
TEST_F(Random, PairsOfNormalNumbersAreIndependentAndTheirTailsAreNormal) {
  constexpr int kPairs = 200'000;
  const auto sample = default_rng(23).standard_normal(2 * kPairs).to_vector<double>();
  std::vector<double> first, second;
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < sample.size(); i += 2) {
    const double x = sample[i], y = sample[i + 1];
    first.push_back(x), second.push_back(y);
    products += x * y;
    squares += (x * x - 1) * (y * y - 1);
  }
  EXPECT_LT(kolmogorov(first, normal_distribution), kKolmogorov);
  EXPECT_LT(kolmogorov(second, normal_distribution), kKolmogorov);
  EXPECT_LT(std::abs(products), 4 * std::sqrt(kPairs));
  EXPECT_LT(std::abs(squares), 4 * 2 * std::sqrt(kPairs));
  for (const double bound : {2.0, 3.0, 4.0}) {
    const double expected = 2 * kPairs * std::erfc(bound / std::sqrt(2.0));
    const auto seen = std::count_if(sample.begin(), sample.end(), [=](double x) { return std::abs(x) > bound; });
    EXPECT_LT(std::abs(static_cast<double>(seen) - expected), 4 * std::sqrt(expected)) << bound;
  }
}

TEST_F(Random, ExponentialNumbersAreExponential) {
  for (const DType dtype : {float64, float32}) {
    const auto sample = default_rng(31).standard_exponential(kDrawn, dtype).to_vector<double>();
    EXPECT_LT(kolmogorov(sample, exponential_distribution), kKolmogorov);
    EXPECT_NEAR(moment(sample, 1), 1, 4 / std::sqrt(kDrawn));
    EXPECT_GE(*std::min_element(sample.begin(), sample.end()), 0);
  }
  const auto scaled = default_rng(32).exponential(3.0, kDrawn).to_vector<double>();
  EXPECT_LT(kolmogorov(scaled, [](double x) { return exponential_distribution(x / 3); }), kKolmogorov);
}

TEST_F(Random, IntegersAreEquallyLikely) {
  for (const std::int64_t count : {2, 3, 10, 100, 1000}) {
    const auto numbers = default_rng(41).integers(-5, count - 5, kDrawn).to_vector<std::int64_t>();
    EXPECT_LT(std::abs(chi_square_deviations(numbers, -5, count)), 4) << count;
  }
  const auto bytes = default_rng(41).integers(0, 256, kDrawn, uint8);
  EXPECT_EQ(bytes.dtype(), uint8);
  EXPECT_LT(std::abs(chi_square_deviations(bytes.astype(int64).to_vector<std::int64_t>(), 0, 256)), 4);
  const auto closed = default_rng(42).integers(1, 6, kDrawn, int32, /*endpoint=*/true).to_vector<std::int64_t>();
  EXPECT_LT(std::abs(chi_square_deviations(closed, 1, 6)), 4);
}

// Cell by cell floor(count x / 2^128), by plain long arithmetic.
TEST_F(Random, LongRangesOfIntegersAreExact) {
  for (const std::uint64_t count : {1ul << 32, 3ul << 61, ~0ul}) {
    constexpr std::int64_t low = INT64_MIN;
    const auto high = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + count);
    const auto numbers = default_rng(43).integers(low, high, 500).to_vector<std::int64_t>();
    for (std::uint32_t i = 0; i < numbers.size(); ++i) {
      const auto words = kernel::test::philox({i, 0, 0, 0}, {43, 0});
      unsigned __int128 carry = 0;  // multiplied word by word
      for (const std::uint32_t word : words) carry = (carry >> 32) + static_cast<unsigned __int128>(word) * count;
      const auto wanted = static_cast<std::uint64_t>(carry >> 32) + static_cast<std::uint64_t>(low);
      ASSERT_EQ(numbers[i], static_cast<std::int64_t>(wanted)) << count << " " << i;
    }
  }
  const auto all_bits = default_rng(44).integers(INT64_MIN, INT64_MAX, 999, int64, true).to_vector<std::int64_t>();
  EXPECT_LT(*std::min_element(all_bits.begin(), all_bits.end()), INT64_MIN / 2);
  EXPECT_GT(*std::max_element(all_bits.begin(), all_bits.end()), INT64_MAX / 2);
}

TEST_F(Random, DrawsOfOneGeneratorAndNeighbouringCellsAreNotCorrelated) {
  auto rng = default_rng(51);
  const auto a = rng.standard_normal(kDrawn).to_vector<double>(), b = rng.standard_normal(kDrawn).to_vector<double>();
  const auto other = default_rng(52).standard_normal(kDrawn).to_vector<double>();
  double draws = 0, neighbours = 0, seeds = 0;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    draws += a[i] * b[i];
    neighbours += a[i] * a[i + 1];
    seeds += a[i] * other[i];
  }
  for (const double sum : {draws, neighbours, seeds}) EXPECT_LT(std::abs(sum), 4 * std::sqrt(kDrawn));
}

TEST_F(Random, RefusesWhatNumPyRefuses) {
  auto rng = default_rng(1);
  const Array three = ones(3);
  expect_refused<ValueError>(recorder, [&] { default_rng(-1); }, {"[default_rng]", "negative"});
  expect_refused<ShapeError>(recorder, [&] { rng.random({2, -1}); }, {"[random]", "(2, -1)"});
  expect_refused<DTypeError>(recorder, [&] { rng.random(3, int32); }, {"[random]", "int32"});
  expect_refused<DTypeError>(recorder, [&] { rng.standard_normal(3, bool_); }, {"[standard_normal]", "bool"});
  expect_refused<ValueError>(recorder, [&] { rng.normal(0, -1.0, 3); }, {"[normal]", "-1"});
  expect_refused<ValueError>(recorder, [&] { rng.exponential(-2, 3); }, {"[exponential]", "-2"});
  expect_refused<ShapeError>(recorder, [&] { rng.normal(three, 1.0, {2, 2}); }, {"[normal]", "(3,)", "(2, 2)"});
  expect_refused<ValueError>(recorder, [&] { rng.uniform(0.0, HUGE_VAL, 3); }, {"[uniform]", "inf"});
  expect_refused<ValueError>(recorder, [&] { rng.integers(3, 3, 3); }, {"[integers]", "3"});
  expect_refused<ValueError>(recorder, [&] { rng.integers(0, 1l << 40, 3, int32); }, {"[integers]", "int32"});
  expect_refused<ValueError>(recorder, [&] { rng.integers(0, 3, 3, bool_); }, {"[integers]", "bool"});
  expect_refused<DTypeError>(recorder, [&] { rng.integers(0, 3, 3, float64); }, {"[integers]", "float64"});
  // What was refused is no draw.
  EXPECT_EQ(rng.random(4).to_vector<double>(), default_rng(1).random(4).to_vector<double>());
}

}  // namespace
}  // namespace pilum::numeric
