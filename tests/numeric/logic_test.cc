// % & | ^ ~ ! and what goes with them: the values are NumPy 2.4's.
#include <cmath>

#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using testing::IsNan;
using Logic = NumericTest;
using Remainder = NumericTest;

constexpr std::int64_t kLeast = INT64_MIN;

TEST_F(Logic, BoolsAreTrueAndFalse) {
  const Array a = array({false, false, true, true}), b = array({false, true, false, true});
  EXPECT_THAT((a & b).to_vector<bool>(), ElementsAre(false, false, false, true));
  EXPECT_THAT((a | b).to_vector<bool>(), ElementsAre(false, true, true, true));
  EXPECT_THAT((a ^ b).to_vector<bool>(), ElementsAre(false, true, true, false));
  EXPECT_THAT((~a).to_vector<bool>(), ElementsAre(true, true, false, false));
  EXPECT_THAT((!a).to_vector<bool>(), ElementsAre(true, true, false, false));
  EXPECT_THAT((a & true).to_vector<bool>(), ElementsAre(false, false, true, true));
}

TEST_F(Logic, IntegersGoBitByBit) {
  const Array a = array({12, -1, INT32_MIN, 0}), b = array({10, 7, -1, 5});
  EXPECT_THAT((a & b).to_vector<std::int32_t>(), ElementsAre(8, 7, INT32_MIN, 0));
  EXPECT_THAT((a | b).to_vector<std::int32_t>(), ElementsAre(14, -1, -1, 5));
  EXPECT_THAT((a ^ b).to_vector<std::int32_t>(), ElementsAre(6, -8, INT32_MAX, 5));
  EXPECT_THAT((~a).to_vector<std::int32_t>(), ElementsAre(-13, 0, INT32_MAX, -1));
  EXPECT_THAT((!a).to_vector<bool>(), ElementsAre(false, false, false, true));
  EXPECT_THAT((6L ^ array({3L, kLeast})).to_vector<std::int64_t>(), ElementsAre(5, kLeast + 6));
}

TEST_F(Logic, DtypesAreNumPys) {
  EXPECT_EQ((zeros(1, int32) & 1).dtype(), int32);
  EXPECT_EQ((zeros(1, bool_) & 1).dtype(), int64);
  EXPECT_EQ((zeros(1, bool_) | zeros(1, int32)).dtype(), int32);
  EXPECT_EQ((zeros(1, int32) ^ zeros(1, int64)).dtype(), int64);
  EXPECT_EQ((~zeros(1, int32)).dtype(), int32);
  EXPECT_EQ((!zeros(1, float32)).dtype(), bool_);
  EXPECT_EQ((zeros(1, int32) % 2).dtype(), int32);
  EXPECT_EQ((zeros(1, int32) % 2.0).dtype(), float64);
  EXPECT_EQ((zeros(1, float32) % 2.0).dtype(), float32);
  EXPECT_EQ((zeros(1, bool_) % zeros(1, bool_)).dtype(), int8);
  EXPECT_EQ((+zeros(1, float32)).dtype(), float32);
}

TEST_F(Logic, FloatsHaveNoBits) {
  const Array a = ones(2), b = ones(2, bool_), three = ones(3, bool_), narrow = zeros(2, int32);
  expect_refused<DTypeError>(recorder, [&] { a & b; }, {"[bitwise_and]", "float64", "(a > 0) & (b < 1)"});
  expect_refused<DTypeError>(recorder, [&] { b | 0.5; }, {"[bitwise_or]", "float64"});
  expect_refused<DTypeError>(recorder, [&] { a ^ 2; }, {"[bitwise_xor]", "np::power(a, b)"});
  expect_refused<DTypeError>(recorder, [&] { ~a; }, {"[invert]", "~(a > 0)"});
  expect_refused<DTypeError>(recorder, [&] { +b; }, {"[positive]", "astype"});
  expect_refused<ShapeError>(recorder, [&] { b & three; }, {"[bitwise_and]", "(2,)", "(3,)"});
  expect_refused<ValueError>(recorder, [&] { narrow & (1L << 40); }, {"[bitwise_and]", "int32"});
}

TEST_F(Logic, FunctionsTakeWhatIsNotZeroForTrue) {
  const Array a = array({0.0, -0.0, kNan, 2.0}), b = array({1, 1, 1, 0});
  EXPECT_THAT(logical_and(a, b).to_vector<bool>(), ElementsAre(false, false, true, false));
  EXPECT_THAT(logical_or(a, b).to_vector<bool>(), ElementsAre(true, true, true, true));
  EXPECT_THAT(logical_xor(a, b).to_vector<bool>(), ElementsAre(true, true, false, true));
  EXPECT_THAT(logical_not(a).to_vector<bool>(), ElementsAre(true, true, false, false));
  EXPECT_THAT(logical_and(a, 0.5).to_vector<bool>(), ElementsAre(false, false, true, true));
  EXPECT_THAT(invert(bitwise_or(bitwise_and(b, 1), bitwise_xor(b, 3))).to_vector<std::int32_t>(),
              ElementsAre(-4, -4, -4, -4));
}

