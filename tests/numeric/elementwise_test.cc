#include <cmath>

#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using Elementwise = NumericTest;

TEST_F(Elementwise, ArraysPromoteAsInNumPy) {
  constexpr DType kAll[] = {bool_, int32, int64, float32, float64};
  constexpr DType kExpected[5][5] = {{bool_, int32, int64, float32, float64},
                                     {int32, int32, int64, float64, float64},
                                     {int64, int64, int64, float64, float64},
                                     {float32, float64, float64, float32, float64},
                                     {float64, float64, float64, float64, float64}};
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 5; ++b) {
      EXPECT_EQ((zeros(2, kAll[a]) + zeros(2, kAll[b])).dtype(), kExpected[a][b]) << a << " " << b;
    }
  }
}

TEST_F(Elementwise, NumbersAreWeak) {
  EXPECT_EQ((zeros(1, float32) * 0.2).dtype(), float32);
  EXPECT_EQ((2.5 - zeros(1, float32)).dtype(), float32);
  EXPECT_EQ((zeros(1, float32) + 1).dtype(), float32);
  EXPECT_EQ((zeros(1, int32) + 1L).dtype(), int32);
  EXPECT_EQ((zeros(1, int32) + 0.5f).dtype(), float64);
  EXPECT_EQ((zeros(1, int64) + true).dtype(), int64);
  EXPECT_EQ((zeros(1, bool_) + true).dtype(), bool_);
  EXPECT_EQ((zeros(1, bool_) + 1).dtype(), int64);
  EXPECT_EQ((zeros(1, bool_) + 1.0).dtype(), float64);
  EXPECT_EQ((zeros({}, float32) + zeros(1, float64)).dtype(), float64) << "an array without axes is not weak";
  EXPECT_EQ(maximum(1, 2).dtype(), int64);
  EXPECT_EQ(maximum(1, 2.0).dtype(), float64);
}

TEST_F(Elementwise, AnIntegerThatDoesNotFitIsRefused) {
  const Array a = zeros(2, int32);
  expect_refused<ValueError>(recorder, [&] { a + (1L << 31); }, {"[add]", "2147483648", "int32", "2147483647"});
  expect_refused<ValueError>(recorder, [&] { a(0) = -(1L << 31) - 1; }, {"-2147483649", "int32"});
  expect_refused<ValueError>(recorder, [&] { a(0) = 4294967297.5; }, {"4294967297.5", "int32"});
  expect_refused<ValueError>(recorder, [&] { a(all) = kNan; }, {"nan", "int32"});
  expect_refused<ValueError>(recorder, [&] { a + (1UL << 63); }, {"[add]", "9223372036854775808", "int32"});
  expect_refused<ValueError>(recorder, [b = zeros(2, int64)] { b + (1UL << 63); },
                             {"9223372036854775808", "int64", "floating"});
  EXPECT_EQ((a + INT32_MIN).dtype(), int32);
}

// np.float32([1, 2]) + (2**64 - 1), and so on.
TEST_F(Elementwise, FloatingArraysTakeUnsignedNumbersBeyondInt64) {
  EXPECT_THAT((array({1.0, 2.0}) + (1UL << 63)).to_vector<double>(), ElementsAre(0x1p63, 0x1p63));
  EXPECT_THAT((array({1.0f, 2.0f}) * UINT64_MAX).to_vector<float>(), ElementsAre(0x1p64f, 0x1p65f));
  EXPECT_THAT((array({1, 2}) / (1UL << 63)).to_vector<double>(), ElementsAre(0x1p-63, 0x1p-62));
  EXPECT_THAT(where(array({true, false}), array({1.0, 2.0}), 1UL << 63).to_vector<double>(), ElementsAre(1, 0x1p63));
  EXPECT_THAT(maximum(1UL << 63, 1.0).item<double>(), 0x1p63);
  EXPECT_EQ(sqrt(1UL << 62).item<double>(), 0x1p31);
  EXPECT_EQ(sqrt(1UL << 63).item<double>(), std::sqrt(0x1p63));
  EXPECT_EQ(power(array({0.5}), 1UL << 63).item<double>(), 0);
  EXPECT_EQ(full({}, UINT64_MAX, float64).item<double>(), 0x1p64);
  Array cells = zeros(2);
  cells(0) = UINT64_MAX;
  cells += 1UL << 63;
  EXPECT_THAT(cells.to_vector<double>(), ElementsAre(0x1.8p64, 0x1p63));
}

