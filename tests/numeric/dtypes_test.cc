// The small and the unsigned integers, by literals: what NumPy gives is in numpy_dtypes_test.cc.
#include <cstdint>
#include <limits>
#include <sstream>

#include "pilum/dtype_info.h"
#include "pilum/functions.h"
#include "pilum/statistics.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using Dtypes = NumericTest;

template <class T>
void expect_cells(const Array& a, const std::vector<T>& cells) {
  EXPECT_EQ(a.dtype(), dtype_of<T>);
  EXPECT_EQ(a.to_vector<T>(), cells);
}

TEST(DTypeFacts, NamesAndSizesAreNumPys) {
  EXPECT_STREQ(name(int8), "int8");
  EXPECT_STREQ(name(uint16), "uint16");
  EXPECT_STREQ(name(uint64), "uint64");
  EXPECT_EQ(itemsize(int16), 2u);
  EXPECT_EQ(itemsize(uint8), 1u);
  EXPECT_TRUE(is_integer(uint64) && is_unsigned(uint64) && !is_signed(uint64));
  EXPECT_FALSE(is_integer(bool_) || is_unsigned(bool_) || is_integer(float32));
}

TEST(DTypeFacts, PairsMeetInWhatHoldsBoth) {
  EXPECT_EQ(promote(int8, uint8), int16);
  EXPECT_EQ(promote(uint16, int16), int32);
  EXPECT_EQ(promote(int32, uint32), int64);
  EXPECT_EQ(promote(uint64, int8), float64);
  EXPECT_EQ(promote(int64, uint32), int64);
  EXPECT_EQ(promote(uint8, uint32), uint32);
  EXPECT_EQ(promote(bool_, uint8), uint8);
  EXPECT_EQ(promote(int16, float32), float32);
  EXPECT_EQ(promote(uint32, float32), float64);
}

