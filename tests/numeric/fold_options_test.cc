// Folds that are told where to begin, which cells count, and in which dtype.
#include "pilum/fold_options.h"

#include <cmath>
#include <complex>
#include <limits>

#include "pilum/statistics.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using FoldOptionsTest = NumericTest;

TEST_F(FoldOptionsTest, AnInitialValueIsFoldedIn) {
  const Array a = array({{1, 2}, {3, 4}});
  EXPECT_EQ(sum(a, {}, {.initial = 10}).item<std::int64_t>(), 20);
  EXPECT_THAT(prod(a, 0, {.initial = 2}).to_vector<std::int64_t>(), ElementsAre(6, 16));
  EXPECT_THAT(max(a, 1, {.initial = 3}).to_vector<std::int32_t>(), ElementsAre(3, 4));
  EXPECT_THAT(min(a, 1, {.keepdims = true, .initial = 2}).to_vector<std::int32_t>(), ElementsAre(1, 2));
  EXPECT_EQ(sum(a, {}, {.initial = array(5)}).item<std::int64_t>(), 15);
  EXPECT_TRUE(std::isnan(max(array({1.0, 2.0}), {}, {.initial = kNan}).item<double>()));
}

TEST_F(FoldOptionsTest, OfNoCellsAnInitialValueIsLeft) {
  EXPECT_THAT(min(zeros({0, 3}), 0, {.initial = 4}).to_vector<double>(), ElementsAre(4, 4, 4));
  EXPECT_EQ(max(zeros({2, 0}), 1, {.keepdims = true, .initial = 4}).shape(), (Shape{2, 1}));
  EXPECT_EQ(max(zeros({0, 3}), 1, {.initial = 4}).shape(), Shape{0});
  EXPECT_EQ(sum(zeros(0), {}, {.initial = 4}).item<double>(), 4);
  EXPECT_TRUE(std::isnan(mean(zeros(0), {}, {.dtype = float32}).item<double>()));
}

TEST_F(FoldOptionsTest, CellsCountWhereAMaskIsTrue) {
  const Array a = array({{1.0, kNan}, {3.0, 5.0}}), mask = a > 0;
  EXPECT_EQ(sum(a, {}, {.where = mask}).item<double>(), 9);
  EXPECT_THAT(sum(a, 1, {.where = array({true, false})}).to_vector<double>(), ElementsAre(1, 3));
  EXPECT_THAT(mean(a, 0, {.where = mask}).to_vector<double>(), ElementsAre(2, 5));
  EXPECT_EQ(max(a, {}, {.initial = 0, .where = mask}).item<double>(), 5);
  EXPECT_TRUE(std::isnan(mean(a, {}, {.where = zeros({2, 2}, bool_)}).item<double>()));
  EXPECT_FALSE(any(array({0, 1}), {}, {.where = array({true, false})}).item<bool>());
  EXPECT_TRUE(all(array({0, 1}), {}, {.where = array({false, true})}).item<bool>());
  EXPECT_EQ(all(mask, 0, {.keepdims = true, .where = mask}).shape(), (Shape{1, 2}));
}

TEST_F(FoldOptionsTest, NanExtremaTakeNumbersThatCountAndTheInitialValueOfNone) {
  const Array a = array({{1.0, kNan}, {3.0, 5.0}});
  EXPECT_THAT(nanmin(a, 0, {.initial = 2}).to_vector<double>(), ElementsAre(1, 2));
  EXPECT_THAT(nanmax(a, 0, {.initial = -7, .where = array({true, true})}).to_vector<double>(), ElementsAre(3, 5));
  EXPECT_THAT(nanmax(a, 1, {.initial = -7, .where = array({false, true})}).to_vector<double>(), ElementsAre(-7, 5));
  EXPECT_EQ(nanmin(array({kNan, kNan}), {}, {.initial = 4}).item<double>(), 4);
  EXPECT_EQ(nanmin(array({2.0, kNan}), {}, {.initial = kNan}).item<double>(), 2);
  EXPECT_EQ(nanmax(zeros(0), {}, {.initial = 4}).item<double>(), 4);
  // Of two NaNs the initial value is first, as in NumPy's fold.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto kept = nanmax(array(std::vector<std::complex<double>>{{0, nan}}), 0, {.initial = nan});
  EXPECT_TRUE(std::isnan(kept.item<std::complex<double>>().real()));
  EXPECT_EQ(kept.item<std::complex<double>>().imag(), 0);
  const Array two = array({true, false});
  expect_refused<ValueError>(recorder, [&] { nanmax(a, 0, {.where = two}); }, {"[nanmax]", "initial"});
}

