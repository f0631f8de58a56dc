#include "pilum/statistics.h"
#include "pilum/linear_algebra.h"

#include <cmath>

#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using Statistics = NumericTest;

TEST_F(Statistics, AnyAndAllAskWhatIsNotZero) {
  const Array a = array({{0, 1}, {2, 3}});
  EXPECT_TRUE(any(a).item<bool>());
  EXPECT_FALSE(all(a).item<bool>());
  EXPECT_TRUE(all(a >= 0).item<bool>());
  EXPECT_THAT(all(a, 0).to_vector<bool>(), ElementsAre(false, true));
  EXPECT_THAT(any(a(0), 0).to_vector<bool>(), ElementsAre(true));
  EXPECT_EQ(all(a, {0, 1}, true).shape(), (Shape{1, 1}));
  EXPECT_FALSE(any(zeros(0)).item<bool>());
  EXPECT_TRUE(all(zeros(0)).item<bool>());
  EXPECT_TRUE(all(full(2, kNan)).item<bool>());
  EXPECT_EQ(count_nonzero(a).item<std::int64_t>(), 3);
  EXPECT_THAT(count_nonzero(a, 1).to_vector<std::int64_t>(), ElementsAre(1, 2));
  expect_refused<IndexError>(recorder, [&] { any(a, 2); }, {"[any]", "2"});
  expect_refused<IndexError>(recorder, [&] { all(a, -3); }, {"[all]", "-3"});
  expect_refused<ValueError>(recorder, [&] { count_nonzero(a, {0, 0}); }, {"[count_nonzero]", "twice"});
}

TEST_F(Statistics, VarianceTakesNoAxisOfAnArrayWithoutAxes) {
  const Array one = array(7.0);
  EXPECT_EQ(var(one).item<double>(), 0.0);
  expect_refused<IndexError>(recorder, [&] { var(one, 0); }, {"[var]", "axis 0"});
  expect_refused<IndexError>(recorder, [&] { std(one, -1); }, {"[std]", "axis -1"});
}

TEST_F(Statistics, VarianceAndDeviation) {
  const Array a = array({1, 2, 3, 4});
  EXPECT_EQ(var(a).item<double>(), 1.25);
  EXPECT_EQ(var(a, {}, 1).item<double>(), 5.0 / 3);
  EXPECT_EQ(std(a).item<double>(), std::sqrt(1.25));
  EXPECT_EQ(var(a.astype(float32)).dtype(), float32);
  EXPECT_THAT(var(a.reshape({2, 2}), 0).to_vector<double>(), ElementsAre(1, 1));
  EXPECT_EQ(std(a.reshape({2, 2}), 1, 0, true).shape(), (Shape{2, 1}));
  EXPECT_TRUE(std::isnan(var(a, {}, 4).item<double>()) || std::isinf(var(a, {}, 4).item<double>()));
  EXPECT_EQ(ptp(a).item<std::int32_t>(), 3);
  EXPECT_EQ(ptp(a.reshape({2, 2}), 1).shape(), (Shape{2}));
  const Array bools = ones(2, bool_), pairs = ones({2, 2}), triple = ones(3);
  expect_refused<DTypeError>(recorder, [&] { ptp(bools); }, {"[ptp]"});
  expect_refused<IndexError>(recorder, [&] { var(a, 1); }, {"[var]", "1"});
  expect_refused<IndexError>(recorder, [&] { std(a, 1); }, {"[std]", "1"});
  expect_refused<ShapeError>(recorder, [&] { isclose(pairs, triple); }, {"[isclose]", "(2, 2)", "(3,)"});
}

