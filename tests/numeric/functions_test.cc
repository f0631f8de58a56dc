// NumPy's universal functions: dtypes, edges and what is refused. The values are NumPy 2.4's.
#include <cmath>
#include <limits>

#include "pilum/functions.h"
#include "pilum/scan.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsNan;
using Functions = NumericTest;

constexpr double kTiny = std::numeric_limits<double>::denorm_min();

// -0.0 and 0.0 are told apart.
std::vector<bool> signs(const Array& a) {
  return signbit(a).to_vector<bool>();
}

TEST_F(Functions, BoolsAndBytesGoToFloat16ButForSciPys) {
  for (const DType dtype : {bool_, DType::Int8, DType::UInt8}) {
    const Array a = ones(1, dtype);
    for (const Array& one :
         {sin(a), rint(a), fabs(a), hypot(a, a), degrees(a), frexp(a).first, ldexp(a, 2), modf(a).second})
      EXPECT_EQ(one.dtype(), float16) << name(dtype);
    for (const Array& one : {gamma(a), erf(a), erfc(a), lgamma(a), float_power(a, 2), sinc(a)})
      EXPECT_EQ(one.dtype(), float64) << name(dtype);
  }
  EXPECT_EQ(hypot(ones(1, bool_), 1).dtype(), float64);  // the number makes them int64
  EXPECT_EQ(hypot(ones(1, DType::Int8), 1).dtype(), float16);
}

TEST_F(Functions, IntegersGoToFloat64) {
  for (const DType dtype : {int32, int64}) {
    for (const Array& a : {sin(ones(1, dtype)), exp2(ones(1, dtype)), rint(ones(1, dtype)), fabs(ones(1, dtype)),
                           hypot(ones(1, dtype), 1), copysign(1, ones(1, dtype)), degrees(ones(1, dtype)),
                           heaviside(ones(1, dtype), 0), gamma(ones(1, dtype)), frexp(ones(1, dtype)).first,
                           ldexp(ones(1, dtype), 2), modf(ones(1, dtype)).second, float_power(ones(1, dtype), 2)})
      EXPECT_EQ(a.dtype(), float64) << name(dtype);
  }
  for (const DType dtype : {bool_, int32, int64}) {
    for (const Array& a : {floor(ones(1, dtype)), ceil(ones(1, dtype)), trunc(ones(1, dtype)),
                           fmin(ones(1, dtype), true), nan_to_num(ones(1, dtype))})
      EXPECT_EQ(a.dtype(), dtype) << name(dtype);
  }
  EXPECT_EQ(floor_divide(true, true).dtype(), int8);
  EXPECT_EQ(fmod(true, true).dtype(), int8);
  EXPECT_EQ((array({true}) << array({true})).dtype(), int8);
  EXPECT_EQ(gcd(true, 4).dtype(), int64);
  EXPECT_EQ(reciprocal(array({true})).dtype(), int8);
}

TEST_F(Functions, Float32StaysFloat32) {
  const Array a = ones(1, float32);
  for (const Array& b : {sin(a),
                         log1p(a),
                         erf(a),
                         lgamma(a),
                         hypot(a, 1),
                         arctan2(1.0, a),
                         logaddexp(a, 2.5),
                         floor(a),
                         round(a, 2),
                         radians(a),
                         copysign(a, -1),
                         nextafter(a, 2),
                         ldexp(a, 3),
                         frexp(a).first,
                         modf(a).first,
                         floor_divide(a, 2),
                         reciprocal(a),
                         nan_to_num(a),
                         sinc(a),
                         fmin(a, 0.5)})
    EXPECT_EQ(b.dtype(), float32);
  EXPECT_EQ(float_power(a, a).dtype(), float64);
  EXPECT_EQ(frexp(a).second.dtype(), int32);
  EXPECT_EQ(signbit(a).dtype(), bool_);
}

TEST_F(Functions, DivisionsRoundDown) {
  const Array a = array({7, -7, 7, -7, 5, INT32_MIN}), b = array({2, 2, -2, -2, 0, -1});
  EXPECT_THAT(floor_divide(a, b).to_vector<std::int32_t>(), ElementsAre(3, -4, -4, 3, 0, INT32_MIN));
  EXPECT_THAT(fmod(a, b).to_vector<std::int32_t>(), ElementsAre(1, -1, 1, -1, 0, 0));
  const auto [quotient, rest] = divmod(a, 4);
  EXPECT_THAT(quotient.to_vector<std::int32_t>(), ElementsAre(1, -2, 1, -2, 1, INT32_MIN / 4));
  EXPECT_THAT(rest.to_vector<std::int32_t>(), ElementsAre(3, 1, 3, 1, 1, 0));
  const Array x = array({7.5, -7.5, 1.0, -1.0, 0.0, -0.0, kInfinity, 1.0});
  const Array y = array({2.0, 2.0, 0.0, 0.0, 0.0, 3.0, 2.0, -kInfinity});
  EXPECT_THAT(floor_divide(x, y).to_vector<double>(),
              ElementsAre(3, -4, kInfinity, -kInfinity, IsNan(), -0.0, IsNan(), -1));
  EXPECT_TRUE(signs(floor_divide(x, y))[5]);
  EXPECT_THAT(fmod(x, y).to_vector<double>(), ElementsAre(1.5, -1.5, IsNan(), IsNan(), IsNan(), 0, IsNan(), 1));
}