// Named: generate.py --seed 8800001 --case 1217.
TEST_F(FoldOptionsTest, NanMeansOfAnArrayWithoutAxesTakeAxisNought) {
  const FoldOptions none;
  EXPECT_EQ(nanmean(array(2.5), 0, none).item<double>(), 2.5);
  EXPECT_EQ(nanmean(array(std::complex<double>(1, 2)), -1, none).item<std::complex<double>>(),
            std::complex<double>(1, 2));
  const Array three = array(3);
  expect_refused<IndexError>(recorder, [&] { nanmean(three, 0, none); }, {"[nanmean]", "axis 0"});
}

TEST_F(FoldOptionsTest, CellsAreFoldedInTheDtypeThatIsGiven) {
  EXPECT_EQ(sum(array({1, 2}), 0, {.dtype = float32}).dtype(), float32);
  EXPECT_EQ(sum(array({100, 100}), 0, {.dtype = int8}).item<std::int8_t>(), -56);
  EXPECT_EQ(sum(array({1.5, 2.5}), 0, {.dtype = int64}).item<std::int64_t>(), 3);
  EXPECT_EQ(mean(array({1, 2}), 0, {.dtype = int64}).item<std::int64_t>(), 1);
  EXPECT_EQ(mean(array({true, false}), {}, {.dtype = float32}).item<float>(), 0.5F);
  EXPECT_TRUE(sum(array({1, 2}), {}, {.dtype = bool_}).item<bool>());
}

TEST_F(FoldOptionsTest, TellWhatTheyRefuse) {
  const Array a = ones({2, 3}), mask = ones({2, 3}, bool_), numbers = ones({2, 3}), two = ones({2}, bool_);
  const Array vector = ones({1});
  expect_refused<ValueError>(recorder, [&] { min(a, {}, {.where = mask}); }, {"[min]", "initial"});
  expect_refused<ShapeError>(recorder, [&] { sum(a, {}, {.where = two}); }, {"[sum]", "(2,)", "(2, 3)"});
  expect_refused<DTypeError>(recorder, [&] { mean(a, {}, {.where = numbers}); }, {"[mean]", "float64"});
  expect_refused<ShapeError>(recorder, [&] { prod(a, {}, {.initial = vector}); }, {"[prod]", "(1,)"});
  expect_refused<ValueError>(recorder, [&] { mean(a, {}, {.initial = 1}); }, {"[mean]", "initial"});
  expect_refused<DTypeError>(recorder, [&] { max(a, {}, {.dtype = float32}); }, {"[max]", "astype"});
  expect_refused<ValueError>(recorder, [&] { any(a, {}, {.initial = 1}); }, {"[any]", "initial"});
  expect_refused<DTypeError>(recorder, [&] { all(a, {}, {.dtype = float32}); }, {"[all]", "astype"});
  expect_refused<IndexError>(recorder, [&] { sum(a, 2, {.initial = 1}); }, {"[sum]", "2"});
  expect_refused<ValueError>(recorder, [&] { sum(a, {0, 0}, {.initial = 1}); }, {"[sum]", "twice"});
  expect_refused<ValueError>(recorder, [&] { sum(a, {}, {.initial = 300, .dtype = int8}); }, {"[sum]", "300", "int8"});
}

TEST_F(FoldOptionsTest, SpreadsAreOfTheChosenCells) {
  const Array a = array({{1.0, 3.0, 100.0}, {2.0, 6.0, kNan}});
  const Array chosen = array({true, true, false});
  EXPECT_THAT(var(a, 1, {.where = chosen}).to_vector<double>(), ElementsAre(1, 4));
  EXPECT_THAT(std(a, 1, {.where = chosen, .ddof = 1}).to_vector<double>(), ElementsAre(std::sqrt(2.0), std::sqrt(8.0)));
  EXPECT_THAT(nanvar(a, 1, {.where = array({{true, true, false}, {true, true, true}})}).to_vector<double>(),
              ElementsAre(1, 4));
  EXPECT_EQ(var(a, {}, {.where = chosen, .dtype = float32}).dtype(), float32);
  EXPECT_THAT(nansum(a, 1, {.initial = 10, .where = array({false, true, true})}).to_vector<double>(),
              ElementsAre(113, 16));
  EXPECT_TRUE(std::isnan(nanvar(array({1.0, kNan}), {}, {.ddof = 1}).item<double>()));
  expect_refused<ValueError>(recorder, [&] { sum(a, {}, {.ddof = 1}); }, {"[sum]", "ddof is 1"});
  expect_refused<DTypeError>(recorder, [&] { var(a, {}, {.dtype = int64}); }, {"[var]", "int64"});
}

