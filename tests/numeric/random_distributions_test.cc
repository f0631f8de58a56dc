// Distributions that are drawn by rejection: SciPy judges them, by Kolmogorov and Smirnov's test and by chi square.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "numeric/distributions.h"
#include "pilum/random.h"
#include "tests/numeric/numeric_test.h"
#include "tests/numeric/numpy_oracle.h"
#include "tests/numeric/scipy_judge.h"

namespace pilum::numeric {
namespace {

using random::default_rng;

using RandomDistributions = SciPyJudge;

TEST_F(RandomDistributions, GammaNumbersAreSciPys) {
  auto rng = default_rng(61);
  for (const double shape : {0.05, 0.5, 1.0, 1.5, 7.0, 1e4})
    continuous(rng.standard_gamma(shape, kSampled), "gamma(" + std::to_string(shape) + ")");
  continuous(rng.gamma(2.5, 3.0, kSampled), "gamma(2.5, scale=3)");
  for (const double df : {0.5, 1.0, 4.0, 100.0})
    continuous(rng.chisquare(df, kSampled), "chi2(" + std::to_string(df) + ")");
  judge();
}

TEST_F(RandomDistributions, BetaAndLognormalNumbersAreSciPys) {
  auto rng = default_rng(62);
  continuous(rng.beta(2.0, 5.0, kSampled), "beta(2, 5)");
  continuous(rng.beta(0.5, 0.5, kSampled), "beta(.5, .5)");
  continuous(rng.beta(1, 1, kSampled), "beta(1, 1)");
  continuous(rng.beta(30.0, 0.2, kSampled), "beta(30, .2)");
  continuous(rng.lognormal(0.5, 0.75, kSampled), "lognorm(.75, scale=np.exp(.5))");
  judge();
}

TEST_F(RandomDistributions, PoissonNumbersAreSciPys) {
  auto rng = default_rng(63);
  for (const double mean : {0.02, 0.7, 3.0, 9.99, 10.0, 12.5, 40.0, 1000.0, 1e7})
    discrete(rng.poisson(mean, kSampled), "poisson(" + std::to_string(mean) + ")");
  judge();
}

TEST_F(RandomDistributions, BinomialNumbersAreSciPys) {
  auto rng = default_rng(64);
  const auto check = [&](int n, double p) {
    discrete(rng.binomial(n, p, kSampled), "binom(" + std::to_string(n) + ", " + std::to_string(p) + ")");
  };
  check(1, 0.5);
  check(10, 0.3);
  check(10, 0.75);
  check(5000, 0.001);
  check(20, 0.5);
  check(50, 0.25);
  check(100, 0.9);
  check(1000, 0.5);
  check(1'000'000, 0.125);
  judge();
}

TEST_F(RandomDistributions, AJudgeRefusesAnotherDistribution) {
  auto rng = default_rng(65);
  continuous(rng.standard_gamma(2.0, kSampled), "gamma(2)");
  if (std::system(PILUM_PYTHON " -c 'import scipy.stats' >/dev/null 2>&1") != 0) GTEST_SKIP() << "no SciPy here";
  const auto lines = run_numpy(std::string(kJudges) + "continuous(" +
                               sample<double>(rng.standard_gamma(2.05, kSampled)) + ", stats.gamma(2))\ndiscrete(" +
                               sample<std::int64_t>(rng.poisson(20.5, kSampled)) + ", stats.poisson(20))\n");
  ASSERT_EQ(lines.size(), 2u);
  for (const std::string& line : lines) EXPECT_LT(std::stod(line), kLeastProbability);
}

TEST_F(RandomDistributions, CellsFollowFromSeedDrawAndPlace) {
  auto rng = default_rng(7);
  rng.poisson(3.0, 5);
  const auto drawn = rng.standard_gamma(array({0.5, 2.0, 30.0}), {4, 3}).to_vector<double>();  // draw 1
  for (std::uint64_t i = 0; i < drawn.size(); ++i) {
    const double shapes[] = {0.5, 2.0, 30.0};
    PhiloxStream bits(7, 1, i);
    EXPECT_EQ(drawn[i], Gamma(shapes[i % 3])(bits)) << i;
  }
  const auto views = default_rng(8).poisson(array({1.0, 9.0, 70.0, 2.0})(slice({}, {}, 2)), {2, 2});
  EXPECT_EQ(cells(views), cells(default_rng(8).poisson(array({1.0, 70.0}), {2, 2})));
}

TEST_F(RandomDistributions, ShapesAndDTypesAreNumPys) {
  auto rng = default_rng(1);
  EXPECT_EQ(rng.poisson().shape(), Shape{});
  EXPECT_EQ(rng.poisson(5).dtype(), int64);
  EXPECT_EQ(rng.poisson(array({1, 2, 3})).shape(), Shape{3});
  EXPECT_EQ(rng.poisson(2.0, {0, 3}).shape(), (Shape{0, 3}));
  EXPECT_EQ(rng.poisson(zeros({2, 1}), {2, 3}).to_vector<std::int64_t>(), std::vector<std::int64_t>(6));
  EXPECT_EQ(rng.binomial(array({5, 6}), zeros({3, 1})).shape(), (Shape{3, 2}));
  EXPECT_EQ(rng.binomial(10, 0.5, {2, 2}).dtype(), int64);
  EXPECT_EQ(rng.gamma(ones({3, 1}), ones(2)).shape(), (Shape{3, 2}));
  EXPECT_EQ(rng.gamma(ones(2, float32)).dtype(), float64);
  EXPECT_EQ(rng.standard_gamma(1.0, 4, float32).dtype(), float32);
  EXPECT_EQ(rng.beta(1, 2).shape(), Shape{});
  EXPECT_EQ(rng.lognormal(zeros(3)).shape(), Shape{3});
  EXPECT_EQ(rng.chisquare(array({1, 2}), {3, 2}).shape(), (Shape{3, 2}));
}

TEST_F(RandomDistributions, EndsOfTheParametersAreNumPys) {
  auto rng = default_rng(3);
  EXPECT_EQ(rng.gamma(0.0).item<double>(), 0);
  EXPECT_EQ(rng.gamma(2.0, 0.0).item<double>(), 0);
  EXPECT_TRUE(std::isnan(rng.standard_gamma(kNan).item<double>()));
  EXPECT_TRUE(std::isnan(rng.beta(kNan, 1).item<double>()));
  EXPECT_EQ(rng.gamma(kInfinity).item<double>(), kInfinity);
  EXPECT_EQ(rng.poisson(0.0).item<std::int64_t>(), 0);
  EXPECT_NEAR(static_cast<double>(rng.poisson(9.2e18).item<std::int64_t>()), 9.2e18, 3e10);
  EXPECT_EQ(rng.binomial(0, 0.5).item<std::int64_t>(), 0);
  EXPECT_EQ(rng.binomial(9, 0.0).item<std::int64_t>(), 0);
  EXPECT_EQ(rng.binomial(9, 1.0).item<std::int64_t>(), 9);
  EXPECT_EQ(rng.binomial(INT64_MAX, 1.0).item<std::int64_t>(), INT64_MAX);
  EXPECT_EQ(rng.binomial(3.7, 1).item<std::int64_t>(), 3);
  EXPECT_NEAR(static_cast<double>(rng.binomial(1l << 62, 0.5).item<std::int64_t>()), 0x1p61, 2e10);
  // Rare events of very many trials.
  const auto rare = rng.binomial(1'000'000'000'000'000'000, 2e-18, 20'000).mean().item<double>();
  EXPECT_NEAR(rare, 2, 4 * std::sqrt(2.0 / 20'000));
  for (const double x : rng.beta(1e-3, 1e-3, 200).to_vector<double>()) EXPECT_TRUE(x >= 0 && x <= 1) << x;
}

TEST_F(RandomDistributions, RefuseWhatNumPyRefuses) {
  auto rng = default_rng(1);
  const Array three = ones(3), two = ones(2);
  expect_refused<ValueError>(recorder, [&] { rng.poisson(-1); }, {"[poisson] lam is -1: give 0 or more"});
  expect_refused<ValueError>(recorder, [&] { rng.poisson(kNan, 3); }, {"[poisson] lam is nan"});
  expect_refused<ValueError>(recorder, [&] { rng.poisson(1e19, 3); }, {"[poisson] lam is 1e+19", "9.2e18"});
  expect_refused<ValueError>(recorder, [&] { rng.binomial(-1, 0.5); }, {"[binomial] n is -1"});
  expect_refused<ValueError>(recorder, [&] { rng.binomial(3, 1.5, 2); }, {"[binomial] p is 1.5: give one of 0 to 1"});
  expect_refused<ValueError>(recorder, [&] { rng.binomial(3, kNan); }, {"[binomial] p is nan"});
  expect_refused<DTypeError>(recorder, [&] { rng.binomial(three, 0.5); }, {"[binomial] n is float64", "astype"});
  expect_refused<ValueError>(recorder, [&] { rng.gamma(-1.0); }, {"[gamma] shape is -1"});
  expect_refused<ValueError>(recorder, [&] { rng.gamma(-0.0); }, {"[gamma] shape is -0"});
  expect_refused<ValueError>(recorder, [&] { rng.gamma(1, -2.0, 3); }, {"[gamma] scale is -2"});
  expect_refused<ValueError>(recorder, [&] { rng.standard_gamma(-1, 3); }, {"[standard_gamma] shape is -1"});
  expect_refused<DTypeError>(recorder, [&] { rng.standard_gamma(1, 3, int32); }, {"[standard_gamma]", "int32"});
  expect_refused<ValueError>(recorder, [&] { rng.beta(0, 1); }, {"[beta] a is 0: give a positive one"});
  expect_refused<ValueError>(recorder, [&] { rng.beta(1, -1, 3); }, {"[beta] b is -1"});
  expect_refused<ValueError>(recorder, [&] { rng.chisquare(0); }, {"[chisquare] df is 0"});
  expect_refused<ValueError>(recorder, [&] { rng.lognormal(0, -1.0); }, {"[lognormal] sigma is -1"});
  expect_refused<ValueError>(recorder, [&] { rng.normal(0, -0.0); }, {"[normal] scale is -0"});
  expect_refused<ShapeError>(recorder, [&] { rng.poisson(three, {2, 2}); }, {"[poisson]", "(3,)", "(2, 2)"});
  expect_refused<ShapeError>(recorder, [&] { rng.gamma(three, two); }, {"[gamma]", "(3,)", "(2,)"});
  EXPECT_EQ(rng.random(4).to_vector<double>(), default_rng(1).random(4).to_vector<double>());
}

TEST_F(RandomDistributions, AParameterOfAnArrayIsRefusedWhenItsCellIsDrawn) {
  const auto says = [](auto call) {
    try {
      call();
    } catch (const ValueError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  auto rng = default_rng(1);
  EXPECT_THAT(says([&] { rng.poisson(array({1.0, -2.0})); }), testing::HasSubstr("lam is -2: give 0 or more"));
  EXPECT_THAT(says([&] { rng.binomial(array({1, 2}), array({0.5, 1.5})); }), testing::HasSubstr("p is 1.5"));
  EXPECT_THAT(says([&] { rng.chisquare(array({1.0, 0.0})); }), testing::HasSubstr("df is 0"));
}

}  // namespace
}  // namespace pilum::numeric