TEST_F(Elementwise, IntegersCompareWithUnsignedNumbersBeyondInt64) {
  const Array a = array({INT64_MIN, std::int64_t{0}, INT64_MAX});
  constexpr std::uint64_t kLarge = 1UL << 63;
  for (const Array& all :
       {a < kLarge, a <= kLarge, a != kLarge, kLarge > a, kLarge >= a, kLarge != a, a.astype(int32) < kLarge})
    EXPECT_THAT(all.to_vector<bool>(), ElementsAre(true, true, true));
  for (const Array& none : {a > kLarge, a >= kLarge, a == kLarge, kLarge < a, kLarge <= a, kLarge == a})
    EXPECT_THAT(none.to_vector<bool>(), ElementsAre(false, false, false));
  EXPECT_THAT((array({0x1p63, 1.0}) == kLarge).to_vector<bool>(), ElementsAre(true, false));
}

// Python's int becomes a float, which becomes the float32; numpy.where makes an int64 array of it first.
TEST_F(Elementwise, IntegersBecomeFloat32AsPythonsDo) {
  constexpr std::int64_t kBeyondHalf = (1L << 60) + (1L << 36) + 1;
  constexpr float kTwice = 0x1p60f, kOnce = 0x1.000002p60f;
  EXPECT_EQ((zeros(1, float32) + kBeyondHalf).item<float>(), kTwice);
  EXPECT_EQ(maximum(zeros(1, float32), kBeyondHalf).item<float>(), kTwice);
  EXPECT_EQ(full(1, kBeyondHalf, float32).item<float>(), kTwice);
  EXPECT_EQ((full(1, kTwice, float32) == kBeyondHalf).item<bool>(), true);
  EXPECT_EQ(arange(kBeyondHalf, kBeyondHalf + 2, 1, float32)[0].item<float>(), kTwice);
  Array cells = zeros(1, float32);
  cells(0) = kBeyondHalf;
  EXPECT_EQ(cells.item<float>(), kTwice);
  EXPECT_EQ(where(false, zeros(1, float32), kBeyondHalf).item<float>(), kOnce);
  EXPECT_EQ(full(1, kBeyondHalf, int64).astype(float32).item<float>(), kOnce);
  EXPECT_EQ((zeros(1, float32) + 16777217).item<float>(), 16777216.0f);
}

TEST_F(Elementwise, ComparisonsTakeIntegersThatDoNotFit) {
  const Array a = array({INT32_MIN, 0, INT32_MAX});
  EXPECT_THAT((a < (1L << 40)).to_vector<bool>(), ElementsAre(true, true, true));
  EXPECT_THAT((a == -(1L << 40)).to_vector<bool>(), ElementsAre(false, false, false));
}

TEST_F(Elementwise, ArithmeticTakesTemporariesAndNumbersOnBothSides) {
  const Array a = array({1.0, 2.0, 4.0});
  EXPECT_THAT((2 * (a + 1) - a / 2.0).to_vector<double>(), ElementsAre(3.5, 5, 8));
  EXPECT_THAT((8 / a).to_vector<double>(), ElementsAre(8, 4, 2));
  EXPECT_THAT((-a).to_vector<double>(), ElementsAre(-1, -2, -4));
  EXPECT_THAT((1 < a).to_vector<bool>(), ElementsAre(false, true, true));
  EXPECT_THAT((a != 2).to_vector<bool>(), ElementsAre(true, false, true));
  EXPECT_THAT((a >= a).to_vector<bool>(), ElementsAre(true, true, true));
}

TEST_F(Elementwise, IntegersDivideToFloat64) {
  const Array a = array({1, 2});
  EXPECT_EQ((a / 2).dtype(), float64);
  EXPECT_THAT((a / 2).to_vector<double>(), ElementsAre(0.5, 1));
  EXPECT_EQ((zeros(1, bool_) / ones(1, bool_)).dtype(), float64);
  EXPECT_EQ((zeros(1, float32) / 2).dtype(), float32);
}