// g++ 12 took a list of one number, named or not, for axes.
TEST_F(FoldOptionsTest, StandBehindTheArrayWhereAllAxesAreFolded) {
  const Array a = array({{1.0, 2.0}, {3.0, 6.0}});
  EXPECT_DOUBLE_EQ(var(a, {.ddof = 1}).item<double>(), 14.0 / 3);
  EXPECT_DOUBLE_EQ(std(a, {.ddof = 1}).item<double>(), std::sqrt(14.0 / 3));
  EXPECT_DOUBLE_EQ(var(a + 1, {.ddof = 1}).item<double>(), 14.0 / 3);
  EXPECT_DOUBLE_EQ(nanvar(a, {.ddof = 1}).item<double>(), 14.0 / 3);
  EXPECT_DOUBLE_EQ(nanstd(a, {.ddof = 1}).item<double>(), std::sqrt(14.0 / 3));
  EXPECT_EQ(sum(a, {.initial = 1}).item<double>(), 13);
  EXPECT_EQ(sum(a + 1, {.initial = 1}).item<double>(), 17);
  EXPECT_EQ(prod(a, {.initial = 1}).item<double>(), 36);
  EXPECT_EQ(prod(a * 1, {.initial = 0}).item<double>(), 0);
  EXPECT_EQ(max(a, {.initial = 1}).item<double>(), 6);
  EXPECT_EQ(max(a + 1, {.initial = 8}).item<double>(), 8);
  EXPECT_EQ(min(a, {.initial = 1}).item<double>(), 1);
  EXPECT_EQ(min(a * 1, {.initial = 0}).item<double>(), 0);
  EXPECT_EQ(nansum(a, {.initial = 1}).item<double>(), 13);
  EXPECT_EQ(nanprod(a, {.initial = 1}).item<double>(), 36);
  EXPECT_EQ(nanmax(a, {.initial = 1}).item<double>(), 6);
  EXPECT_EQ(nanmin(a, {.initial = 0}).item<double>(), 0);
  EXPECT_EQ(mean(a, {.where = a < 6}).item<double>(), 2);
  EXPECT_EQ(mean(a + 1, {.dtype = float32}).dtype(), float32);
  EXPECT_EQ(nanmean(a, {.where = a < 6}).item<double>(), 2);
  EXPECT_EQ(any(a, {.keepdims = true}).shape(), (Shape{1, 1}));
  EXPECT_EQ(all(a, {.keepdims = true}).shape(), (Shape{1, 1}));
  EXPECT_TRUE(all(a - 1, {.where = a > 1}).item<bool>());
  EXPECT_EQ(sum(a, {.keepdims = true, .initial = 1, .where = a > 1}).to_vector<double>(), std::vector<double>{12});
  expect_refused<ValueError>(recorder, [&] { sum(a, {.ddof = 1}); }, {"[sum]", "ddof is 1"});
}

TEST_F(FoldOptionsTest, AreNoAxes) {
  const Array a = array({{1.0, 2.0}, {3.0, 6.0}});
  EXPECT_THAT(sum(a, {1}).to_vector<double>(), ElementsAre(3, 9));
  EXPECT_EQ(sum(a, {0, 1}).item<double>(), 12);
  EXPECT_EQ(sum(a, {}).item<double>(), 12);
  EXPECT_EQ(sum(a, {}, true).shape(), (Shape{1, 1}));
  EXPECT_EQ(var(a, {0, 1}).item<double>(), 3.5);
  EXPECT_THAT(all(a - 1, {1}).to_vector<bool>(), ElementsAre(false, true));
  EXPECT_TRUE(any(a, {0, 1}).item<bool>());
  const Array five = array(5);  // a number for an axis would do
  expect_refused<IndexError>(recorder, [&] { sum(five, {0}); }, {"[sum]"});
  EXPECT_EQ(sum(five, 0).item<std::int64_t>(), 5);
}

}  // namespace
}  // namespace pilum::numeric
