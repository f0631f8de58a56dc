#include <cmath>
#include <limits>

#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using Reductions = NumericTest;

TEST_F(Reductions, FoldAllOneOrSeveralAxes) {
  const Array a = arange(24).reshape({2, 3, 4});
  EXPECT_EQ(sum(a).item<std::int64_t>(), 276);
  EXPECT_EQ(sum(a, 1).shape(), (Shape{2, 4}));
  EXPECT_THAT(sum(a, {0, -1}).to_vector<std::int64_t>(), ElementsAre(60, 92, 124));
  EXPECT_THAT(max(a, {2, 1}).to_vector<std::int64_t>(), ElementsAre(11, 23));
  EXPECT_THAT(min(a, -1)[0].to_vector<std::int64_t>(), ElementsAre(0, 4, 8));
  EXPECT_THAT(mean(a, {1, 2}).to_vector<double>(), ElementsAre(5.5, 17.5));
}

TEST_F(Reductions, KeepdimsLeavesExtentsOfOne) {
  const Array a = arange(6).reshape({2, 3});
  EXPECT_EQ(sum(a, 0, true).shape(), (Shape{1, 3}));
  EXPECT_EQ(sum(a, {}, true).shape(), (Shape{1, 1}));
  EXPECT_EQ(mean(a, -1, true).shape(), (Shape{2, 1}));
  EXPECT_THAT((a - min(a, 1, true)).to_vector<std::int64_t>(), ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST_F(Reductions, NarrowSumsAreInt64AndOthersKeepTheirDtype) {
  EXPECT_EQ(sum(ones(3, bool_)).dtype(), int64);
  EXPECT_EQ(sum(ones(3, bool_)).item<std::int64_t>(), 3);
  EXPECT_EQ(prod(full(2, INT32_MAX, int32)).item<std::int64_t>(), std::int64_t{INT32_MAX} * INT32_MAX);
  EXPECT_EQ(sum(ones(3, float32)).dtype(), float32);
  EXPECT_EQ(min(ones(3, int32)).dtype(), int32);
  EXPECT_EQ(max(array({false, true})).item<bool>(), true);
  EXPECT_EQ(min(array({false, true})).item<bool>(), false);
  EXPECT_EQ(mean(array({true, false})).item<double>(), 0.5);
  EXPECT_EQ(mean(ones(3, float32)).dtype(), float32);
  EXPECT_EQ(mean(ones(3, int32)).dtype(), float64);
}

TEST_F(Reductions, NanIsKept) {
  const Array a = array({1.0, std::numeric_limits<double>::quiet_NaN(), 2.0});
  EXPECT_TRUE(std::isnan(min(a).item<double>()));
  EXPECT_TRUE(std::isnan(max(a).item<double>()));
}

TEST_F(Reductions, OfNothing) {
  const Array none = zeros({0, 3});
  EXPECT_THAT(sum(none, 0).to_vector<double>(), ElementsAre(0, 0, 0));
  EXPECT_THAT(prod(none, 0).to_vector<double>(), ElementsAre(1, 1, 1));
  EXPECT_EQ(sum(none, 1).shape(), Shape{0});
  EXPECT_TRUE(std::isnan(mean(none).item<double>()));
  EXPECT_EQ(max(none, 1).shape(), Shape{0});
  EXPECT_EQ(max(none, 1, true).shape(), (Shape{0, 1}));
  expect_refused<ValueError>(recorder, [&] { max(none); }, {"[max]", "(0, 3)"});
  expect_refused<ValueError>(recorder, [&] { min(none, 0); }, {"[min]", "(0, 3)"});
}

TEST_F(Reductions, OfAnArrayWithoutAxes) {
  const Array one = array(3);
  EXPECT_EQ(sum(one).item<std::int64_t>(), 3);
  EXPECT_EQ(max(one).item<std::int32_t>(), 3);
  EXPECT_EQ(mean(one).item<double>(), 3);
}

// numpy.sum(numpy.array(3.0), axis=0) is 3.0, but not with (0,), and not numpy.mean.
TEST_F(Reductions, AxisZeroOfAnArrayWithoutAxes) {
  const Array one = array(3.0);
  for (const int axis : {0, -1}) {
    EXPECT_EQ(sum(one, axis).item<double>(), 3);
    EXPECT_EQ(prod(one, axis, true).item<double>(), 3);
    EXPECT_EQ(min(one, axis).item<double>(), 3);
    EXPECT_EQ(max(array(true), axis).item<bool>(), true);
    expect_refused<IndexError>(recorder, [&] { mean(one, axis); }, {"[mean]", "0 axes", "leave it out"});
    expect_refused<IndexError>(recorder, [&] { sum(one, {axis}); }, {"[sum]", "0 axes", "leave it out"});
  }
  expect_refused<IndexError>(recorder, [&] { sum(one, 1); }, {"[sum]", "axis 1", "0 axes"});
}

TEST_F(Reductions, SumsAndMeansOfNegativeZerosAloneAreZero) {
  const auto is_zero = [](const Array& a) {
    for (const double cell : a.astype(float64).to_vector<double>()) {
      if (cell != 0 || std::signbit(cell)) return false;
    }
    return a.size() > 0;
  };
  for (const DType dtype : {float32, float64}) {
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{2}, Shape{3, 1}, Shape{1, 4}, Shape{5, 7}}) {
      const Array a = full(shape, -0.0, dtype);
      EXPECT_TRUE(is_zero(sum(a)) && is_zero(mean(a)) && is_zero(sum(a, {}, true))) << to_string(shape);
      for (int axis = 0; axis < shape.rank(); ++axis) EXPECT_TRUE(is_zero(sum(a, axis)) && is_zero(mean(a, axis)));
    }
    EXPECT_TRUE(is_zero(sum(zeros(0, dtype))));
    EXPECT_TRUE(std::signbit(prod(full(3, -0.0, dtype)).astype(float64).item<double>())) << "as NumPy's";
  }
}

TEST_F(Reductions, RefuseAxesThatAreNotThereOrTwice) {
  const Array a = zeros({2, 3});
  expect_refused<IndexError>(recorder, [&] { sum(a, 2); }, {"[sum]", "axis 2", "2 axes", "from -2 to 1"});
  expect_refused<IndexError>(recorder, [&] { mean(a, -3); }, {"[mean]", "axis -3"});
  expect_refused<ValueError>(recorder, [&] { prod(a, {1, -1}); }, {"[prod]", "axis -1", "twice"});
  expect_refused<ValueError>(recorder, [&] { sum(a, {0, 1, 2, 3, 4, 5, 6, 7, 8}); }, {"9 axes"});
}

}  // namespace
}  // namespace pilum::numeric