TEST_F(Elementwise, BoolsAddAsOrAndMultiplyAsAnd) {
  const Array a = array({true, true, false});
  const Array b = array({true, false, false});
  EXPECT_THAT((a + b).to_vector<bool>(), ElementsAre(true, true, false));
  EXPECT_THAT((a * b).to_vector<bool>(), ElementsAre(true, false, false));
  EXPECT_THAT(minimum(a, b).to_vector<bool>(), ElementsAre(true, false, false));
  EXPECT_THAT(maximum(a, b).to_vector<bool>(), ElementsAre(true, true, false));
  EXPECT_THAT(abs(a).to_vector<bool>(), ElementsAre(true, true, false));
  expect_refused<DTypeError>(recorder, [&] { a - b; }, {"[subtract]", "bool", "!="});
  expect_refused<DTypeError>(recorder, [&] { -a; }, {"[negative]", "bool"});
  EXPECT_EQ((a - 1).dtype(), int64);
}

TEST_F(Elementwise, IntegersWrap) {
  const Array a = array({INT32_MAX, INT32_MIN});
  EXPECT_THAT((a + 1).to_vector<std::int32_t>(), ElementsAre(INT32_MIN, INT32_MIN + 1));
  EXPECT_THAT((-a).to_vector<std::int32_t>(), ElementsAre(-INT32_MAX, INT32_MIN));
}

TEST_F(Elementwise, WhereSelects) {
  const Array a = array({-1.5, 0.0, 2.0});
  EXPECT_THAT(where(a > 0, a, 0).to_vector<double>(), ElementsAre(0, 0, 2));
  EXPECT_THAT(where(a, 1, 2).to_vector<std::int64_t>(), ElementsAre(1, 2, 1));
  EXPECT_THAT(where(array({{true}, {false}}), a, -a).shape(), (Shape{2, 3}));
  EXPECT_EQ(where(a > 0, zeros(3, float32), 1.0).dtype(), float32);
  EXPECT_THAT(where(true, array({1, 2}), 0).to_vector<std::int32_t>(), ElementsAre(1, 2));
}

TEST_F(Elementwise, FunctionsOfIntegersAreFloat64) {
  const Array a = array({1, 4});
  EXPECT_THAT(sqrt(a).to_vector<double>(), ElementsAre(1, 2));
  EXPECT_THAT(log(array({true})).to_vector<double>(), ElementsAre(0));
  EXPECT_EQ(exp(zeros(1, float32)).dtype(), float32);
  EXPECT_TRUE(std::isnan(sqrt(array(-1.0)).item<double>()));
  EXPECT_EQ(sqrt(16).item<double>(), 4);
}

TEST_F(Elementwise, MinimumAndMaximumPassNan) {
  const Array a = array({1.0, kNan, 3.0});
  const Array b = array({2.0, 2.0, kNan});
  EXPECT_THAT(minimum(a, b).to_vector<double>(), ElementsAre(1, testing::IsNan(), testing::IsNan()));
  EXPECT_THAT(maximum(a, b).to_vector<double>(), ElementsAre(2, testing::IsNan(), testing::IsNan()));
}

TEST_F(Elementwise, PowerFollowsItsOperands) {
  EXPECT_THAT(power(array({2, 3}), 3).to_vector<std::int32_t>(), ElementsAre(8, 27));
  EXPECT_THAT(power(array({2, 3}), 2).to_vector<std::int32_t>(), ElementsAre(4, 9));
  EXPECT_THAT(power(array({2, 4}), 0.5).to_vector<double>(), ElementsAre(std::sqrt(2.0), 2));
  EXPECT_THAT(power(array({2.0, 4.0}), -1).to_vector<double>(), ElementsAre(0.5, 0.25));
  EXPECT_THAT(power(2, array({2, 4})).to_vector<std::int32_t>(), ElementsAre(4, 16));
  EXPECT_EQ(power(array({true}), array({true})).dtype(), int8);
  EXPECT_EQ(power(array({2, 4}), 2.0).dtype(), float64);
  EXPECT_EQ(power(array({true}), 2).dtype(), int64);
  expect_refused<ValueError>(recorder, [a = array({2})] { power(a, -1); }, {"[power]", "-1", "-1.0"});
}

