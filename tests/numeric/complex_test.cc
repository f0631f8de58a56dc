// Complex numbers as NumPy has them: dtypes, numbers, casts, printing; and who does not take them.
#include <algorithm>
#include <complex>
#include <span>
#include <sstream>

#include "pilum/convolve.h"
#include "pilum/fold_options.h"
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/random.h"
#include "pilum/scan.h"
#include "pilum/selection.h"
#include "pilum/sort.h"
#include "pilum/statistics.h"
#include "runtime/base/dtype_visit.h"
#include "tests/numeric/numeric_test.h"
#include "tests/numeric/numpy_oracle.h"

namespace pilum::numeric {
namespace {

using Complex = std::complex<double>;
using Narrow = std::complex<float>;
using ComplexTest = NumericTest;

TEST_F(ComplexTest, AreMadeOfListsAndNumbers) {
  const Array a = array({Complex(1, 2), Complex(3, -4)});
  EXPECT_EQ(a.dtype(), complex128);
  EXPECT_EQ(a.to_vector<Complex>(), (std::vector<Complex>{{1, 2}, {3, -4}}));
  EXPECT_EQ(array({Narrow(1, 2)}).dtype(), complex64);
  EXPECT_EQ(array({{1, 2.5}, {Complex(0, 1), 3}}).to_vector<Complex>(), (std::vector<Complex>{1, 2.5, {0, 1}, 3}));
  EXPECT_EQ(array({1, 2}, complex64).to_vector<Narrow>(), (std::vector<Narrow>{1, 2}));
  EXPECT_EQ(array(std::vector<std::vector<Narrow>>{{{1, 1}}, {{2, 2}}}).shape(), (Shape{2, 1}));
  EXPECT_EQ(full({2}, Complex(1, 2)).to_vector<Complex>(), (std::vector<Complex>{{1, 2}, {1, 2}}));
  EXPECT_EQ(full({1}, Complex(1, 2), complex64).item<Narrow>(), Narrow(1, 2));
  EXPECT_EQ(ones({1}, complex64).item<Narrow>(), Narrow(1));
  EXPECT_EQ(zeros({1}, complex128).item<Complex>(), Complex(0));
  EXPECT_EQ(array(Complex(2, 3)).item<Complex>(), Complex(2, 3));
  expect_refused<DTypeError>(recorder, [] { array({Complex(1, 2)}, float64); }, {"[array]", "complex128"});
  expect_refused<DTypeError>(recorder, [] { full({2}, Complex(1, 2), int32); }, {"[full]", "(1+2j)", "int32"});
}

TEST_F(ComplexTest, NumbersAreWeak) {
  EXPECT_EQ((zeros({1}, float32) + Complex(0, 1)).dtype(), complex64);
  EXPECT_EQ((zeros({1}) + Complex(0, 1)).dtype(), complex128);
  EXPECT_EQ((zeros({1}, int8) + Complex(0, 1)).dtype(), complex128);
  EXPECT_EQ((zeros({1}, complex64) + Complex(0, 1)).dtype(), complex64);
  EXPECT_EQ((zeros({1}, complex64) + 0.5).dtype(), complex64);
  EXPECT_EQ((zeros({1}, complex64) * 3).dtype(), complex64);
  EXPECT_EQ((Complex(1, 1) - array({2.0, 3.0})).to_vector<Complex>(), (std::vector<Complex>{{-1, 1}, {-2, 1}}));
  EXPECT_EQ((array({Narrow(1, 2)}) * Complex(0, 1)).item<Narrow>(), Narrow(-2, 1));
}

TEST_F(ComplexTest, AreAskedForAsWhatHoldsThem) {
  const Array narrow = array({Narrow(1, 2)});
  EXPECT_EQ(narrow.item<Complex>(), Complex(1, 2));
  EXPECT_EQ(array({3}).item<Complex>(), Complex(3));
  EXPECT_EQ(array({true}).item<Narrow>(), Narrow(1));
  EXPECT_THROW(narrow.item<double>(), DTypeError);
  EXPECT_THROW(array({Complex(1, 2)}).item<Narrow>(), DTypeError);
  EXPECT_TRUE(bool(array({Complex(0, 2)})));
  EXPECT_FALSE(bool(array({Complex(0, -0.0)})));
}

TEST_F(ComplexTest, CastsToRealNumbersAreAsked) {
  const Array a = array({Complex(1.5, 2), Complex(0, 1)});
  EXPECT_EQ(a.astype(float64).to_vector<double>(), (std::vector<double>{1.5, 0}));
  EXPECT_EQ(a.astype(int32).to_vector<std::int32_t>(), (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(a.astype(bool_).to_vector<bool>(), (std::vector<bool>{true, true}));
  EXPECT_EQ(a.astype(complex64).to_vector<Narrow>(), (std::vector<Narrow>{{1.5, 2}, {0, 1}}));
  Array real = ones({2});
  expect_refused<DTypeError>(recorder, [&] { real += a; }, {"[+=]", "complex128", "float64"});
  const Operand number(Complex(1, 2));
  expect_refused<DTypeError>(recorder, [&] { real(0) = Complex(1, 2); }, {"(1+2j)", "float64"});
  real[all] = a;  // as NumPy, which warns
  EXPECT_EQ(real.to_vector<double>(), (std::vector<double>{1.5, 0}));
}

TEST_F(ComplexTest, PartsAreValues) {
  const Array a = array({Complex(3, 4), Complex(-1, 0)});
  EXPECT_EQ(real(a).to_vector<double>(), (std::vector<double>{3, -1}));
  EXPECT_EQ(imag(a).to_vector<double>(), (std::vector<double>{4, 0}));
  EXPECT_EQ(abs(a).to_vector<double>(), (std::vector<double>{5, 1}));
  EXPECT_EQ(conj(a).to_vector<Complex>(), (std::vector<Complex>{{3, -4}, {-1, -0.0}}));
  EXPECT_EQ(real(array({Narrow(1, 2)})).dtype(), float32);
  EXPECT_EQ(abs(array({Narrow(3, 4)})).dtype(), float32);
  EXPECT_EQ(real(array({1, 2})).dtype(), int32);
  EXPECT_EQ(imag(array({1, 2})).to_vector<std::int32_t>(), (std::vector<std::int32_t>{0, 0}));
  EXPECT_EQ(conj(array({true})).dtype(), int8);
  EXPECT_NEAR(angle(array({Complex(0, 1)})).item<double>(), 1.5707963267948966, 1e-15);
  EXPECT_NEAR(angle(array({-1.0}), true).item<double>(), 180, 1e-12);
}

TEST_F(ComplexTest, PowersAreProducts) {
  const Array a = array({Complex(1, 2), Complex(-3, 1)});
  const auto near = [](const Array& ours, const std::vector<Complex>& theirs) {
    const std::vector<Complex> cells = ours.to_vector<Complex>();
    for (std::size_t k = 0; k < cells.size(); ++k)
      EXPECT_LE(std::abs(cells[k] - theirs[k]), 1e-14 * std::abs(theirs[k]));
  };
  for (const int exponent : {-4, -1, 0, 1, 2, 3, 4, 7}) {
    near(power(a, exponent), {std::pow(Complex(1, 2), exponent), std::pow(Complex(-3, 1), exponent)});
  }
  near(power(a, 0.5), {std::sqrt(Complex(1, 2)), std::sqrt(Complex(-3, 1))});
  near(reciprocal(a), {1.0 / Complex(1, 2), 1.0 / Complex(-3, 1)});
  near(square(a), {Complex(-3, 4), Complex(8, -6)});
}

// What NumPy says, which the recorder's own arithmetic does not: of exponents in arrays and others than whole ones.
TEST_F(ComplexTest, PowersOfAnyExponentAreRecordedAsSuch) {
  const Array a = array({Complex(1, 2), Complex(-3, 1)});
  const auto near = [](const Array& ours, const std::vector<Complex>& theirs) {
    EXPECT_EQ(ours.dtype(), complex128);
    const std::vector<Complex> cells = ours.to_vector<Complex>();
    for (std::size_t k = 0; k < cells.size(); ++k)
      EXPECT_LE(std::abs(cells[k] - theirs[k]), 1e-14 * std::abs(theirs[k]));
  };
  near(power(a, 1.5), {std::pow(Complex(1, 2), 1.5), std::pow(Complex(-3, 1), 1.5)});
  near(power(a, a), {std::pow(Complex(1, 2), Complex(1, 2)), std::pow(Complex(-3, 1), Complex(-3, 1))});
  near(power(2, a), {std::pow(2.0, Complex(1, 2)), std::pow(2.0, Complex(-3, 1))});
  near(power(array({2.0, 3.0}), Complex(0, 1)), {std::pow(2.0, Complex(0, 1)), std::pow(3.0, Complex(0, 1))});
  near(float_power(array({Narrow(1, 2)}), array({1.5F})), {std::pow(Complex(1, 2), 1.5)});
  EXPECT_EQ(power(array({Narrow(1, 2)}), Complex(0, 1)).dtype(), complex64);
}

TEST_F(ComplexTest, RoundingIsOfEachPart) {
  const Array a = array({Complex(2.5, -1.256), Complex(kNan, kInfinity)});
  EXPECT_EQ(rint(a(0)).item<Complex>(), Complex(2, -1));
  EXPECT_EQ(round(a(0), 2).item<Complex>(), Complex(2.5, -1.26));
  EXPECT_EQ(nan_to_num(a(1)).item<Complex>(), Complex(0, std::numeric_limits<double>::max()));
  EXPECT_EQ(nan_to_num(a(1), 1.5, 9.0).item<Complex>(), Complex(1.5, 9));
  EXPECT_EQ(rint(array({Narrow(0.5, 1.5)})).dtype(), complex64);
}

TEST_F(ComplexTest, TheSignIsAUnit) {
  const Array a = array({Complex(3, -4), Complex(0, -0.0), Complex(kInfinity, 1), Complex(1, -kInfinity), Complex(0, 2),
                         Complex(kInfinity, kNan)});
  EXPECT_EQ(sign(a).to_vector<Complex>(), (std::vector<Complex>{{0.6, -0.8}, 0, 1, {0, -1}, {0, 1}, 1}));
  for (const Complex lost : {Complex(kInfinity, kInfinity), Complex(kNan, 1)}) {
    const Complex cell = sign(array({lost})).item<Complex>();
    EXPECT_TRUE(std::isnan(cell.real()) && std::isnan(cell.imag())) << lost;
  }
}

// By the real part, then by the imaginary one; NaNs in the imaginary part, the real one, and both behind.
TEST_F(ComplexTest, OrderIsNumPys) {
  const Array a = array({Complex(1, kNan), Complex(kNan, 1), Complex(0, 5), Complex(0, 1), Complex(kNan, kNan),
                         Complex(1, 2), Complex(0, 1)});
  EXPECT_EQ(argsort(a).to_vector<std::int64_t>(), (std::vector<std::int64_t>{3, 6, 2, 5, 0, 1, 4}));
  const std::vector<Complex> cells = sort(a).to_vector<Complex>();
  EXPECT_EQ(cells[0], Complex(0, 1));
  EXPECT_EQ(cells[3], Complex(1, 2));
  EXPECT_TRUE(std::isnan(cells[4].imag()) && cells[4].real() == 1);
  EXPECT_TRUE(std::isnan(cells[5].real()) && cells[5].imag() == 1);
  EXPECT_EQ(unique(a).shape(), (Shape{4}));
  EXPECT_EQ(unique(array({Narrow(1, 1), Narrow(1, 0), Narrow(1, 1)})).to_vector<Narrow>(),
            (std::vector<Narrow>{{1, 0}, {1, 1}}));
}

TEST_F(ComplexTest, AreComparedByTheRealPartFirst) {
  const Array a = array({Complex(1, 2), Complex(1, 3), Complex(0, 9), Complex(2, kNan), Complex(1, 2)});
  const Array b = array({Complex(1, 3), Complex(1, 2), Complex(1, 0), Complex(1, 0), Complex(1, 2)});
  EXPECT_EQ((a < b).to_vector<bool>(), (std::vector<bool>{true, false, true, false, false}));
  EXPECT_EQ((a <= b).to_vector<bool>(), (std::vector<bool>{true, false, true, false, true}));
  EXPECT_EQ((a > b).to_vector<bool>(), (std::vector<bool>{false, true, false, false, false}));
  EXPECT_EQ((a >= b).to_vector<bool>(), (std::vector<bool>{false, true, false, false, true}));
  const Array numbers = a(slice(0, 3)), others = b(slice(0, 3)), lost = array({Complex(kNan, 1), Complex(5, 5)});
  EXPECT_EQ(minimum(numbers, others).to_vector<Complex>(), (std::vector<Complex>{{1, 2}, {1, 2}, {0, 9}}));
  EXPECT_EQ(maximum(numbers, others).to_vector<Complex>(), (std::vector<Complex>{{1, 3}, {1, 3}, {1, 0}}));
  EXPECT_TRUE(std::isnan(minimum(lost, Complex(1, 1))(0).item<Complex>().real()));
  EXPECT_TRUE(std::isnan(maximum(Complex(1, 1), lost)(0).item<Complex>().real()));
  EXPECT_EQ(fmin(lost, Complex(1, 1)).to_vector<Complex>(), (std::vector<Complex>{{1, 1}, {1, 1}}));
  EXPECT_EQ(fmax(Complex(1, 1), lost).to_vector<Complex>(), (std::vector<Complex>{{1, 1}, {5, 5}}));
  EXPECT_EQ(clip(numbers, Complex(1, 0), Complex(1, 2)).to_vector<Complex>(),
            (std::vector<Complex>{{1, 2}, {1, 2}, {1, 0}}));
}

TEST_F(ComplexTest, ExtremaStandWhereNumPySays) {
  const Array a =
      array({{Complex(1, 2), Complex(3, 0), Complex(3, -1)}, {Complex(0, 7), Complex(3, 0), Complex(0, -7)}});
  EXPECT_EQ(max(a).item<Complex>(), Complex(3, 0));
  EXPECT_EQ(min(a).item<Complex>(), Complex(0, -7));
  EXPECT_EQ(max(a, 0).to_vector<Complex>(), (std::vector<Complex>{{1, 2}, {3, 0}, {3, -1}}));
  EXPECT_EQ(min(a, 1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(argmax(a).item<std::int64_t>(), 1);
  EXPECT_EQ(argmin(a, 1).to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(ptp(a).item<Complex>(), Complex(3, 7));
  EXPECT_EQ(max(a, {}, {.initial = Complex(4, 0)}).item<Complex>(), Complex(4, 0));
  EXPECT_EQ(max(array({Narrow(1, 1)})).dtype(), complex64);
  const Array lost = array({Complex(9, 9), Complex(1, kNan), Complex(kNan, 2)});
  const Complex first = max(lost).item<Complex>();
  EXPECT_TRUE(first.real() == 1 && std::isnan(first.imag()));
  EXPECT_EQ(argmin(lost).item<std::int64_t>(), 1);
  EXPECT_EQ(nanmax(lost).item<Complex>(), Complex(9, 9));
  EXPECT_EQ(nanmin(lost(slice(1, {}))).item<Complex>().real(), 1);
}

TEST_F(ComplexTest, MediansStandInTheirOrder) {
  const Array a = array({Complex(3, 0), Complex(1, 5), Complex(1, 2), Complex(0, 0)});
  EXPECT_EQ(median(a).item<Complex>(), Complex(1, 3.5));
  EXPECT_EQ(median(a(slice(0, 3))).item<Complex>(), Complex(1, 5));
  EXPECT_EQ(median(array({Narrow(1, 1)})).dtype(), complex64);
  EXPECT_TRUE(std::isnan(median(array({Complex(1, 1), Complex(kNan, 2)})).item<Complex>().real()));
  EXPECT_EQ(nanmedian(array({Complex(1, 1), Complex(kNan, 2), Complex(3, 3)})).item<Complex>(), Complex(2, 2));
}

TEST_F(ComplexTest, RangesGoAsFarAsBothPartsDo) {
  EXPECT_EQ(arange(0, Complex(2, 2), 1).to_vector<Complex>(), (std::vector<Complex>{0, 1}));
  EXPECT_EQ(arange(0, Complex(3, 2), Complex(1, 1)).size(), 0);
  EXPECT_EQ(arange(Complex(1, 1), Complex(4, 9), Complex(1, 0.5), complex64).to_vector<Narrow>(),
            (std::vector<Narrow>{{1, 1}, {2, 1.5}, {3, 2}, {4, 2.5}, {5, 3}, {6, 3.5}}));
  EXPECT_EQ(arange(0, Complex(5, 0), 1).size(), 0);
}

TEST_F(ComplexTest, AreScannedVariedAndCorrelated) {
  const Array a = array({Complex(1, 1), Complex(0, 2), Complex(3, 0)});
  EXPECT_EQ(cumprod(a).to_vector<Complex>(), (std::vector<Complex>{{1, 1}, {-2, 2}, {-6, 6}}));
  EXPECT_EQ(accumulate(multiply, a).to_vector<Complex>(), cumprod(a).to_vector<Complex>());
  EXPECT_EQ(cumprod(array({Complex(kInfinity, 1), Complex(1, 0)}))(0).item<Complex>(), Complex(kInfinity, 1));
  EXPECT_EQ(nancumprod(array({Complex(1, 1), Complex(kNan, 0), Complex(2, 0)})).to_vector<Complex>(),
            (std::vector<Complex>{{1, 1}, {1, 1}, {2, 2}}));
  EXPECT_EQ(nanvar(array({Complex(1, 2), Complex(kNan, 1), Complex(3, 5)})).item<double>(), 3.25);
  EXPECT_EQ(nanstd(array({Narrow(1, 2), Narrow(1, 2)})).dtype(), float32);
  EXPECT_EQ(correlate(array({Complex(1, 1), Complex(2, 0)}), array({Complex(0, 1), Complex(1, 1)})).item<Complex>(),
            Complex(3, -3));
  EXPECT_EQ(correlate(array({Complex(0, 1)}), array({Complex(1, 1), Complex(2, 0)}), "full").to_vector<Complex>(),
            (std::vector<Complex>{{0, 2}, {1, 1}}));
  EXPECT_EQ(arange(3, complex64).to_vector<Narrow>(), (std::vector<Narrow>{0, 1, 2}));
}

TEST_F(ComplexTest, FoldsAreOfBothParts) {
  const Array a = array({{Complex(1, 2), Complex(3, 4)}, {Complex(5, 6), Complex(-1, 0)}});
  EXPECT_EQ(sum(a).item<Complex>(), Complex(8, 12));
  EXPECT_EQ(sum(a, 0).to_vector<Complex>(), (std::vector<Complex>{{6, 8}, {2, 4}}));
  EXPECT_EQ(sum(a, 1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(sum(array({Narrow(1, 1), Narrow(2, 2)})).dtype(), complex64);
  EXPECT_EQ(mean(a).item<Complex>(), Complex(2, 3));
  EXPECT_EQ(prod(a, 1).to_vector<Complex>(), (std::vector<Complex>{{-5, 10}, {-5, -6}}));
  EXPECT_EQ(prod(a(slice(0, 0), all), 0).to_vector<Complex>(), (std::vector<Complex>{1, 1}));
  EXPECT_EQ(sum(a(slice(0, 0), all)).item<Complex>(), Complex(0));
  EXPECT_EQ(cumsum(a).to_vector<Complex>(), (std::vector<Complex>{{1, 2}, {4, 6}, {9, 12}, {8, 12}}));
  EXPECT_EQ(accumulate(add, array({Complex(1, 2), Complex(3, 4)})).to_vector<Complex>(),
            (std::vector<Complex>{{1, 2}, {4, 6}}));
  EXPECT_EQ(convolve(array({Complex(1, 2), Complex(3, 4)}), {1.0, 2.0}).to_vector<Complex>(),
            (std::vector<Complex>{{1, 2}, {5, 8}, {6, 8}}));
  EXPECT_EQ(count_nonzero(array({Complex(0), Complex(0, 1)})).item<std::int64_t>(), 1);
  EXPECT_TRUE(any(array({Complex(0), Complex(0, 1)})).item<bool>());
  EXPECT_FALSE(all_cells(array({Complex(0), Complex(0, 1)})).item<bool>());
  EXPECT_NEAR(var(a).item<double>(), 10, 1e-12);
  EXPECT_NEAR(norm(array({Complex(3, 0), Complex(0, 4)})).item<double>(), 5, 1e-12);
  EXPECT_TRUE(allclose(a, a + Complex(0, 1e-12)));
  EXPECT_FALSE(allclose(a, a + Complex(0, 1e-2)));
  EXPECT_EQ(vdot(array({Complex(0, 1)}), array({Complex(0, 1)})).item<Complex>(), Complex(1));
  EXPECT_EQ(dot(array({Complex(0, 1)}), array({Complex(0, 1)})).item<Complex>(), Complex(-1));
}

TEST_F(ComplexTest, NotANumberIsInEitherPart) {
  const Array a =
      array({Complex(1, kNan), Complex(kInfinity, kNan), Complex(1, -kInfinity), Complex(1.7e308, 1.7e308)});
  EXPECT_EQ(isnan(a).to_vector<bool>(), (std::vector<bool>{true, true, false, false}));
  EXPECT_EQ(isinf(a).to_vector<bool>(), (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(isfinite(a).to_vector<bool>(), (std::vector<bool>{false, false, false, true}));
}

struct Unary {
  const char* name;
  Array (*call)(const Operand&);
};
struct Binary {
  const char* name;
  Array (*call)(const Operand&, const Operand&);
};

TEST_F(ComplexTest, WhoTakesRealNumbersRefusesBeforeAnythingIsRecorded) {
  const Array a = array({Complex(1, 2), Complex(3, -4)}), b = array({1.0, 2.0}), places = array({0});
  const Unary kUnary[] = {{"floor", floor},       {"ceil", ceil},        {"trunc", trunc},     {"signbit", signbit},
                          {"fabs", fabs},         {"cbrt", cbrt},        {"degrees", degrees}, {"erf", erf},
                          {"radians", radians},   {"erfc", erfc},        {"gamma", gamma},     {"lgamma", lgamma},
                          {"isposinf", isposinf}, {"isneginf", isneginf}};
  for (const Unary& one : kUnary) {
    expect_refused<DTypeError>(recorder, [&] { one.call(a); }, {std::string("[") + one.name + "]", "complex128"});
  }
  const Binary kBinary[] = {{"copysign", copysign}, {"nextafter", nextafter}, {"heaviside", heaviside},
                            {"logaddexp", logaddexp}, {"arctan2", arctan2}, {"hypot", hypot},
                            {"logaddexp2", logaddexp2}, {"floor_divide", floor_divide}, {"fmod", fmod}, {"gcd", gcd},
                            {"lcm", lcm},
                            {"remainder", operator% },
                             {"bitwise_and", operator& },
                              {"bitwise_or", operator| },
                               {"bitwise_xor", operator^ }, {"left_shift", operator<< }, {"right_shift", operator>> } };
  for (const Binary& one : kBinary) {
    expect_refused<DTypeError>(recorder, [&] { one.call(a, b); }, {std::string("[") + one.name + "]", "complex128"});
    expect_refused<DTypeError>(recorder, [&] { one.call(b, a); }, {std::string("[") + one.name + "]", "complex128"});
  }
  expect_refused<DTypeError>(recorder, [&] { modf(a); }, {"[modf]"});
  expect_refused<DTypeError>(recorder, [&] { frexp(a); }, {"[frexp]"});
  expect_refused<DTypeError>(recorder, [&] { ldexp(a, 2); }, {"[ldexp]"});
  expect_refused<DTypeError>(recorder, [&] { divmod(a, b); }, {"[divmod]", "complex128"});
  expect_refused<DTypeError>(recorder, [&] { linspace(a, b, 3, true, float64); }, {"[linspace]", "complex128"});
  expect_refused<DTypeError>(recorder, [&] { nanquantile(a, 0.5); }, {"[nanquantile]", "complex128"});
  auto rng = random::default_rng(1);
  expect_refused<DTypeError>(recorder, [&] { rng.poisson(a); }, {"[poisson]", "complex128"});
  expect_refused<DTypeError>(recorder, [&] { rng.gamma(b, a); }, {"[gamma]", "complex128"});
  expect_refused<DTypeError>(recorder, [&] { rng.normal(b, a); }, {"[normal]", "complex128"});
  expect_refused<DTypeError>(recorder, [&] { quantile(a, 0.5); }, {"[quantile]"});
  expect_refused<DTypeError>(recorder, [&] { minimum_at(a, places, 1); }, {"[minimum_at]"});
  expect_refused<DTypeError>(recorder, [&] { arange(Complex(0, 1), Complex(2, 2), 1, float64); },
                             {"[arange]", "float64"});
  expect_refused<ValueError>(recorder, [&] { arange(0, Complex(2, 2), Complex(0, 0)); }, {"[arange]", "step of 0"});
  expect_refused<ValueError>(recorder, [&] { max(zeros({0}, complex128)); }, {"[max]", "no cell"});
  expect_refused<ValueError>(recorder, [&] { argmin(zeros({0}, complex64)); }, {"[argmin]", "no cell"});
  expect_refused<IndexError>(recorder, [&] { nanmin(a, 3); }, {"[nanmin]", "axis 3"});
  expect_refused<IndexError>(recorder, [&] { take(b, a); }, {"[take]", "complex128"});
}

TEST_F(ComplexTest, ArePrintedAsInNumPy) {
  if (!numpy_available() || numpy_is_older_than(2, 3)) GTEST_SKIP() << "no Python with NumPy 2.3 here";
  const std::vector<std::vector<Complex>> lists = {
      {{1, 2}, {-3.5, 0.25}, {0, 1e10}},
      {{1, 2}, {3, -4.5}},
      {{kNan, kInfinity}, {1, -2}, {1, -kInfinity}},
      {{kNan, kNan}},
      {{0.1, 1e-5}, {3, 0}},
      {{-0.0, -0.0}, {1e-300, 1e300}},
      {{1.0 / 3, -2.0 / 3}, {100, 1}},
      {},
  };
  std::string script;
  std::vector<std::string> ours;
  const auto text_of = [](const Array& a) {
    std::ostringstream text;
    text << a;
    std::string line = text.str();
    std::replace(line.begin(), line.end(), '\n', '|');
    return line;
  };
  const auto bytes_of = [](const auto& cells) {
    const auto view = std::as_bytes(std::span(cells));
    return std::vector<std::byte>(view.begin(), view.end());
  };
  for (const std::vector<Complex>& list : lists) {
    const Shape shape{static_cast<std::int64_t>(list.size())};
    std::vector<Narrow> narrow;
    for (const Complex& one : list) narrow.emplace_back(one);
    script += "text(" + python_array(bytes_of(list), complex128, shape) + ")\n";
    ours.push_back(text_of(array(list)));
    script += "text(" + python_array(bytes_of(narrow), complex64, shape) + ")\n";
    ours.push_back(text_of(array(narrow)));
    for (const Complex& one : list) {
      script += "text(" + python_array(bytes_of(std::vector{one}), complex128, {}) + ")\n";
      ours.push_back(text_of(array(one)));
    }
  }
  const std::vector<std::string> theirs = run_numpy(script);
  ASSERT_EQ(theirs.size(), ours.size());
  for (std::size_t k = 0; k < ours.size(); ++k) EXPECT_EQ(ours[k], theirs[k]);
}

}  // namespace
}  // namespace pilum::numeric
