// Distributions that are formulas or mixtures of others, angles and counts: SciPy judges them.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/random.h"
#include "pilum/sort.h"
#include "tests/numeric/numeric_test.h"
#include "tests/numeric/scipy_judge.h"

namespace pilum::numeric {
namespace {

using random::default_rng;
using RandomFormulas = SciPyJudge;

TEST_F(RandomFormulas, FormulasOfExponentialNumbersAreSciPys) {
  auto rng = default_rng(71);
  continuous(rng.laplace(1.5, 2.0, kSampled), "laplace(1.5, 2)");
  continuous(rng.logistic(-1.0, 0.5, kSampled), "logistic(-1, .5)");
  continuous(rng.gumbel(2.0, 3.0, kSampled), "gumbel_r(2, 3)");
  continuous(rng.rayleigh(1.25, kSampled), "rayleigh(scale=1.25)");
  for (const double a : {0.3, 1.0, 4.5}) {
    const std::string shape = std::to_string(a);
    continuous(rng.pareto(a, kSampled), "lomax(" + shape + ")");
    continuous(rng.weibull(a, kSampled), "weibull_min(" + shape + ")");
    continuous(rng.power(a, kSampled), "powerlaw(" + shape + ")");
  }
  continuous(rng.standard_cauchy(kSampled), "cauchy()");
  continuous(rng.triangular(-1.0, 2.0, 3.0, kSampled), "triang(.75, -1, 4)");
  continuous(rng.triangular(0.0, 0.0, 1.0, kSampled), "triang(0)");
  continuous(rng.wald(3.0, 2.0, kSampled), "invgauss(1.5, scale=2)");
  continuous(rng.wald(1.0, 1e4, kSampled), "invgauss(1e-4, scale=1e4)");
  judge();
}

TEST_F(RandomFormulas, MixturesAreSciPys) {
  auto rng = default_rng(72);
  for (const double df : {0.5, 3.0, 40.0}) continuous(rng.standard_t(df, kSampled), "t(" + std::to_string(df) + ")");
  continuous(rng.f(3.0, 7.5, kSampled), "f(3, 7.5)");
  continuous(rng.noncentral_chisquare(0.75, 2.5, kSampled), "ncx2(.75, 2.5)");
  continuous(rng.noncentral_chisquare(5, 30.0, kSampled), "ncx2(5, 30)");
  continuous(rng.noncentral_f(3, 8, 2.0, kSampled), "ncf(3, 8, 2)");
  discrete(rng.negative_binomial(0.5, 0.1, kSampled), "nbinom(.5, .1)");
  discrete(rng.negative_binomial(20, 0.7, kSampled), "nbinom(20, .7)");
  judge();
}

TEST_F(RandomFormulas, AnglesAreSciPys) {
  auto rng = default_rng(73);
  for (const double kappa : {0.0, 1e-6, 0.3, 4.0, 500.0, 1e8}) {
    const std::string law = kappa == 0 ? "uniform(-np.pi, 2 * np.pi)" : "vonmises(" + std::to_string(kappa) + ")";
    continuous(rng.vonmises(0.0, kappa, kSampled), law);
  }
  judge();
  for (const double angle : rng.vonmises(3.0, 2.0, 500).to_vector<double>())
    EXPECT_LE(std::abs(angle), std::numbers::pi);
}

TEST_F(RandomFormulas, CountsAreSciPys) {
  auto rng = default_rng(74);
  for (const double p : {0.001, 0.2, 0.7, 1.0}) discrete(rng.geometric(p, kSampled), "geom(" + std::to_string(p) + ")");
  for (const double a : {1.5, 2.0, 4.0, 30.0}) discrete(rng.zipf(a, kSampled), "zipf(" + std::to_string(a) + ")");
  for (const double p : {0.0625, 0.5, 0.99}) discrete(rng.logseries(p, kSampled), "logser(" + std::to_string(p) + ")");
  discrete(rng.hypergeometric(15, 15, 15, kSampled), "hypergeom(30, 15, 15)");
  discrete(rng.hypergeometric(100, 2, 10, kSampled), "hypergeom(102, 100, 10)");
  discrete(rng.hypergeometric(3, 500, 400, kSampled), "hypergeom(503, 3, 400)");
  discrete(rng.hypergeometric(100'000, 300'000, 20'000, kSampled), "hypergeom(400000, 100000, 20000)");
  judge();
}

TEST_F(RandomFormulas, VectorsHaveTheirMarginalsFromSciPy) {
  auto rng = default_rng(78);
  const Array mean = array({1.0, -2.0, 0.5}), cov = array({{4.0, 1.0, 0.0}, {1.0, 2.0, -0.5}, {0.0, -0.5, 1.0}});
  for (const char* const method : {"svd", "cholesky"}) {
    const Array drawn = rng.multivariate_normal(mean, cov, kSampled, method);
    continuous(drawn(all, 0).copy(), "norm(1, 2)");
    const Array sum = matmul(drawn, array({1.0, 1.0, -2.0}));  // variance 4 + 2 + 4 + 2 + 2
    continuous(sum, "norm(-2, 14 ** .5)");
  }
  const Array shares = rng.dirichlet(array({2.0, 0.5, 3.0}), kSampled);
  continuous(shares(all, 1).copy(), "beta(.5, 5)");
  continuous(rng.dirichlet(array({0.05, 0.02, 0.08}), kSampled)(all, 1).copy(), "beta(.02, .13)");
  for (const double whole : sum(shares, 1).to_vector<double>()) EXPECT_NEAR(whole, 1, 1e-14);
  const Array counts = rng.multinomial(50, array({0.2, 0.5, 0.3}), kSampled);
  discrete(counts(all, 1).copy(), "binom(50, .5)");
  discrete(counts(all, 2).copy(), "binom(50, .3)");
  EXPECT_EQ(sum(counts, 1).to_vector<std::int64_t>(), std::vector<std::int64_t>(kSampled, 50));
  judge();
}

TEST_F(RandomFormulas, LinesArePermutedEachInItsOwnWay) {
  auto rng = default_rng(76);
  const Array a = broadcast_to(arange(8), {kSampled, 8});
  const Array turned = rng.permuted(a, 1);
  EXPECT_EQ(sort(turned, 1).to_vector<std::int64_t>(), a.copy().to_vector<std::int64_t>());
  discrete(turned(all, 3).copy(), "randint(0, 8)");
  discrete(turned(all, 0) * 8 + turned(all, 5),
           "rv_discrete(values=([8 * i + j for i in range(8) for j in range(8) if i != "
           "j], [1 / 56] * 56))");
  judge();
  EXPECT_EQ(sort(rng.permuted(arange(12).reshape({3, 4})).reshape({12})).to_vector<std::int64_t>(),
            arange(12).to_vector<std::int64_t>());
}

TEST_F(RandomFormulas, ShapesDTypesAndEndsAreNumPys) {
  auto rng = default_rng(77);
  EXPECT_EQ(rng.laplace().shape(), Shape{});
  EXPECT_EQ(rng.laplace(zeros({2, 1}), ones(3)).shape(), (Shape{2, 3}));
  EXPECT_EQ(rng.triangular(zeros(3), 1, 2).shape(), Shape{3});
  EXPECT_EQ(rng.geometric(0.5, {2, 2}).dtype(), int64);
  EXPECT_EQ(rng.multivariate_normal(zeros(2), eye(2)).shape(), Shape{2});
  EXPECT_EQ(rng.multivariate_normal(zeros(2), eye(2), {4, 3}).shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(rng.dirichlet(ones(3)).shape(), Shape{3});
  EXPECT_EQ(rng.multinomial(5, array({0.5, 0.5}), {2, 2}).shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(rng.multinomial(7, array({1.0})).item<std::int64_t>(), 7);
  EXPECT_EQ(rng.weibull(0.0).item<double>(), 0);
  EXPECT_EQ(rng.geometric(1.0).item<std::int64_t>(), 1);
  EXPECT_EQ(rng.laplace(3, 0.0).item<double>(), 3);
  EXPECT_EQ(rng.hypergeometric(5, 0, 3).item<std::int64_t>(), 3);
  EXPECT_EQ(rng.hypergeometric(0, 5, 3).item<std::int64_t>(), 0);
  EXPECT_EQ(rng.hypergeometric(4, 5, 9).item<std::int64_t>(), 4);
  EXPECT_EQ(rng.zipf(2000.0).item<std::int64_t>(), 1);
  EXPECT_EQ(rng.logseries(0.0).item<std::int64_t>(), 1);
  EXPECT_EQ(rng.permuted(zeros({0, 3}), 1).shape(), (Shape{0, 3}));
}

TEST_F(RandomFormulas, RefuseWhatNumPyRefuses) {
  auto rng = default_rng(1);
  const Array three = ones(3), two = ones(2), square = eye(2);
  expect_refused<ValueError>(recorder, [&] { rng.laplace(0, -1.0); }, {"[laplace] scale is -1"});
  expect_refused<ValueError>(recorder, [&] { rng.pareto(0, 3); }, {"[pareto] a is 0: give a positive one"});
  expect_refused<ValueError>(recorder, [&] { rng.weibull(-1.0); }, {"[weibull] a is -1"});
  expect_refused<ValueError>(recorder, [&] { rng.triangular(0, 3, 2); }, {"[triangular] mode is 3 and right 2"});
  expect_refused<ValueError>(recorder, [&] { rng.triangular(1, 1, 1); }, {"[triangular] left is 1 and right 1"});
  expect_refused<ValueError>(recorder, [&] { rng.wald(0, 1); }, {"[wald] mean is 0"});
  expect_refused<ValueError>(recorder, [&] { rng.geometric(0.0); }, {"[geometric] p is 0: give one above 0"});
  expect_refused<ValueError>(recorder, [&] { rng.geometric(kNan, 3); }, {"[geometric] p is nan"});
  expect_refused<ValueError>(recorder, [&] { rng.standard_t(0); }, {"[standard_t] df is 0"});
  expect_refused<ValueError>(recorder, [&] { rng.f(1, -1, 3); }, {"[f] dfden is -1"});
  expect_refused<ValueError>(recorder, [&] { rng.negative_binomial(3, 1.5); }, {"[negative_binomial] p is 1.5"});
  expect_refused<ValueError>(recorder, [&] { rng.vonmises(0, -1); }, {"[vonmises] kappa is -1"});
  expect_refused<ValueError>(recorder, [&] { rng.zipf(1.0, 3); }, {"[zipf] a is 1: give more than 1"});
  expect_refused<ValueError>(recorder, [&] { rng.logseries(1.0); }, {"[logseries] p is 1"});
  expect_refused<ValueError>(recorder, [&] { rng.hypergeometric(2, 3, 6); }, {"[hypergeometric] nsample is 6 of 5"});
  expect_refused<ShapeError>(recorder, [&] { rng.gumbel(three, 1.0, {2, 2}); }, {"[gumbel]", "(3,)", "(2, 2)"});
  expect_refused<ShapeError>(recorder, [&] { rng.multivariate_normal(three, square); }, {"(3,)", "(2, 2)", "(k, k)"});
  expect_refused<ValueError>(recorder, [&] { rng.multivariate_normal(two, square, {}, "lu"); }, {"\"lu\"", "\"svd\""});
  expect_refused<ShapeError>(recorder, [&] { rng.dirichlet(square); }, {"[dirichlet] alpha has shape (2, 2)"});
  expect_refused<IndexError>(recorder, [&] { rng.permuted(square, 2); }, {"[permuted]", "axis 2"});
  EXPECT_THROW(rng.dirichlet(array({1.0, -1.0})), ValueError);
  EXPECT_THROW(rng.multinomial(5, array({0.75, 0.5, 0.1})), ValueError);
  EXPECT_EQ(rng.random(4).to_vector<double>(), default_rng(1).random(4).to_vector<double>());  // nothing was drawn
}

}  // namespace
}  // namespace pilum::numeric