// As NumPy since 2.3: a number as an exponent stands for the square root, 1 / x, x and x * x.
TEST_F(Elementwise, PowersOfNumbersThatAreOperations) {
  const Array a = array({-kInfinity, -0.0, 2.0, 5e-324});
  const std::vector<double> roots = power(a, 0.5).to_vector<double>();
  EXPECT_TRUE(std::isnan(roots[0]));
  EXPECT_TRUE(std::signbit(roots[1]) && roots[1] == 0) << "the square root of -0.0 is -0.0";
  EXPECT_EQ(roots[2], std::sqrt(2.0));
  EXPECT_EQ(recorder.recorded().back().op, kernel::Op::Sqrt);
  EXPECT_THAT(power(a, -1).to_vector<double>(), ElementsAre(-0.0, -kInfinity, 0.5, kInfinity));
  EXPECT_EQ(recorder.recorded().back().op, kernel::Op::Divide) << "rounded correctly";
  EXPECT_THAT(power(a, 1).to_vector<double>(), ElementsAre(-kInfinity, -0.0, 2, 5e-324));
  EXPECT_EQ(recorder.recorded().back().op, kernel::Op::Cast);
  EXPECT_THAT(power(array({49.0f, -0.0f}), 0.5).to_vector<float>(), ElementsAre(7, -0.0f));
  EXPECT_THAT(power(array({4, 9}), 0.5).to_vector<double>(), ElementsAre(2, 3));
  EXPECT_THAT(power(array({4, 5}), -1.0).to_vector<double>(), ElementsAre(0.25, 0.2));
  EXPECT_EQ(power(array({4, 5}), 1).dtype(), int32);
  EXPECT_EQ(power(array({true}), 1).dtype(), int64);
  EXPECT_EQ(power(-kInfinity, full({}, 0.5)).item<double>(), kInfinity) << "an array as an exponent: a power";
}

TEST_F(Elementwise, NothingToANegativePowerIsNothing) {
  const Array none = power(zeros({0, 3}, int32), -2);
  EXPECT_EQ(none.shape(), (Shape{0, 3}));
  EXPECT_EQ(none.dtype(), int32);
  EXPECT_EQ(power(zeros(0, bool_), -1).dtype(), int64);
  expect_refused<ValueError>(recorder, [] { power(2, -1); }, {"[power]", "negative power -1"});
}

TEST_F(Elementwise, ShapesThatDoNotBroadcastAreRefused) {
  const Array a = zeros({3, 4});
  const Array b = zeros(5);
  const std::string text = "[add] shapes (3, 4) and (5,) do not broadcast: axis 1 has 4 and 5. Reshape one of them";
  expect_refused<ShapeError>(recorder, [&] { a + b; }, {text});
  expect_refused<ShapeError>(recorder, [&] { b* a; }, {"shapes (5,) and (3, 4)", "axis 1 has 5 and 4"});
  expect_refused<ShapeError>(recorder, [&] { a(all) = b; }, {"[a(…) =]", "(5,)", "(3, 4)"});
  expect_refused<ShapeError>(recorder, [&] { where(a, b, 1); }, {"[where]", "(3, 4)", "(5,)"});
}

TEST_F(Elementwise, LinesAreThoseOfTheCall) {
  const Array a = ones(2);
  a + 1;
  const unsigned add_line = __LINE__ - 1;
  EXPECT_EQ(recorder.recorded().back().where.line(), add_line);
  2.0 * a;
  const unsigned multiply_line = __LINE__ - 1;
  EXPECT_EQ(recorder.recorded().back().where.line(), multiply_line);
  a(0) = 3;
  const unsigned assign_line = __LINE__ - 1;
  EXPECT_EQ(recorder.recorded().back().where.line(), assign_line);
  EXPECT_EQ(recorder.recorded().back().name, "a(…) =");
}

// It was refused: -1, which none of them has, does not fit.
TEST_F(Elementwise, SignOfIntegersWithoutASignIsZeroOrOne) {
  for (const DType dtype : {uint8, uint16, uint32, uint64}) {
    const Array a = sign(array({0, 1, 200}).astype(dtype));
    EXPECT_EQ(a.dtype(), dtype);
    EXPECT_EQ(a.astype(int64).to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 1}));
  }
}

}  // namespace
}  // namespace pilum::numeric