TEST_F(Logic, InPlace) {
  Array flags = array({true, true, false});
  flags &= array({true, false, true});
  EXPECT_THAT(flags.to_vector<bool>(), ElementsAre(true, false, false));
  flags |= array({false, false, true});
  EXPECT_THAT(flags.to_vector<bool>(), ElementsAre(true, false, true));
  flags ^= true;
  EXPECT_THAT(flags.to_vector<bool>(), ElementsAre(false, true, false));
  Array counts = array({5, -5, 7});
  counts(slice(2)) %= 3;
  EXPECT_THAT(counts.to_vector<std::int32_t>(), ElementsAre(2, 1, 7));
  counts &= 6;
  EXPECT_THAT(counts.to_vector<std::int32_t>(), ElementsAre(2, 0, 6));
  expect_refused<DTypeError>(recorder, [&] { counts %= 0.5; }, {"[%=]", "float64", "int32"});
  expect_refused<DTypeError>(recorder, [&] { flags |= 2; }, {"[|=]", "int64", "bool"});
  expect_refused<DTypeError>(recorder, [&] { flags %= flags; }, {"[%=]", "int8", "bool"});
}

TEST_F(Remainder, HasTheDivisorsSign) {
  const Array a = array({7, -7, 7, -7, 6, -6, 0}), b = array({3, 3, -3, -3, 3, -3, 5});
  EXPECT_THAT((a % b).to_vector<std::int32_t>(), ElementsAre(1, 2, -2, -1, 0, 0, 0));
  EXPECT_THAT((a.astype(float64) % b).to_vector<double>(), ElementsAre(1, 2, -2, -1, 0, 0, 0));
  EXPECT_THAT((-7 % b).to_vector<std::int32_t>(), ElementsAre(2, 2, -1, -1, 2, -1, 3));
}

TEST_F(Remainder, OfIntegersByZeroIsZeroAndNothingTraps) {
  const Array a = array({5L, -5L, 0L, kLeast, kLeast, kLeast, INT64_MAX}), b = array({0L, 0L, 0L, -1L, 0L, 3L, kLeast});
  EXPECT_THAT((a % b).to_vector<std::int64_t>(), ElementsAre(0, 0, 0, 0, 0, 1, -1));
  EXPECT_THAT((array({INT32_MIN, INT32_MIN, 1}) % array({-1, 0, INT32_MIN})).to_vector<std::int32_t>(),
              ElementsAre(0, 0, INT32_MIN + 1));
  EXPECT_THAT((array({true, true, false}) % array({true, false, true})).to_vector<std::int64_t>(),
              ElementsAre(0, 0, 0));
}

TEST_F(Remainder, OfFloatsIsIeees) {
  const Array a = array({5.0, -5.0, 5.0, -5.0, kInfinity, 1.0, 0.0, kNan, 1.0, -1e-20, 5.5, -0.0});
  const Array b = array({kInfinity, kInfinity, -kInfinity, -kInfinity, 2.0, 0.0, 0.0, 1.0, kNan, 1.0, -2.0, 3.0});
  EXPECT_THAT((a % b).to_vector<double>(),
              ElementsAre(5, kInfinity, -kInfinity, -5, IsNan(), IsNan(), IsNan(), IsNan(), IsNan(), 1, -0.5, 0));
}

TEST_F(Remainder, AZeroHasTheDivisorsSign) {
  const Array a = array({4.0, -4.0, 4.0, -4.0, -0.0, 0.0}), b = array({2.0, 2.0, -2.0, -2.0, 2.0, -2.0});
  const std::vector<double> zeros = (a % b).to_vector<double>();
  const bool negative[] = {false, false, true, true, false, true};
  for (std::size_t k = 0; k < zeros.size(); ++k) {
    EXPECT_EQ(zeros[k], 0) << k;
    EXPECT_EQ(std::signbit(zeros[k]), negative[k]) << k;
  }
}

// The digits are Python's.
TEST_F(Remainder, IsExactWhereTheQuotientIsHuge) {
  EXPECT_EQ((array({1e300}) % 7.0).item<double>(), 1.0);
  EXPECT_EQ((array({-1e300}) % 7.0).item<double>(), 6.0);
  EXPECT_EQ((array({1e300}) % 1.7e-300).item<double>(), 2.3269290877196776e-301);
}

}  // namespace
}  // namespace pilum::numeric