TEST_F(Dtypes, ArraysAreMadeOfTheirTypesAndReadAsThem) {
  expect_cells(array(std::vector<std::uint8_t>{0, 255}), std::vector<std::uint8_t>{0, 255});
  expect_cells(array({std::int16_t{-3}, std::int16_t{4}}), std::vector<std::int16_t>{-3, 4});
  expect_cells(array({UINT64_MAX, std::uint64_t{1}}), std::vector<std::uint64_t>{UINT64_MAX, 1});
  EXPECT_EQ(array({1, 255}, uint8)(1).item<std::uint8_t>(), 255);
  EXPECT_EQ(array({UINT64_MAX})(0).item<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ(array({255, 7}, uint8).to_vector<double>(), (std::vector<double>{255, 7}));
}

TEST_F(Dtypes, ArithmeticWraps) {
  const Array a = array({200, 100, 0}, uint8), b = array({100, 100, 1}, uint8);
  expect_cells(a + b, std::vector<std::uint8_t>{44, 200, 1});
  expect_cells(a - b, std::vector<std::uint8_t>{100, 0, 255});
  expect_cells(a * b, std::vector<std::uint8_t>{32, 16, 0});
  expect_cells(-a, std::vector<std::uint8_t>{56, 156, 0});
  expect_cells(array({127, -128}, int8) + array({1, -1}, int8), std::vector<std::int8_t>{-128, 127});
  expect_cells(abs(array({-128, 5}, int8)), std::vector<std::int8_t>{-128, 5});
  expect_cells(array({65535}, uint16) * array({65535}, uint16), std::vector<std::uint16_t>{1});
  expect_cells(array({UINT64_MAX}) + array({std::uint64_t{2}}), std::vector<std::uint64_t>{1});
}

TEST_F(Dtypes, DivisionsAndShiftsAreNumPys) {
  const Array a = array({200, 7, 5}, uint8), b = array({255, 2, 0}, uint8);
  expect_cells(a % b, std::vector<std::uint8_t>{200, 1, 0});
  expect_cells(floor_divide(a, b), std::vector<std::uint8_t>{0, 3, 0});
  expect_cells(floor_divide(array({-128}, int8), array({-1}, int8)), std::vector<std::int8_t>{-128});
  expect_cells(array({1, 255}, uint8) << array({7, 8}, uint8), std::vector<std::uint8_t>{128, 0});
  expect_cells(array({255, 255}, uint8) >> array({7, 8}, uint8), std::vector<std::uint8_t>{1, 0});
  expect_cells(array({1, -1}, int8) << array({7, 9}, int8), std::vector<std::int8_t>{-128, 0});
  expect_cells(power(array({2, 3}, uint8), array({8, 5}, uint8)), std::vector<std::uint8_t>{0, 243});
  expect_cells(gcd(array({-128}, int8), array({0}, int8)), std::vector<std::int8_t>{-128});
  expect_cells(lcm(array({100}, int8), array({99}, int8)), std::vector<std::int8_t>{-84});
  EXPECT_EQ((a / b).dtype(), float64);
}

TEST_F(Dtypes, BoolsAreSmallIntegersInDivisionsAndShifts) {
  const Array t = array({true, true}), u = array({true, false});
  expect_cells(t % u, std::vector<std::int8_t>{0, 0});
  expect_cells(t << u, std::vector<std::int8_t>{2, 1});
  expect_cells(power(t, u), std::vector<std::int8_t>{1, 1});
}

TEST_F(Dtypes, ComparisonsOfSignsAreExact) {
  const Array with_sign = array({std::int64_t{-1}, INT64_MAX, std::int64_t{5}});
  const Array without = array({UINT64_MAX, std::uint64_t{1} << 63, std::uint64_t{5}});
  expect_cells(with_sign == without, std::vector<bool>{false, false, true});
  expect_cells(with_sign != without, std::vector<bool>{true, true, false});
  expect_cells(with_sign < without, std::vector<bool>{true, true, false});
  expect_cells(without <= with_sign, std::vector<bool>{false, false, true});
  expect_cells(without > with_sign, std::vector<bool>{true, true, false});
  expect_cells(with_sign >= without, std::vector<bool>{false, false, true});
}

TEST_F(Dtypes, NumbersBeyondADtypeAreComparedAsTheyAre) {
  const Array a = array({0, 255}, uint8);
  expect_cells(a < 300, std::vector<bool>{true, true});
  expect_cells(a == 300, std::vector<bool>{false, false});
  expect_cells(-1 < a, std::vector<bool>{true, true});
  expect_cells(a <= -1, std::vector<bool>{false, false});
  expect_cells(a != -1, std::vector<bool>{true, true});
  expect_cells(UINT64_MAX > array({UINT64_MAX, std::uint64_t{1}}), std::vector<bool>{false, true});
}

TEST_F(Dtypes, NumbersThatDoNotFitAreRefused) {
  const Array a = array({1, 2}, uint8), large = array({std::uint64_t{1}});
  expect_refused<ValueError>(recorder, [&] { a + 300; }, {"the number 300 does not fit uint8", "0 to 255"});
  expect_refused<ValueError>(recorder, [&] { a - (-1); }, {"the number -1 does not fit uint8"});
  expect_refused<ValueError>(recorder, [&] { large + (-1); }, {"does not fit uint64", "0 to 18446744073709551615"});
  expect_refused<ValueError>(recorder, [&] { full({2}, -129, int8); }, {"the number -129 does not fit int8"});
  expect_refused<ValueError>(recorder, [&] { full({2}, 256.5, uint8); }, {"does not fit uint8"});
  EXPECT_EQ((large + UINT64_MAX)(0).item<std::uint64_t>(), 0u);
  EXPECT_EQ((a + 255.5).dtype(), float64);
}

TEST_F(Dtypes, OperationsInPlaceStayWithinTheKind) {
  Array a = array({1, 2}, uint8), b = array({1, 2}, int8);
  expect_refused<DTypeError>(recorder, [&] { a += b; }, {"int16", "uint8"});
  b += a;
  expect_cells(b, std::vector<std::int8_t>{2, 4});
}

TEST_F(Dtypes, SumsAreWideOfTheSameKind) {
  expect_cells(sum(array({200, 200}, uint8)), std::vector<std::uint64_t>{400});
  expect_cells(sum(array({-100, -100}, int8)), std::vector<std::int64_t>{-200});
  expect_cells(prod(array({200, 200}, uint16)), std::vector<std::uint64_t>{40000});
  expect_cells(max(array({200, 100}, uint8)), std::vector<std::uint8_t>{200});
  expect_cells(min(array({-100, 100}, int8)), std::vector<std::int8_t>{-100});
  EXPECT_EQ(mean(array({255, 254}, uint8)).item<double>(), 254.5);
}

TEST_F(Dtypes, FunctionsAreTwiceAsWideAsIntegers) {
  EXPECT_EQ(sqrt(array({4}, int16)).dtype(), float32);
  EXPECT_EQ(sqrt(array({4}, int8)).dtype(), float16);
  EXPECT_EQ(exp(array({true})).dtype(), float16);
  EXPECT_EQ(sqrt(array({4}, uint32)).dtype(), float64);
  EXPECT_EQ(hypot(array({4}, int16), array({3}, uint16)).dtype(), float32);
  EXPECT_EQ(hypot(array({4}, int16), 3).dtype(), float32);
  EXPECT_EQ(hypot(array({4}, int16), 3.0).dtype(), float64);
  EXPECT_EQ(hypot(array({4}, int16), array({3})).dtype(), float64);
}

TEST_F(Dtypes, CastsWrap) {
  expect_cells(array({300, -1}).astype(uint8), std::vector<std::uint8_t>{44, 255});
  expect_cells(array({255, 128}, uint8).astype(int8), std::vector<std::int8_t>{-1, -128});
  expect_cells(array({300.7, -1.0}).astype(uint8), std::vector<std::uint8_t>{44, 255});
  expect_cells(array({-1.0, 0x1p63}).astype(uint64), std::vector<std::uint64_t>{UINT64_MAX, std::uint64_t{1} << 63});
  expect_cells(array({UINT64_MAX}).astype(float64), std::vector<double>{0x1p64});
}

TEST_F(Dtypes, RangesGoDownToo) {
  expect_cells(arange(5, 0, -2, uint8), std::vector<std::uint8_t>{5, 3, 1});
  expect_cells(arange(3, uint64), std::vector<std::uint64_t>{0, 1, 2});
}

TEST_F(Dtypes, SayWhatTheyHold) {
  EXPECT_EQ(iinfo(int8).min, -128);
  EXPECT_EQ(iinfo(uint64).max, UINT64_MAX);
  EXPECT_EQ(iinfo(uint16).bits, 16);
  EXPECT_EQ(finfo(float32).eps, 0x1p-23);
  EXPECT_EQ(finfo(float64).max, std::numeric_limits<double>::max());
  expect_refused<DTypeError>(recorder, [] { iinfo(float32); }, {"[iinfo]", "float32", "finfo"});
  expect_refused<DTypeError>(recorder, [] { finfo(uint8); }, {"[finfo]", "uint8", "iinfo"});
}

TEST_F(Dtypes, SayWhatCastsAndMeetings) {
  EXPECT_TRUE(can_cast(uint8, int16) && can_cast(int64, float64) && can_cast(bool_, int8));
  EXPECT_FALSE(can_cast(uint8, int8) || can_cast(int32, float32) || can_cast(int8, uint64));
  EXPECT_TRUE(can_cast(uint64, int8, Casting::SameKind) && can_cast(float64, int8, Casting::Unsafe));
  EXPECT_FALSE(can_cast(int8, uint64, Casting::SameKind) || can_cast(int8, int16, Casting::No));
  EXPECT_EQ(result_type(int8, uint8), int16);
  EXPECT_EQ(result_type(array({1}, uint8), 300), uint8);
  EXPECT_EQ(result_type(array({1}, uint8), 1.5), float64);
}

TEST_F(Dtypes, ArePrintedAsNumbers) {
  std::ostringstream text;
  text << array({7, 255}, uint8) << array({-128, 65}, int8) << array({UINT64_MAX});
  EXPECT_EQ(text.str(), "[  7 255][-128   65][18446744073709551615]");
}

}  // namespace
}  // namespace pilum::numeric
