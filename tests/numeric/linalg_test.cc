// Systems of equations and factorizations: with literals, what is refused, and what is found when they run.
#include "pilum/linalg.h"

#include <complex>

#include "numeric/lapack.h"
#include "pilum/functions.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/sort.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

class Linalg : public NumericTest {
 protected:
  void SetUp() override {
    if (!(Lapack<double>::get().is_there())) GTEST_SKIP() << "there is no OpenBLAS on this machine";
  }
};
using Reals = std::vector<double>;

void expect_near(const Array& found, const Reals& wanted, double error = 1e-12) {
  const Reals cells = found.to_vector<double>();
  ASSERT_EQ(cells.size(), wanted.size());
  for (std::size_t k = 0; k < cells.size(); ++k) EXPECT_NEAR(cells[k], wanted[k], error) << "cell " << k;
}

TEST_F(Linalg, SystemsAreSolved) {
  const Array a = array({{2.0, 1.0}, {1.0, 3.0}});
  expect_near(linalg::solve(a, array({3.0, 5.0})), {0.8, 1.4});
  expect_near(linalg::solve(a, array({{3.0, 2.0}, {5.0, 1.0}})), {0.8, 1, 1.4, 0});
  const Array batch = stack({a, a * 2.0});
  expect_near(linalg::solve(batch, array({3.0, 5.0})), {0.8, 1.4, 0.4, 0.7});
  expect_near(linalg::inv(array({{1, 2}, {3, 4}})), {-2, 1, 1.5, -0.5});
  EXPECT_EQ(linalg::inv(zeros({0, 0})).shape(), (Shape{0, 0}));
  EXPECT_EQ(linalg::inv(eye(2, {}, 0, float32)).dtype(), float32);
  expect_near(linalg::lstsq(array({{1.0, 0.0}, {1.0, 1.0}, {1.0, 2.0}}), array({6.0, 0.0, 0.0})).x, {5, -3});
  expect_near(linalg::lstsq(array({{1.0, 0.0}, {1.0, 1.0}, {1.0, 2.0}}), array({6.0, 0.0, 0.0})).residuals, {6});
  EXPECT_EQ(linalg::lstsq(ones({3, 2}), ones({3})).rank.item<std::int64_t>(), 1);
  expect_near(linalg::pinv(array({{1.0, 2.0}, {2.0, 4.0}})), {0.04, 0.08, 0.08, 0.16});
}

TEST_F(Linalg, DeterminantsAndRanks) {
  expect_near(linalg::det(array({{1, 2}, {3, 4}})), {-2});
  expect_near(linalg::det(array({{1, 2}, {2, 4}})), {0});
  const auto [sign, size] = linalg::slogdet(array({{0.0, 2.0}, {2.0, 0.0}}));
  EXPECT_EQ(sign.item<double>(), -1);
  EXPECT_NEAR(size.item<double>(), std::log(4), 1e-15);
  EXPECT_EQ(linalg::det(zeros({0, 0})).item<double>(), 1);
  EXPECT_EQ(linalg::matrix_rank(array({{1, 2}, {2, 4}})).item<std::int64_t>(), 1);
  EXPECT_NEAR(linalg::cond(array({{2.0, 0.0}, {0.0, 0.5}})).item<double>(), 4, 1e-14);
  EXPECT_EQ(linalg::cond(array({{1.0, 2.0}, {2.0, 4.0}}), 1).item<double>(), kInfinity);
}