TEST_F(Functions, ReciprocalsOfIntegersAreWhole) {
  EXPECT_THAT(reciprocal(array({1, -1, 2, -2, 0, INT32_MIN})).to_vector<std::int32_t>(),
              ElementsAre(1, -1, 0, 0, 0, 0));
  EXPECT_THAT(reciprocal(array({4.0, -0.0})).to_vector<double>(), ElementsAre(0.25, -kInfinity));
}

TEST_F(Functions, CommonDivisorsAndMultiples) {
  const Array a = array({12, -18, 0, 0, INT32_MIN}), b = array({18, 12, 5, 0, 6});
  EXPECT_THAT(gcd(a, b).to_vector<std::int32_t>(), ElementsAre(6, 6, 5, 0, 2));
  EXPECT_THAT(lcm(array({4, -6, 0, 21}), array({6, 4, 3, 6})).to_vector<std::int32_t>(), ElementsAre(12, 12, 0, 42));
}

TEST_F(Functions, ShiftsBeyondTheWidthLeaveNothing) {
  const Array a = array({5, -5, 1, -1, 1, -8}), n = array({1, 1, 32, 32, -1, 40});
  EXPECT_THAT((a << n).to_vector<std::int32_t>(), ElementsAre(10, -10, 0, 0, 0, 0));
  EXPECT_THAT((a >> n).to_vector<std::int32_t>(), ElementsAre(2, -3, 0, -1, 0, -1));
  EXPECT_THAT((1L << array({62L, 63L, 64L})).to_vector<std::int64_t>(), ElementsAre(1L << 62, INT64_MIN, 0));
  EXPECT_THAT(left_shift(array({3}), 2).to_vector<std::int32_t>(), ElementsAre(12));
  EXPECT_THAT(right_shift(array({true, false}), array({false, true})).to_vector<std::int64_t>(), ElementsAre(1, 0));
  Array in_place = array({1, 2, 3});
  in_place <<= 2;
  in_place >>= 1;
  EXPECT_THAT(in_place.to_vector<std::int32_t>(), ElementsAre(2, 4, 6));
}

TEST_F(Functions, BitsAndDivisorsOfFloatsAreRefused) {
  const Array a = ones(2);
  expect_refused<DTypeError>(recorder, [&] { a << 1; }, {"[left_shift]", "float64", "np::ldexp(a, n)"});
  expect_refused<DTypeError>(recorder, [&] { 1 >> a; }, {"[right_shift]", "float64", "astype"});
  expect_refused<DTypeError>(recorder, [&] { gcd(a, 2); }, {"[gcd]", "integers", "float64", "astype"});
  expect_refused<DTypeError>(recorder, [&] { lcm(2, 0.5); }, {"[lcm]", "float64"});
  // Of no cells, though there is no result either.
  expect_refused<ValueError>(recorder, [&] { reduce(lcm, zeros({0, 0, 4}, int64), 0); }, {"[reduce]", "(0, 0, 4)"});
  expect_refused<DTypeError>(recorder, [&] { ldexp(a, 2.0); }, {"[ldexp]", "float64", "np::exp2"});
  const Array narrow = zeros(2, int32), three = ones(3);
  Array bools = ones(2, bool_);
  expect_refused<DTypeError>(recorder, [&] { bools <<= 1; }, {"[<<=]", "int64", "bool"});
  expect_refused<ValueError>(recorder, [&] { narrow << (1L << 40); }, {"[left_shift]", "1099511627776", "int32"});
  expect_refused<ShapeError>(recorder, [&] { hypot(a, three); }, {"[hypot]", "(2,)", "(3,)"});
  expect_refused<ShapeError>(recorder, [&] { divmod(a, three); }, {"[divmod]", "(2,)", "(3,)"});
}

