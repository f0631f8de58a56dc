// float16 as NumPy has it: dtypes, numbers, casts, folds, printing. numpy_dtypes_test.cc has all pairs of dtypes.
#include <cstring>
#include <span>
#include <sstream>

#include "numeric/format.h"
#include "pilum/convolve.h"
#include "pilum/dtype_info.h"
#include "pilum/fold_options.h"
#include "pilum/functions.h"
#include "pilum/linear_algebra.h"
#include "pilum/random.h"
#include "pilum/scan.h"
#include "pilum/sort.h"
#include "pilum/statistics.h"
#include "tests/numeric/numeric_test.h"
#include "tests/numeric/numpy_oracle.h"

namespace pilum::numeric {
namespace {

using Float16 = NumericTest;

std::vector<half> halves(std::initializer_list<double> numbers) {
  std::vector<half> cells;
  for (const double number : numbers) cells.emplace_back(number);
  return cells;
}

Array array16(std::initializer_list<double> numbers) {
  return array(numbers, float16);
}

void expect_halves(const Array& a, std::initializer_list<double> numbers) {
  EXPECT_EQ(a.dtype(), float16);
  EXPECT_EQ(a.to_vector<half>(), halves(numbers));
}

TEST_F(Float16, IsTwoBytesOfAFloatingNumber) {
  EXPECT_STREQ(name(float16), "float16");
  EXPECT_EQ(itemsize(float16), 2u);
  EXPECT_TRUE(is_floating(float16));
  EXPECT_EQ(dtype_of<half>, float16);
}

TEST_F(Float16, MeetsOthersAsInNumPy) {
  EXPECT_EQ(promote(float16, bool_), float16);
  EXPECT_EQ(promote(int8, float16), float16);
  EXPECT_EQ(promote(float16, uint8), float16);
  EXPECT_EQ(promote(float16, int16), float32);
  EXPECT_EQ(promote(uint16, float16), float32);
  EXPECT_EQ(promote(float16, int32), float64);
  EXPECT_EQ(promote(float16, uint64), float64);
  EXPECT_EQ(promote(float16, float32), float32);
  EXPECT_EQ(promote(float16, float64), float64);
  EXPECT_EQ(promote(float16, complex64), complex64);
  EXPECT_EQ(promote(complex128, float16), complex128);
  EXPECT_EQ(promote(int8, float32), float32);
  EXPECT_TRUE(can_cast(uint8, float16));
  EXPECT_FALSE(can_cast(int16, float16));
  EXPECT_TRUE(can_cast(int64, float16, Casting::SameKind));
  EXPECT_FALSE(can_cast(float16, int64, Casting::SameKind));
  EXPECT_TRUE(can_cast(float64, float16, Casting::SameKind));
}

TEST_F(Float16, NumbersBesideItAreWeak) {
  const Array a = array16({1, 0.5});
  EXPECT_EQ(result_type(a, 3), float16);
  EXPECT_EQ(result_type(a, 0.1), float16);
  EXPECT_EQ(result_type(a, true), float16);
  EXPECT_EQ(result_type(a, std::complex<double>(0, 1)), complex64);
  EXPECT_EQ(result_type(array({1}, int8), half(0.5)), float64);
  expect_halves(a + 0.1, {1.1, 0.6});
  expect_halves(a * 70000, {kInfinity, kInfinity});
  EXPECT_EQ((a + std::complex<double>(0, 1)).dtype(), complex64);
}

TEST_F(Float16, IsMadeOfHalvesAndReadAsThem) {
  EXPECT_EQ(array({half(1.5), half(-2)}).dtype(), float16);
  EXPECT_EQ(array(std::vector<half>{half(0.1)}).item<half>().bits(), 0x2e66);
  EXPECT_EQ(array({{1, 2}, {3, 4}}, float16).to_vector<half>(), halves({1, 2, 3, 4}));
  EXPECT_EQ(array({1, half(2.5)}).dtype(), float64);  // an int beside it is an int32
  EXPECT_EQ(full({2}, 0.1, float16).to_vector<double>(), (std::vector<double>{0.0999755859375, 0.0999755859375}));
  EXPECT_EQ(array16({0.1}).item<float>(), 0.0999755859375f);
  EXPECT_EQ(zeros({2}, float16).to_vector<half>(), halves({0, 0}));
  EXPECT_EQ(double(array16({0.5})), 0.5);
  const Array wide = array({0.5f});
  EXPECT_EQ(wide.item<half>(), half(0.5));
  expect_refused<DTypeError>(recorder, [&] { wide.to_vector<half>(); }, {"float32", "float16"});
}

TEST_F(Float16, CastsRoundOnceAndTruncate) {
  // A double beside the middle of two halves, which a float would make the middle.
  expect_halves(array({1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11}).astype(float16), {1 + 0x1p-10, 1});
  expect_halves(array({65519.0, 65520.0, -1e300, 1e-300}).astype(float16), {65504, kInfinity, -kInfinity, 0});
  expect_halves(array({100000, -5}).astype(float16), {kInfinity, -5});
  expect_halves(array({true, false}).astype(float16), {1, 0});
  expect_halves(array({std::complex<double>(2.5, 9)}).astype(float16), {2.5});
  const Array a = array16({2.75, -2.75, 0});
  EXPECT_EQ(a.astype(int32).to_vector<std::int32_t>(), (std::vector<std::int32_t>{2, -2, 0}));
  EXPECT_EQ(a.astype(bool_).to_vector<bool>(), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(a.astype(complex64)(1).item<std::complex<float>>(), (std::complex<float>(-2.75, 0)));
}

TEST_F(Float16, EachOperationRounds) {
  const Array a = array16({2048, 1000, 60000, 1});
  expect_halves(a + 1 + 1, {2048, 1002, 60000, 3});
  expect_halves(a + a, {4096, 2000, kInfinity, 2});
  expect_halves(a / 3, {682.5, 333.25, 20000, 0.333251953125});
  expect_halves(sqrt(a), {45.25, 31.625, 245, 1});
  expect_halves(array16({7, -7}) % 3, {1, 2});
  EXPECT_EQ((a > 1000).to_vector<bool>(), (std::vector<bool>{true, false, true, false}));
  expect_halves(where(a > 1500, a, 0.1), {2048, 0.1, 60000, 0.1});
}

TEST_F(Float16, FunctionsAreRoundedFromFloat32) {
  expect_halves(exp(array16({1, -20, 12})), {2.718281828, 2.061e-9, kInfinity});
  expect_halves(sin(array16({1, 2})), {0.8414709848, 0.9092974268});
  expect_halves(degrees(array16({1})), {57.29577951});
  expect_halves(nextafter(array16({1, 1, 0, 65504}), array16({2, 0, -1, kInfinity})),
                {1 + 0x1p-10, 1 - 0x1p-11, -0x1p-24, kInfinity});
  expect_halves(nan_to_num(array16({kNan, kInfinity, -kInfinity})), {0, 65504, -65504});
  const auto [mantissa, exponent] = frexp(array16({12}));
  expect_halves(mantissa, {0.75});
  EXPECT_EQ(exponent.to_vector<std::int32_t>(), (std::vector<std::int32_t>{4}));
}

TEST_F(Float16, SumsAreRoundedOnce) {
  const Array ones16 = ones({5000}, float16);
  EXPECT_EQ(sum(ones16).item<half>(), 5000.0f);  // one after the other in float16 it would stay at 2048
  expect_halves(sum(ones({3000, 2}, float16), 0), {3000, 3000});
  expect_halves(mean(full({3000}, 60000, float16)), {60000});
  expect_halves(prod(array16({300, 300, 0.01, 0.5})), {450});  // 90000 on the way
  expect_halves(cumsum(full({3}, 2048.0, float16) + array16({0, 1, 2})), {2048, 4096, 6144});
  EXPECT_EQ(cumsum(ones16)(-1).item<half>(), 5000.0f);
  expect_halves(var(array16({1, 2, 3, 4})), {1.25});
  expect_halves(std(array16({300, -300})), {300});
  expect_halves(min(array16({3, -1, 2})), {-1});
  EXPECT_EQ(argmax(array16({3, -1, 7})).item<std::int64_t>(), 2);
  EXPECT_EQ(count_nonzero(array16({3, 0, 7})).item<std::int64_t>(), 2);
  expect_halves(sum(array16({1, 2}), 0, {.initial = 3}), {6});
  EXPECT_EQ(sum(array16({1, 2}), 0, {.dtype = float64}).dtype(), float64);
}

TEST_F(Float16, IsSortedAndPicked) {
  expect_halves(sort(array16({3, -1, kInfinity, 2})), {-1, 2, 3, kInfinity});
  EXPECT_EQ(argsort(array16({3, kNan, -1})).to_vector<std::int64_t>(), (std::vector<std::int64_t>{2, 0, 1}));
  expect_halves(median(array16({3, -1, 8, 2})), {2.5});
  EXPECT_EQ(quantile(array16({1, 2}), 0.25).dtype(), float16);
  EXPECT_EQ(quantile(array16({1, 2}), std::vector<double>{0.25}).dtype(), float64);
  const Array a = array16({1, 2, 3, 4});
  expect_halves(a[array({3, 0})], {4, 1});
  expect_halves(a[a > 2], {3, 4});
}

TEST_F(Float16, ProductsOfMatricesAreSummedInFloat32) {
  const Array a = full({2, 4000}, 1, float16);
  expect_halves(matmul(a(0), a(1)), {4000});
  expect_halves(dot(array16({255, 255}), array16({255, -254})), {255});  // 65025 and -64770
  expect_halves(norm(array16({300, 400})), {500});
  expect_halves(convolve(array16({2048, 1, 1}), array16({1, 1, 1}), "valid"), {2050});
}

TEST_F(Float16, IsNotDrawn) {
  random::Generator generator = random::default_rng(1);
  expect_refused<DTypeError>(recorder, [&] { generator.random({3}, float16); }, {"float16", "astype(float16)"});
}

TEST_F(Float16, ItsLimitsAreNumPys) {
  const FloatInfo info = finfo(float16);
  EXPECT_EQ(info.bits, 16);
  EXPECT_EQ(info.eps, 0x1p-10);
  EXPECT_EQ(info.max, 65504);
  EXPECT_EQ(info.min, -65504);
  EXPECT_EQ(info.smallest_normal, 0x1p-14);
  EXPECT_EQ(info.smallest_subnormal, 0x1p-24);
}

TEST_F(Float16, Ranges) {
  expect_halves(arange(0, 3, 1, float16), {0, 1, 2});
  expect_halves(linspace(0, 1, 3, true, float16), {0, 0.5, 1});
  expect_halves(arange(0.0, 0.35, 0.1, float16),
                {0, 0.0999755859375, 0.199951171875, 0.2998046875});  // NumPy's: of the float16 0.1
}

TEST_F(Float16, PrintsTheFewestDigits) {
  const auto shown = [](const Array& a) {
    std::ostringstream out;
    out << a;
    return out.str();
  };
  EXPECT_EQ(shown(array16({0.1, 0.2})), "[0.1 0.2]");
  EXPECT_EQ(shown(array16({65504, 1})), "[6.55e+04 1.00e+00]");
}

// Every half alone, and rows of neighbours and of others.
TEST_F(Float16, EveryNumberPrintsAsNumPys) {
  if (!numpy_available()) GTEST_SKIP() << "no Python with NumPy here";
  if (numpy_is_older_than(2, 3)) GTEST_SKIP() << "NumPy 2.3 prints exponents from 1000 on";
  std::vector<half> all_halves;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
    all_halves.push_back(half::from_bits(static_cast<std::uint16_t>(bits)));
  const auto cells_of = [&](std::size_t first, std::size_t step, std::size_t count) {
    std::vector<half> cells;
    for (std::size_t k = 0; k < count; ++k) cells.push_back(all_halves[(first + k * step) % all_halves.size()]);
    return cells;
  };
  const std::vector<std::string> expected = run_numpy(R"(
all = np.arange(65536).astype(np.uint16).view(np.float16)
for k in range(65536): print(str(all[k]))
for k in range(0, 65536, 4):
    for step in (1, 97, 4099):
        print(str(all[(k + step * np.arange(4)) % 65536]))
)");
  ASSERT_EQ(expected.size(), 65536u + 3 * 16384u);
  std::size_t line = 0;
  for (const half one : all_halves)
    ASSERT_EQ(format_scalar(float16, std::as_bytes(std::span(&one, 1))), expected[line++]) << one.bits();
  for (std::size_t k = 0; k < all_halves.size(); k += 4) {
    for (const std::size_t step : {1u, 97u, 4099u}) {
      const std::vector<half> cells = cells_of(k, step, 4);
      std::string text;
      for (const std::string& one : format_cells(float16, std::as_bytes(std::span(cells)))) text += " " + one;
      ASSERT_EQ("[" + text.substr(1) + "]", expected[line++]) << k << ", " << step;
    }
  }
}

}  // namespace
}  // namespace pilum::numeric
