#include <array>
#include <cmath>
#include <span>

#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using Creation = NumericTest;

TEST_F(Creation, ShapesMayBeListsNumbersOrNothing) {
  const int n = 3;
  EXPECT_EQ(zeros({n + 2, n}).shape(), (Shape{5, 3}));
  EXPECT_EQ(zeros(4).shape(), Shape{4});
  EXPECT_EQ(zeros({4}).shape(), Shape{4});
  EXPECT_EQ(zeros({}).shape(), Shape{});
  EXPECT_EQ(zeros({}).size(), 1);
  const std::vector<std::int64_t> extents{2, 3};
  EXPECT_EQ(ones(Shape(extents)).shape(), (Shape{2, 3}));
  EXPECT_EQ(zeros(2).dtype(), float64);
  EXPECT_EQ(empty({2, 2}, int32).dtype(), int32);
}

TEST_F(Creation, RefusesShapesThatNoArrayHas) {
  expect_refused<ShapeError>(recorder, [&] { zeros({2, -1}); }, {"[zeros]", "(2, -1)", "negative"});
  expect_refused<ShapeError>(recorder, [&] { ones({1, 1, 1, 1, 1, 1, 1, 1, 1}); }, {"[ones]", "9 axes"});
  expect_refused<ShapeError>(recorder, [&] { empty({1L << 31, 1L << 31}); }, {"[empty]", "2^63"});
  EXPECT_EQ(empty({1L << 31, 1L << 31, 0}).size(), 0);
}

TEST_F(Creation, FullTakesItsDtypeFromTheValue) {
  EXPECT_EQ(full(2, 5).dtype(), int64);
  EXPECT_EQ(full(2, 5.0f).dtype(), float64);
  EXPECT_EQ(full(2, true).dtype(), bool_);
  EXPECT_THAT(full({2, 2}, array({1, 2})).to_vector<std::int32_t>(), ElementsAre(1, 2, 1, 2));
  expect_refused<ShapeError>(recorder, [a = zeros(3)] { full({3, 2}, a); }, {"[full]", "(3,)", "(3, 2)"});
}