TEST_F(Functions, RoundingKeepsTheSignOfZero) {
  const Array a = array({-1.5, -0.5, -0.2, -0.0, 0.5, 1.5, 2.5, 0x1p60, kInfinity, kNan});
  EXPECT_THAT(floor(a).to_vector<double>(), ElementsAre(-2, -1, -1, 0, 0, 1, 2, 0x1p60, kInfinity, IsNan()));
  EXPECT_THAT(ceil(a).to_vector<double>(), ElementsAre(-1, 0, 0, 0, 1, 2, 3, 0x1p60, kInfinity, IsNan()));
  EXPECT_THAT(trunc(a).to_vector<double>(), ElementsAre(-1, 0, 0, 0, 0, 1, 2, 0x1p60, kInfinity, IsNan()));
  EXPECT_THAT(rint(a).to_vector<double>(), ElementsAre(-2, 0, 0, 0, 0, 2, 2, 0x1p60, kInfinity, IsNan()));
  EXPECT_THAT(signs(ceil(a(slice(0, 5)))), ElementsAre(true, true, true, true, false));
  EXPECT_THAT(signs(rint(a(slice(0, 5)))), ElementsAre(true, true, true, true, false));
  EXPECT_THAT(fix(array({-1.7, 1.7})).to_vector<double>(), ElementsAre(-1, 1));
}

TEST_F(Functions, RoundTakesDecimals) {
  EXPECT_THAT(round(array({1.25, 1.35, -2.675, 0.5})).to_vector<double>(), ElementsAre(1, 1, -3, 0));
  EXPECT_THAT(round(array({1.25, 1.35, -2.675}), 1).to_vector<double>(), ElementsAre(1.2, 1.4, -2.7));
  EXPECT_THAT(around(array({1234.5, 1250.0, 1350.0}), -2).to_vector<double>(), ElementsAre(1200, 1200, 1400));
  EXPECT_THAT(round(array({15, 25, -15, 14}), -1).to_vector<std::int32_t>(), ElementsAre(20, 20, -20, 10));
  EXPECT_THAT(round(array({15, 25}), 2).to_vector<std::int32_t>(), ElementsAre(15, 25));
}

TEST_F(Functions, FloatsAreTakenApart) {
  const auto [mantissa, exponent] = frexp(array({8.0, -0.75, 0.0, kTiny, kInfinity, kNan}));
  EXPECT_THAT(mantissa.to_vector<double>(), ElementsAre(0.5, -0.75, 0, 0.5, kInfinity, IsNan()));
  EXPECT_THAT(exponent.to_vector<std::int32_t>(), ElementsAre(4, 0, 0, -1073, 0, 0));
  EXPECT_THAT(ldexp(mantissa, exponent).to_vector<double>(), ElementsAre(8, -0.75, 0, kTiny, kInfinity, IsNan()));
  EXPECT_THAT(ldexp(array({1.0, 3.0, 1.0, 1.0}), array({-1074L, -1075L, 5000L, INT64_MIN})).to_vector<double>(),
              ElementsAre(kTiny, 2 * kTiny, kInfinity, 0))
      << "rounded once, halves to the even one";
  const auto [part, whole] = modf(array({2.5, -2.5, -0.0, -kInfinity, kNan}));
  EXPECT_THAT(part.to_vector<double>(), ElementsAre(0.5, -0.5, 0, 0, IsNan()));
  EXPECT_THAT(whole.to_vector<double>(), ElementsAre(2, -2, 0, -kInfinity, IsNan()));
  EXPECT_THAT(signs(part(slice(0, 4))), ElementsAre(false, true, true, true));
  EXPECT_THAT(
      nextafter(array({0.0, 1.0, -0.0, kInfinity, 1.0}), array({-1.0, 2.0, 0.0, 0.0, kNan})).to_vector<double>(),
      ElementsAre(-kTiny, 1 + 0x1p-52, 0, std::numeric_limits<double>::max(), IsNan()));
  EXPECT_THAT(copysign(array({1.0, -2.0, kInfinity}), array({-0.0, 3.0, -1.0})).to_vector<double>(),
              ElementsAre(-1, 2, -kInfinity));
  EXPECT_THAT(signs(array({-0.0, 0.0, -1.0, kInfinity, -kNan})), ElementsAre(true, false, true, false, true));
  EXPECT_THAT(signs(array({-1, 0, 1})), ElementsAre(true, false, false));
}

TEST_F(Functions, InfinitiesAndNansAreReplaced) {
  const Array a = array({kNan, kInfinity, -kInfinity, 1.5});
  constexpr double kMax = std::numeric_limits<double>::max();
  EXPECT_THAT(nan_to_num(a).to_vector<double>(), ElementsAre(0, kMax, -kMax, 1.5));
  EXPECT_THAT(nan_to_num(a, -1, 7.0, -7.0).to_vector<double>(), ElementsAre(-1, 7, -7, 1.5));
  EXPECT_EQ(nan_to_num(array({-INFINITY})).item<float>(), std::numeric_limits<float>::lowest());
  EXPECT_THAT(isposinf(a).to_vector<bool>(), ElementsAre(false, true, false, false));
  EXPECT_THAT(isneginf(a).to_vector<bool>(), ElementsAre(false, false, true, false));
  EXPECT_THAT(isneginf(array({1, 2})).to_vector<bool>(), ElementsAre(false, false));
}