TEST_F(Linalg, FactorsGiveTheMatrixAgain) {
  const Array a = array({{4.0, 2.0, 1.0}, {2.0, 5.0, 3.0}, {1.0, 3.0, 6.0}});
  const Reals cells = a.to_vector<double>();
  const Array lower = linalg::cholesky(a), upper = linalg::cholesky(a, true);
  expect_near(matmul(lower, lower.T()), cells);
  expect_near(matmul(upper.T(), upper), cells);
  EXPECT_EQ(lower(0, 1).item<double>(), 0);
  const auto [q, r] = linalg::qr(a(all, slice(0, 2)), "complete");
  EXPECT_EQ(q.shape(), (Shape{3, 3}));
  expect_near(matmul(q, r), a(all, slice(0, 2)).to_vector<double>());
  const auto [values, vectors] = linalg::eigh(a);
  expect_near(matmul(vectors * values, vectors.T()), cells);
  const auto [u, s, vh] = linalg::svd(a(slice(0, 2)), false);
  expect_near(matmul(u * s, vh), a(slice(0, 2)).to_vector<double>());
  const Array turn = array({{0.0, -1.0}, {1.0, 0.0}});
  EXPECT_EQ(linalg::eigvals(turn).dtype(), complex128);
  expect_near(sort(imag(linalg::eigvals(turn))), {-1, 1});
  expect_near(norm(a, "nuc") - sum(linalg::svdvals(a)), {0});
  expect_near(norm(array({{3.0, 0.0}, {0.0, 4.0}}), 2), {4});
  expect_near(norm(array({{3.0, 0.0}, {0.0, 4.0}}), -2, {0, 1}, true), {3});
}

TEST_F(Linalg, PowersAndChains) {
  const Array a = array({{1, 1}, {0, 1}}, int64);
  EXPECT_EQ(cells(linalg::matrix_power(a, 5)), (std::vector<std::int64_t>{1, 5, 0, 1}));
  EXPECT_EQ(cells(linalg::matrix_power(a, 0)), (std::vector<std::int64_t>{1, 0, 0, 1}));
  expect_near(linalg::matrix_power(a, -2), {1, -2, 0, 1});
  EXPECT_EQ(linalg::multi_dot({ones({2}), ones({2, 30}), ones({30, 1})}).to_vector<double>(), (Reals{60}));
}

TEST_F(Linalg, MatricesWithoutAResultAreFoundWhenTheyAreComputed) {
  EXPECT_THROW(linalg::inv(zeros({2, 2})).to_vector<double>(), LinAlgError);
  EXPECT_THROW(linalg::solve(zeros({2, 2}), ones({2})).to_vector<double>(), LinAlgError);
  EXPECT_THROW(linalg::cholesky(-eye(2)).to_vector<double>(), LinAlgError);
}

TEST_F(Linalg, RefusesWhatNumPyRefuses) {
  const Array tall = zeros({3, 2}), line = zeros({3}), half = zeros({2, 2}, float16), square = zeros({2, 2});
  expect_refused<ShapeError>(recorder, [&] { linalg::inv(tall); }, {"[inv]", "(3, 2)", "square"});
  expect_refused<ShapeError>(recorder, [&] { linalg::svd(line); }, {"[svd]", "(3,)"});
  expect_refused<DTypeError>(recorder, [&] { linalg::inv(half); }, {"[inv]", "float16"});
  expect_refused<ShapeError>(recorder, [&] { linalg::solve(square, line); }, {"[solve]", "(3,)", "2 rows"});
  expect_refused<ValueError>(recorder, [&] { linalg::qr(tall, "full"); }, {"[qr]", "full"});
  expect_refused<ValueError>(recorder, [&] { linalg::eigh(square, "A"); }, {"[eigh]", "\"A\""});
  expect_refused<ShapeError>(recorder, [&] { linalg::multi_dot({tall, tall}); }, {"[multi_dot]", "(3, 2)"});
  expect_refused<ValueError>(recorder, [&] { norm(square, "best"); }, {"[norm]", "best"});
  expect_refused<ShapeError>(recorder, [&] { linalg::lstsq(tall, square); }, {"[lstsq]", "3 rows"});
  expect_refused<ValueError>(recorder, [&] { linalg::tensorinv(tall, 0); }, {"[tensorinv]", "ind is 0"});
}

}  // namespace
}  // namespace pilum::numeric