TEST_F(Statistics, DotsAreSumsOfProductsInTheirOwnDtype) {
  const Array a = array({1, 2, 3}), b = array({4.0, 5.0, 6.0});
  EXPECT_EQ(dot(a, b).item<double>(), 32);
  EXPECT_EQ(dot(a, a).dtype(), int32);
  EXPECT_EQ(dot(a, a).item<std::int32_t>(), 14);
  EXPECT_THAT(dot(a, array(2)).to_vector<std::int32_t>(), ElementsAre(2, 4, 6));
  EXPECT_EQ(vdot(a.reshape({3, 1}), a.reshape({1, 3})).item<std::int32_t>(), 14);
  EXPECT_TRUE(dot(array({true, false}), array({true, true})).item<bool>());
  const Array pair = ones(2);
  expect_refused<ShapeError>(recorder, [&] { dot(a, pair); }, {"dot", "(3,)", "(2,)"});
}

TEST_F(Statistics, CloseNumbers) {
  const Array a = array({1.0, kInfinity, kNan, 0.0}), b = array({1.0 + 1e-6, kInfinity, kNan, 1e-9});
  EXPECT_THAT(isclose(a, b).to_vector<bool>(), ElementsAre(true, true, false, true));
  EXPECT_THAT(isclose(a, b, 1e-5, 1e-8, true).to_vector<bool>(), ElementsAre(true, true, true, true));
  EXPECT_THAT(isclose(array({kInfinity, 1.0}), array({-kInfinity, kInfinity})).to_vector<bool>(),
              ElementsAre(false, false));
  EXPECT_FALSE(allclose(a, b));
  EXPECT_TRUE(allclose(a, b, 1e-5, 1e-8, true));
  EXPECT_TRUE(allclose(array({1.0, 1.0}), 1));
  EXPECT_TRUE(array_equal(arange(3), array({0, 1, 2})));
  EXPECT_FALSE(array_equal(arange(3), arange(4)));
  EXPECT_FALSE(array_equal(full(1, kNan), full(1, kNan)));
}

TEST_F(Statistics, ElementwiseKinds) {
  const Array a = array({-2.5, -0.0, 0.0, 3.0, kInfinity, -kInfinity, kNan});
  EXPECT_THAT(isnan(a).to_vector<bool>(), ElementsAre(0, 0, 0, 0, 0, 0, 1));
  EXPECT_THAT(isinf(a).to_vector<bool>(), ElementsAre(0, 0, 0, 0, 1, 1, 0));
  EXPECT_THAT(isfinite(a).to_vector<bool>(), ElementsAre(1, 1, 1, 1, 0, 0, 0));
  EXPECT_THAT(isfinite(arange(2)).to_vector<bool>(), ElementsAre(1, 1));
  EXPECT_THAT(isnan(arange(2)).to_vector<bool>(), ElementsAre(0, 0));
  const std::vector<double> signs = sign(a).to_vector<double>();
  EXPECT_THAT(std::vector(signs.begin(), signs.end() - 1), ElementsAre(-1, 0, 0, 1, 1, -1));
  EXPECT_TRUE(std::isnan(signs.back()));
  EXPECT_EQ(sign(array({-3, 0, 5})).dtype(), int32);
  EXPECT_THAT(sign(array({-3, 0, 5})).to_vector<std::int32_t>(), ElementsAre(-1, 0, 1));
  EXPECT_THAT(clip(arange(5), 1, 3).to_vector<std::int64_t>(), ElementsAre(1, 1, 2, 3, 3));
  EXPECT_TRUE(std::isnan(clip(a, 0, 1)(-1).item<double>()));
  EXPECT_THAT(square(array({-3, 2})).to_vector<std::int32_t>(), ElementsAre(9, 4));
  EXPECT_THAT(add(arange(2), 1).to_vector<std::int64_t>(), ElementsAre(1, 2));
  const Array bools = ones(2, bool_);
  expect_refused<DTypeError>(recorder, [&] { sign(bools); }, {"sign", "bool"});
}