TEST_F(Functions, FminAndFmaxPassByNan) {
  const Array a = array({1.0, kNan, 3.0, kNan}), b = array({2.0, 2.0, kNan, kNan});
  EXPECT_THAT(fmin(a, b).to_vector<double>(), ElementsAre(1, 2, 3, IsNan()));
  EXPECT_THAT(fmax(a, b).to_vector<double>(), ElementsAre(2, 2, 3, IsNan()));
  EXPECT_THAT(fmax(array({1, 5}), 3).to_vector<std::int32_t>(), ElementsAre(3, 5));
  EXPECT_THAT(heaviside(array({-1.5, 0.0, 2.0, kNan}), 0.5).to_vector<double>(), ElementsAre(0, 0.5, 1, IsNan()));
}

TEST_F(Functions, FloatPowersAreFloat64) {
  EXPECT_THAT(float_power(array({2, 3}), -1).to_vector<double>(), ElementsAre(0.5, DoubleEq(1.0 / 3)));
  EXPECT_THAT(float_power(array({4.0f}), 0.5).to_vector<double>(), ElementsAre(2));
}

TEST_F(Functions, ElementaryFunctionsHaveTheirValues) {
  const auto of_one = [](Array (*function)(const Operand&), double x) { return function(x).item<double>(); };
  EXPECT_THAT(of_one(sin, 0.5), DoubleEq(0.479425538604203));
  EXPECT_THAT(of_one(cos, 0.5), DoubleEq(0.8775825618903728));
  EXPECT_THAT(of_one(tan, 0.5), DoubleEq(0.5463024898437905));
  EXPECT_THAT(of_one(arcsin, 0.5), DoubleEq(0.5235987755982989));
  EXPECT_THAT(of_one(arccos, 0.5), DoubleEq(1.0471975511965979));
  EXPECT_THAT(of_one(arctan, 0.5), DoubleEq(0.4636476090008061));
  EXPECT_THAT(of_one(sinh, 0.5), DoubleEq(0.5210953054937474));
  EXPECT_THAT(of_one(cosh, 0.5), DoubleEq(1.1276259652063807));
  EXPECT_THAT(of_one(tanh, 0.5), DoubleEq(0.46211715726000973));
  EXPECT_THAT(of_one(arcsinh, 0.5), DoubleEq(0.48121182505960347));
  EXPECT_THAT(of_one(arccosh, 1.5), DoubleEq(0.9624236501192069));
  EXPECT_THAT(of_one(arctanh, 0.5), DoubleEq(0.5493061443340549));
  EXPECT_THAT(of_one(exp2, 0.5), DoubleEq(1.4142135623730951));
  EXPECT_THAT(of_one(expm1, 0.5), DoubleEq(0.6487212707001282));
  EXPECT_THAT(of_one(log2, 0.5), DoubleEq(-1));
  EXPECT_THAT(of_one(log10, 0.5), DoubleEq(-0.3010299956639812));
  EXPECT_THAT(of_one(log1p, 0.5), DoubleEq(0.4054651081081644));
  EXPECT_THAT(of_one(cbrt, -27), DoubleEq(-3));
  EXPECT_THAT(of_one(sinc, 0.5), DoubleEq(0.6366197723675814));
  EXPECT_THAT(of_one(erf, 0.5), DoubleEq(0.5204998778130465));
  EXPECT_THAT(of_one(erfc, 0.5), DoubleEq(0.4795001221869535));
  EXPECT_THAT(of_one(gamma, 5), DoubleEq(24));
  EXPECT_THAT(of_one(lgamma, 0.5), DoubleEq(0.5723649429247001));
  EXPECT_THAT(of_one(degrees, M_PI), DoubleEq(180));
  EXPECT_THAT(of_one(radians, 180), DoubleEq(M_PI));
  EXPECT_THAT(hypot(3, 4).item<double>(), DoubleEq(5));
  EXPECT_THAT(arctan2(-1, -1.0).item<double>(), DoubleEq(-2.356194490192345));
  EXPECT_THAT(logaddexp(0, 0).item<double>(), DoubleEq(0.6931471805599453));
  EXPECT_THAT(logaddexp2(3, 3).item<double>(), DoubleEq(4));
}

TEST_F(Functions, LinesAreThoseOfTheCall) {
  const Array a = ones(2);
  round(a, 2);
  const unsigned line = __LINE__ - 1;
  EXPECT_GT(recorder.recorded().size(), 2u);
  for (std::size_t k = 1; k < recorder.recorded().size(); ++k) EXPECT_EQ(recorder.recorded()[k].where.line(), line);
}

}  // namespace
}  // namespace pilum::numeric