TEST_F(Creation, ArraysFromNestedLists) {
  EXPECT_THAT(array({1, 2, 3}).to_vector<std::int32_t>(), ElementsAre(1, 2, 3));
  EXPECT_EQ(array({{1.0}, {2.0}}).shape(), (Shape{2, 1}));
  EXPECT_EQ(array({{{1.0f, 2.0f}}}).shape(), (Shape{1, 1, 2}));
  EXPECT_EQ(array({{{{true}, {false}}}}).shape(), (Shape{1, 1, 2, 1}));
  EXPECT_THAT(array({{1, 2}, {3, 4}}, float64).to_vector<double>(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(array({1L, 2L}).dtype(), int64);
  EXPECT_EQ(array({1LL, 2LL}).dtype(), int64);
}

TEST_F(Creation, ArraysFromListsOfArrays) {
  const Array a = array({1.0, 2.0}), b = array({3.0, 4.0}), longer = zeros(3);
  EXPECT_EQ(array({a, b}).shape(), (Shape{2, 2}));
  EXPECT_THAT(array({a, b}).to_vector<double>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(array(std::vector<Array>{a, b}).to_vector<double>(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(array(std::vector<Array>{}).shape(), (Shape{0}));
  EXPECT_THAT(array({{a(0), b(1)}, {a(1), b(0)}}).to_vector<double>(), ElementsAre(1, 4, 2, 3));
  EXPECT_EQ(array({a, b}, int64).dtype(), int64);
  EXPECT_EQ(array({a, array({1, 2})}).dtype(), float64);
  expect_refused<ShapeError>(recorder, [&] { array({a, longer}); }, {"[array]", "(2,)", "(3,)"});
}

TEST_F(Creation, ArraysFromContainersAndNumbers) {
  EXPECT_THAT(array(std::vector<float>{1, 2}).to_vector<float>(), ElementsAre(1, 2));
  EXPECT_THAT(array(std::array<int, 2>{1, 2}).to_vector<std::int32_t>(), ElementsAre(1, 2));
  EXPECT_THAT(array(std::vector<bool>{true, false}).to_vector<bool>(), ElementsAre(true, false));
  const double cells[] = {1, 2};
  EXPECT_THAT(array(std::span(cells)).to_vector<double>(), ElementsAre(1, 2));
  EXPECT_EQ(array(std::vector<double>{}).shape(), Shape{0});
  EXPECT_EQ(array(5).dtype(), int32);
  EXPECT_EQ(array(5, float32).item<float>(), 5);
  EXPECT_EQ(array(true).shape(), Shape{});
}

TEST_F(Creation, RefusesRaggedListsAndNumbersThatDoNotFit) {
  expect_refused<ShapeError>(recorder, [&] { array({{1, 2}, {3}}); }, {"[array]", "differ in length", "(2, 2)"});
  expect_refused<ShapeError>(recorder, [&] { array({{{1}, {2}}, {{3}}}); }, {"[array]", "(2, 2, 1)"});
  expect_refused<ValueError>(recorder, [&] { array({1L << 40}, int32); }, {"[array]", "1099511627776", "int32"});
  expect_refused<ValueError>(recorder, [&] { array({std::nan("")}, int64); }, {"[array]", "nan", "int64"});
  EXPECT_THAT(array({1.9, -1.9}, int32).to_vector<std::int32_t>(), ElementsAre(1, -1));
}

TEST_F(Creation, ArangeCountsAsNumPy) {
  EXPECT_THAT(arange(4).to_vector<std::int64_t>(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(arange(2, 5).to_vector<std::int64_t>(), ElementsAre(2, 3, 4));
  EXPECT_THAT(arange(5, 0, -2).to_vector<std::int64_t>(), ElementsAre(5, 3, 1));
  EXPECT_THAT(arange(0, 1, 0.25).to_vector<double>(), ElementsAre(0, 0.25, 0.5, 0.75));
  EXPECT_THAT(arange(3, float32).to_vector<float>(), ElementsAre(0, 1, 2));
  EXPECT_THAT(arange(1.5, 4).to_vector<double>(), ElementsAre(1.5, 2.5, 3.5));
  EXPECT_EQ(arange(5, 2).size(), 0);
  EXPECT_EQ(arange(-3).size(), 0);
  for (const Array& none : {arange(-4, -4, 2, uint32), arange(-1.5, -1.5, 1, uint32), arange(5, -4, 2, uint32)}) {
    EXPECT_EQ(none.shape(), Shape{0});  // of no numbers all fit
    EXPECT_EQ(none.dtype(), uint32);
  }
  expect_refused<ValueError>(recorder, [&] { arange(0, 5, 0); }, {"[arange]", "step of 0"});
  expect_refused<ValueError>(recorder, [&] { arange(0, INFINITY); }, {"[arange]", "finite"});
  expect_refused<ValueError>(recorder, [&] { arange(0.5, -INFINITY, 0.5); },
                             {"[arange]", "from 0.5 to -inf", "finite"});
  expect_refused<DTypeError>(recorder, [a = array(3)] { arange(a); }, {"[arange]", "item()"});
  expect_refused<ValueError>(recorder, [&] { arange(1L << 40, (1L << 40) + 3, 1, int32); }, {"[arange]", "int32"});
  expect_refused<ValueError>(recorder, [&] { arange(1UL << 63); }, {"[arange]", "9223372036854775808", "int64"});
  expect_refused<ValueError>(recorder, [&] { arange(0, 1e300, 1e-9); }, {"from 0 to 1e+300 in steps of 1e-09"});
}

TEST_F(Creation, ARangeStartsWithItsStart) {
  const auto is_negative_zero = [](double x) { return x == 0 && std::signbit(x); };
  for (const double stop : {0.5, 1.0, 3.0}) {
    const std::vector<double> numbers = arange(-0.0, stop).to_vector<double>();
    EXPECT_TRUE(is_negative_zero(numbers[0])) << stop;
    for (std::size_t k = 1; k < numbers.size(); ++k) EXPECT_EQ(numbers[k], static_cast<double>(k));
  }
  EXPECT_TRUE(is_negative_zero(arange(-0.0, -3, -1)[0].item<double>()));
  EXPECT_TRUE(is_negative_zero(static_cast<double>(arange(-0.0, 3, 1, float32)[0].item<float>())));
  EXPECT_FALSE(is_negative_zero(arange(0.0, -3, -1)[0].item<double>()));
  EXPECT_THAT(arange(-0.0, 3, 1, int64).to_vector<std::int64_t>(), ElementsAre(0, 1, 2));
  EXPECT_THAT(arange(1, 2, INFINITY).to_vector<double>(), ElementsAre(1));
  EXPECT_EQ(arange(1, 2, -INFINITY).size(), 0);
  EXPECT_THAT(arange(0.5, 2e300, 1e300, float32).to_vector<float>(), ElementsAre(0.5f, INFINITY));
  EXPECT_THAT(arange(0, 5e-324, 1e10).to_vector<double>(), ElementsAre(0));
}

// As NumPy's: [bool(start), bool(start + step)].
TEST_F(Creation, RangesOfBoolsHaveTwoValuesAtMost) {
  EXPECT_THAT(arange(2, bool_).to_vector<bool>(), ElementsAre(false, true));
  EXPECT_THAT(arange(1, bool_).to_vector<bool>(), ElementsAre(false));
  EXPECT_EQ(arange(0, bool_).shape(), Shape{0});
  EXPECT_THAT(arange(3, 5, 1, bool_).to_vector<bool>(), ElementsAre(true, true));
  EXPECT_THAT(arange(1, -1, -1, bool_).to_vector<bool>(), ElementsAre(true, false));
  EXPECT_THAT(arange(0.0, 0.5, 0.25, bool_).to_vector<bool>(), ElementsAre(false, true));
  EXPECT_THAT(arange(false, true, true, bool_).to_vector<bool>(), ElementsAre(false));
  EXPECT_EQ(arange(2, bool_).dtype(), bool_);
  expect_refused<DTypeError>(recorder, [&] { arange(3, bool_); }, {"[arange]", "at most 2", "has 3", "astype(bool_)"});
}

TEST_F(Creation, LinspaceEndsExactly) {
  EXPECT_THAT(linspace(0, 1, 5).to_vector<double>(), ElementsAre(0, 0.25, 0.5, 0.75, 1));
  EXPECT_THAT(linspace(0, 1, 4, false).to_vector<double>(), ElementsAre(0, 0.25, 0.5, 0.75));
  EXPECT_THAT(linspace(3, 4, 1).to_vector<double>(), ElementsAre(3));
  EXPECT_EQ(linspace(3, 4, 0).size(), 0);
  EXPECT_EQ(linspace(0, 1).size(), 50);
  EXPECT_EQ(linspace(0.1, 0.7, 7)(-1).item<double>(), 0.7);
  EXPECT_THAT(linspace(-1, 1, 4, true, int32).to_vector<std::int32_t>(), ElementsAre(-1, -1, 0, 1)) << "floors";
  expect_refused<ValueError>(recorder, [&] { linspace(0, 1, -1); }, {"[linspace]", "-1"});
  const Array two = array({0.0, 1.0}), three = ones(3);
  EXPECT_THAT(linspace(two, 5, 3).to_vector<double>(), ElementsAre(0, 1, 2.5, 3, 5, 5));
  EXPECT_THAT(linspace(5.0, two, 3, true, int64, -1).to_vector<std::int64_t>(), ElementsAre(5, 2, 0, 5, 3, 1));
  EXPECT_EQ(linspace(ones({2, 1}, float32), 2, 4, false, {}, 1).shape(), (Shape{2, 4, 1}));
  EXPECT_EQ(linspace(ones(2, float32), 2, 4).dtype(), float32);
  EXPECT_EQ(linspace(two, 1, 0).shape(), (Shape{0, 2}));
  expect_refused<ValueError>(recorder, [&] { linspace(two, 1, -1); }, {"[linspace]", "-1"});
  expect_refused<ShapeError>(recorder, [&] { linspace(two, three); }, {"[linspace]", "(2,)", "(3,)"});
  expect_refused<IndexError>(recorder, [&] { linspace(two, 1, 3, true, {}, 2); }, {"[linspace]", "2"});
}

TEST_F(Creation, LinspaceAtTheEdgesOfFloats) {
  const auto signs = [](const Array& a) {
    std::string text;
    for (const double cell : a.to_vector<double>()) text += std::signbit(cell) ? '-' : '+';
    return text;
  };
  EXPECT_EQ(signs(linspace(-0.0, 1, 3)), "+++");
  EXPECT_EQ(signs(linspace(-0.0, -1, 3)), "---");
  EXPECT_EQ(signs(linspace(0, -0.0, 3)), "++-");
  EXPECT_EQ(signs(linspace(-0.0, -1, 1)), "-");
  EXPECT_THAT(linspace(0, 1e-323, 6).to_vector<double>(), ElementsAre(0, 0, 5e-324, 5e-324, 1e-323, 1e-323));
  EXPECT_THAT(linspace(0, INFINITY, 3).to_vector<double>(), ElementsAre(testing::IsNan(), INFINITY, INFINITY));
}

TEST_F(Creation, AstypeAndCopyAreNewArrays) {
  const Array a = array({1.5, 0.0});
  const Array copy = a.copy();
  const Array same = a.astype(float64);
  a(all) = 9;
  EXPECT_THAT(copy.to_vector<double>(), ElementsAre(1.5, 0));
  EXPECT_THAT(same.to_vector<double>(), ElementsAre(1.5, 0));
  EXPECT_THAT(copy.astype(bool_).to_vector<bool>(), ElementsAre(true, false));
}

TEST(Grids, AreOfSlices) {
  fakes::NaiveRecorder recorder;
  const Array grid = mgrid({slice(0, 2), slice(1, 4)});
  EXPECT_EQ(grid.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(cells(grid), (std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(cells(mgrid(slice(5, 0, -2))), (std::vector<std::int64_t>{5, 3, 1}));
  EXPECT_EQ(mgrid({slice(3)}).shape(), (Shape{1, 3}));
  EXPECT_EQ(mgrid({slice(0, 3), slice(5, 5)}).shape(), (Shape{2, 3, 0}));
  const std::vector<Array> open = ogrid({slice(0, 2), slice(1, 4)});
  EXPECT_EQ(open[0].shape(), (Shape{2, 1}));
  EXPECT_EQ(open[1].shape(), (Shape{1, 3}));
  EXPECT_EQ(cells(open[0] * 10 + open[1]), (std::vector<std::int64_t>{1, 2, 3, 11, 12, 13}));
  EXPECT_EQ(cells(ogrid(slice(2, 4))), (std::vector<std::int64_t>{2, 3}));
  expect_refused<ValueError>(recorder, [&] { mgrid({slice(0, 2), slice(1, {})}); }, {"[mgrid]", "no stop"});
  expect_refused<ValueError>(recorder, [&] { ogrid({slice(0, 2, 0)}); }, {"[ogrid]", "step of 0"});
  const std::vector<slice> many(9, slice(2));
  expect_refused<ShapeError>(recorder, [&] { mgrid(many); }, {"[mgrid]", "9 slices"});
  expect_refused<ShapeError>(recorder, [&] { ogrid(many); }, {"[ogrid]", "9 slices"});
}

}  // namespace
}  // namespace pilum::numeric