TEST_F(Statistics, PlacesAreTheFirstAndThoseOfNaNBeforeAll) {
  const Array a = array({{3.0, 1.0, 1.0}, {4.0, 4.0, 1.0}});
  EXPECT_EQ(argmin(a).item<std::int64_t>(), 1);
  EXPECT_EQ(argmax(a).item<std::int64_t>(), 3);
  EXPECT_THAT(argmax(a, 1).to_vector<std::int64_t>(), ElementsAre(0, 0));
  EXPECT_THAT(argmin(a, 0).to_vector<std::int64_t>(), ElementsAre(0, 0, 0));
  EXPECT_EQ(argmin(a, -1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(argmin(array({1.0, kNan, 0.0, kNan})).item<std::int64_t>(), 1);
  expect_refused<ValueError>(recorder, [&] { argmax(zeros({2, 0})); }, {"[argmax]", "(2, 0)"});
  expect_refused<IndexError>(recorder, [&] { argmin(a, 2); }, {"[argmin]", "axis 2"});
}

TEST_F(Statistics, FoldsWithoutNaN) {
  const Array a = array({{1.0, kNan, 3.0}, {kNan, kNan, kNan}});
  EXPECT_EQ(nansum(a).item<double>(), 4.0);
  EXPECT_EQ(nanprod(a).item<double>(), 3.0);
  EXPECT_EQ(nanmean(a).item<double>(), 2.0);
  EXPECT_EQ(nanmax(a(0)).item<double>(), 3.0);
  EXPECT_TRUE(std::isnan(nanmin(a, 1).to_vector<double>()[1]));
  EXPECT_EQ(nanvar(a).item<double>(), 1.0);
  EXPECT_EQ(nanstd(a, {}, 1).item<double>(), std::sqrt(2.0));
  expect_refused<ValueError>(recorder, [&] { nanmax(zeros(0)); }, {"[nanmax]", "(0,)"});
}

TEST_F(Statistics, AveragesAreWeighted) {
  const Array a = array({{1.0, 2.0}, {3.0, 5.0}}), weights = array({3.0, 1.0});
  EXPECT_EQ(average(a).item<double>(), 2.75);
  EXPECT_THAT(average(a, weights, 0).to_vector<double>(), ElementsAre(1.5, 2.75));
  expect_refused<ShapeError>(recorder, [&] { average(a, weights); }, {"[average]", "(2,)", "(2, 2)"});
  const Array cube = arange(24).reshape({2, 3, 4}), of_two = arange(8).reshape({4, 2});
  EXPECT_EQ(average(cube, {2, 0}).to_vector<double>(), mean(cube, {2, 0}).to_vector<double>());
  EXPECT_EQ(average(cube, of_two, {2, 0}, true).shape(), (Shape{1, 3, 1}));
  // The weights' axes stand in the order of the axes that are named.
  const Array heavy = average(cube, of_two, {2, 0});
  EXPECT_THAT(heavy.to_vector<double>(), ElementsAre(DoubleEq(127 / 14.0), DoubleEq(183 / 14.0), DoubleEq(239 / 14.0)));
  EXPECT_EQ(average(cube, of_two.T(), {0, -1}).to_vector<double>(), heavy.to_vector<double>());
  expect_refused<ShapeError>(recorder, [&] { average(cube, of_two, {0, 2}); }, {"[average]", "(4, 2)", "(2, 3, 4)"});
  expect_refused<ValueError>(recorder, [&] { average(cube, {0, 0}); }, {"[average]", "twice"});
  expect_refused<ValueError>(recorder, [&] { average(zeros(0), zeros(0)); }, {"[average]", "no cells"});
}

// tests/random, program 2634 of seed 500000: it was an int64.
TEST_F(Statistics, SumsOfUnsignedNumbersWithoutNaNsAreUnsigned) {
  EXPECT_EQ(nansum(ones(3, uint32)).dtype(), uint64);
  EXPECT_EQ(nansum(ones(3, bool_)).dtype(), int64);
}

}  // namespace
}  // namespace pilum::numeric
