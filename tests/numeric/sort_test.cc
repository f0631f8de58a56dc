// Cells in order, medians and quantiles; values of NumPy's.
#include "pilum/sort.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "pilum/manipulation.h"
#include "pilum/statistics.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using testing::IsNan;
using Sorts = NumericTest;
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST_F(Sorts, LinesAreSorted) {
  const Array a = array({{3, 1, 2}, {0, 5, -4}});
  EXPECT_THAT(doubles(sort(a)), ElementsAre(1, 2, 3, -4, 0, 5));
  EXPECT_THAT(doubles(sort(a, 0)), ElementsAre(0, 1, -4, 3, 5, 2));
  EXPECT_THAT(doubles(sort(a, {})), ElementsAre(-4, 0, 1, 2, 3, 5));
  EXPECT_THAT(doubles(sort(a.T())), ElementsAre(0, 3, 1, 5, -4, 2));
  EXPECT_THAT(doubles(sort(a(all, slice({}, {}, -2)))), ElementsAre(2, 3, -4, 0));
  EXPECT_EQ(sort(a).dtype(), int32);
  EXPECT_THAT(sort(array({true, false, true})).to_vector<bool>(), ElementsAre(false, true, true));
  EXPECT_THAT(doubles(a), ElementsAre(3, 1, 2, 0, 5, -4)) << "the array stays as it is";
}

TEST_F(Sorts, NaNsStandLast) {
  EXPECT_THAT(doubles(sort(array({3.0, kNan, -kInf, kNan, kInf, 0.0}))),
              ElementsAre(-kInf, 0, 3, kInf, IsNan(), IsNan()));
  EXPECT_THAT(doubles(argsort(array({3.0, kNan, -kInf, kNan, 0.0, -0.0}))), ElementsAre(2, 4, 5, 0, 1, 3));
  EXPECT_THAT(doubles(unique(array({3.0, kNan, kNan, 1.0}))), ElementsAre(1, 3, IsNan()));
}

TEST_F(Sorts, EqualCellsKeepTheirPlaces) {
  EXPECT_THAT(doubles(argsort(array({2, 1, 2, 1, 1}))), ElementsAre(1, 3, 4, 0, 2));
  EXPECT_EQ(argsort(ones({2, 3})).dtype(), int64);
  EXPECT_THAT(doubles(argsort(array({{3, 1}, {1, 5}}), 0)), ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(doubles(argsort(array({{3, 1}, {1, 5}}), {})), ElementsAre(1, 2, 0, 3));
  const Array many = arange(1000) * 7919 % 101;
  EXPECT_TRUE(array_equal(many(argsort(many)), sort(many)));
}

// Lines of few cells and of many go other ways, and zeros of both signs and NaNs keep their order in each.
template <class T>
void check_bits_of_sorts(std::int64_t count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(count));
  std::vector<T> cells(static_cast<std::size_t>(count));
  const float few[] = {0.0f, -0.0f, 2.5f, -2.5f, HUGE_VALF, -HUGE_VALF, NAN, -NAN};
  for (T& cell : cells) {
    const std::uint64_t word = random();
    std::memcpy(static_cast<void*>(&cell), &word, sizeof cell);
    if constexpr (!std::is_integral_v<T>) {
      if (word >> 63) cell = static_cast<T>(few[random() % 8]);
    }
  }
  std::vector<std::int64_t> places(cells.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
    const T x = cells[static_cast<std::size_t>(a)], y = cells[static_cast<std::size_t>(b)];
    return x != x || y != y ? y != y && x == x : x < y;
  });
  const Array line = array(cells);
  SCOPED_TRACE(testing::Message() << count << " cells of " << line.dtype());
  const auto found = sort(line).to_vector<T>();
  EXPECT_EQ(argsort(line).to_vector<std::int64_t>(), places);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const T cell = found[i];
    ASSERT_EQ(std::memcmp(&cell, &cells[static_cast<std::size_t>(places[i])], sizeof(T)), 0) << i;
  }
  const Array columns = stack({line, line}, 1);  // whose lines' cells do not lie side by side
  EXPECT_EQ(argsort(columns, 0)(all, 1).to_vector<std::int64_t>(), places);
  const auto column = sort(columns, 0)(all, 1).to_vector<T>();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const T cell = column[i], expected = found[i];
    if (cell != cell && expected != expected) continue;  // copies of float16 do not keep a NaN's bits
    ASSERT_EQ(std::memcmp(&cell, &expected, sizeof(T)), 0) << i;
  }
}

TEST_F(Sorts, AreOfTheSameBitsHoweverManyCells) {
  for (const std::int64_t count : {1, 2, 30, 63, 64, 255, 256, 511, 512, 513, 5000}) {
    check_bits_of_sorts<double>(count);
    check_bits_of_sorts<float>(count);
    check_bits_of_sorts<half>(count);
    check_bits_of_sorts<std::int64_t>(count);
    check_bits_of_sorts<std::uint64_t>(count);
    check_bits_of_sorts<std::int32_t>(count);
    check_bits_of_sorts<std::uint32_t>(count);
    check_bits_of_sorts<std::int16_t>(count);
    check_bits_of_sorts<std::uint16_t>(count);
    check_bits_of_sorts<std::int8_t>(count);
    check_bits_of_sorts<std::uint8_t>(count);
  }
  const Array bools = arange(1000) * 7919 % 13 < 5;
  EXPECT_TRUE(array_equal(sort(bools), arange(1000) >= 1000 - count_nonzero(bools).item<std::int64_t>()));
}

TEST_F(Sorts, ArraysOfNoCellsAndOfOne) {
  EXPECT_EQ(sort(zeros({0, 3}), 0).shape(), (Shape{0, 3}));
  EXPECT_EQ(sort(zeros({3, 0}), {}).shape(), Shape{0});
  EXPECT_EQ(sort(array(3), {}).shape(), Shape{1});
  EXPECT_THAT(doubles(argsort(array(3))), ElementsAre(0));
  EXPECT_EQ(unique(zeros(0)).shape(), Shape{0});
  EXPECT_THAT(doubles(unique(array(3))), ElementsAre(3));
}

TEST_F(Sorts, DifferentCellsOnce) {
  EXPECT_THAT(doubles(unique(array({{3, 1}, {1, 2}}))), ElementsAre(1, 2, 3));
  EXPECT_THAT(unique(array({true, true})).to_vector<bool>(), ElementsAre(true));
  EXPECT_EQ(unique(arange(100) % 7).size(), 7);
}

TEST_F(Sorts, TheMedianIsTheMiddleOne) {
  const Array a = array({{1, 9, 2}, {4, 3, 5}});
  EXPECT_EQ(median(a).item<double>(), 3.5);
  EXPECT_THAT(doubles(median(a, 1)), ElementsAre(2, 4));
  EXPECT_THAT(doubles(median(a, 0)), ElementsAre(2.5, 6, 3.5));
  EXPECT_EQ(median(a, {0, 1}, true).shape(), (Shape{1, 1}));
  EXPECT_EQ(median(a, 1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(median(ones(3, float32)).dtype(), float32);
  EXPECT_EQ(median(array({true, false})).item<double>(), 0.5);
  EXPECT_EQ(median(array(3)).item<double>(), 3);
  EXPECT_TRUE(std::isnan(median(array({1.0, kNan})).item<double>()));
  EXPECT_TRUE(std::isnan(median(zeros(0)).item<double>()));
  EXPECT_THAT(doubles(median(zeros({0, 2}), 0)), ElementsAre(IsNan(), IsNan()));
  EXPECT_EQ(median(zeros({0, 2}), 1).shape(), Shape{0});
  EXPECT_THAT(doubles(median(arange(24).reshape({2, 3, 4}), {0, 2})), ElementsAre(7.5, 11.5, 15.5));
}

TEST_F(Sorts, QuantilesStandBetweenCells) {
  const Array a = array({4, 1, 3, 2});
  EXPECT_EQ(quantile(a, 0.5).item<double>(), 2.5);
  EXPECT_EQ(quantile(a, 0.25).item<double>(), 1.75);
  EXPECT_EQ(percentile(a, 100).item<double>(), 4);
  EXPECT_THAT(doubles(quantile(a, {0.75, 0.0, 1.0, 0.1})), ElementsAre(3.25, 1, 4, testing::DoubleEq(1.3)));
  std::vector<double> places, expected;
  for (int k = 64; k >= 0; --k) places.push_back(k / 64.0);
  for (int k = 64; k >= 0; --k) expected.push_back(4 * k);
  EXPECT_EQ(doubles(quantile(arange(257), places)), expected);
  const Array rows = array({{1.0, 2.0, 3.0}, {6.0, 5.0, 4.0}});
  EXPECT_THAT(doubles(percentile(rows, {0.0, 50.0}, 1)), ElementsAre(1, 4, 2, 5));
  EXPECT_EQ(quantile(rows, {0.1, 0.2, 0.3, 0.4}, 1).shape(), (Shape{4, 2}));
  EXPECT_EQ(quantile(rows, {0.1, 0.2, 0.3}, 1, true).shape(), (Shape{3, 2, 1}));
  EXPECT_EQ(quantile(rows, 0.5, 0, true).shape(), (Shape{1, 3}));
  EXPECT_EQ(quantile(rows, std::vector<double>{}, 1).shape(), (Shape{0, 2}));
  EXPECT_EQ(quantile(ones(3, float32), 0.5).dtype(), float32);
  EXPECT_EQ(quantile(ones(3, float32), {0.5}).dtype(), float64);
  EXPECT_TRUE(std::isnan(quantile(array({1.0, kNan}), 0.0).item<double>()));
  EXPECT_EQ(quantile(array({INT64_MIN, INT64_MAX}), 0.25).item<double>(), -0x1p62);
}

TEST_F(Sorts, TellWhatTheyRefuse) {
  const Array a = ones({2, 3}), number = full({}, 1.0), none = zeros({0, 3}), bools = ones(2, bool_);
  expect_refused<IndexError>(recorder, [&] { sort(a, 2); }, {"[sort]", "axis 2"});
  expect_refused<IndexError>(recorder, [&] { sort(number); }, {"[sort]", "axis -1"});
  expect_refused<IndexError>(recorder, [&] { argsort(a, -3); }, {"[argsort]", "axis -3"});
  expect_refused<IndexError>(recorder, [&] { median(a, 5); }, {"[median]", "axis 5"});
  expect_refused<IndexError>(recorder, [&] { median(number, 0); }, {"[median]", "axis 0"});
  expect_refused<ValueError>(recorder, [&] { median(a, {0, 0}); }, {"[median]", "twice"});
  expect_refused<ValueError>(recorder, [&] { quantile(a, 1.5); }, {"[quantile]", "1.5"});
  expect_refused<ValueError>(recorder, [&] { quantile(a, kNan); }, {"[quantile]", "nan"});
  expect_refused<ValueError>(recorder, [&] { percentile(a, {50.0, -1.0}); }, {"[percentile]", "-1", "100"});
  expect_refused<ValueError>(recorder, [&] { quantile(none, 0.5, 0); }, {"[quantile]", "(0, 3)"});
  const Array nothing = zeros({0, 0});
  expect_refused<ValueError>(recorder, [&] { percentile(nothing, 50, 1); }, {"[percentile]", "(0, 0)"});
  expect_refused<DTypeError>(recorder, [&] { quantile(bools, 0.5); }, {"[quantile]", "astype"});
}

TEST_F(Sorts, AMedianOfLargeCellsIsOneOfThem) {
  EXPECT_EQ(median(array({3e38f})).item<float>(), 3e38f);
  EXPECT_EQ(median(array({1e308, -1e308, 1.5e308})).item<double>(), 1e308);
  EXPECT_EQ(median(array({3e38f, 3e38f})).item<float>(), HUGE_VALF) << "as NumPy's: both are added";
}

TEST_F(Sorts, QuantilesWithoutNaNsAreOfTheNumbers) {
  const Array a = array({{1.0, kNan, 4.0}, {kNan, kNan, kNan}, {3.0, 1.0, 2.0}});
  const auto rows = nanmedian(a, 1).to_vector<double>();
  EXPECT_THAT(rows, ElementsAre(2.5, IsNan(), 2));
  EXPECT_EQ(nanmedian(a).item<double>(), 2);
  EXPECT_EQ(nanmedian(a, {0, 1}, true).shape(), (Shape{1, 1}));
  const Array places = nanquantile(a, {0.25, 0.5}, 1);
  EXPECT_THAT(places(0).to_vector<double>(), ElementsAre(1.75, IsNan(), 1.5));
  EXPECT_THAT(places(1).to_vector<double>(), ElementsAre(2.5, IsNan(), 2));
  EXPECT_THAT(nanpercentile(a, 25, 0, true).to_vector<double>(), ElementsAre(1.5, 1, 2.5));
  EXPECT_EQ(nanquantile(array({1, 2, 3, 4}), 0.5).item<double>(), 2.5);
  EXPECT_EQ(nanmedian(ones(3, float32)).dtype(), float32);
  EXPECT_TRUE(std::isnan(nanmedian(zeros(0)).item<double>()));
  EXPECT_THAT(nanquantile(zeros({0, 2}), 0.5, 0).to_vector<double>(), testing::Each(IsNan()));
  const Array bools = array({true, false});
  expect_refused<ValueError>(recorder, [&] { nanquantile(a, 1.5); }, {"[nanquantile]", "1.5"});
  expect_refused<DTypeError>(recorder, [&] { nanpercentile(bools, 50); }, {"[nanpercentile]", "astype"});
  expect_refused<IndexError>(recorder, [&] { nanmedian(a, 2); }, {"[nanmedian]", "2"});
}

TEST_F(Sorts, QuantilesByOtherMethodsAreCellsOrBetweenThem) {
  const Array a = array({4, 1, 3, 2});
  EXPECT_EQ(quantile(a, 0.4, {}, false, "lower").item<std::int32_t>(), 2);
  EXPECT_EQ(quantile(a, 0.4, {}, false, "higher").item<std::int32_t>(), 3);
  EXPECT_EQ(quantile(a, 0.5, {}, false, "nearest").item<std::int32_t>(), 3) << "1.5 is rounded to the even place";
  EXPECT_EQ(quantile(a, 0.4, {}, false, "midpoint").item<double>(), 2.5);
  EXPECT_EQ(percentile(a, {25.0, 50.0}, {}, false, "hazen").to_vector<double>(), (std::vector<double>{1.5, 2.5}));
  expect_refused<ValueError>(recorder, [&] { quantile(a, 0.5, {}, false, "middle"); }, {"[quantile]", "middle"});
}

TEST_F(Sorts, QuantilesOfWeightsAreTheFirstCellsThatHaveTheirShare) {
  const Array a = array({4, 1, 3, 2}), weights = array({1, 0, 3, 4});  // in order: 1, 2, 3, 4 of 0, 4, 3, 1
  const auto at = [&](double q) { return quantile(a, q, {}, false, "inverted_cdf", weights).item<std::int32_t>(); };
  EXPECT_EQ(at(0), 2) << "1 has no weight";
  EXPECT_EQ(at(0.5), 2);
  EXPECT_EQ(at(0.51), 3);
  EXPECT_EQ(at(0.875), 3);
  EXPECT_EQ(at(1), 4);
  const Array rows = a.reshape({2, 2});
  EXPECT_EQ(percentile(rows, {50.0, 100.0}, 1, true, "inverted_cdf", array({1.0, 3.0})).shape(), (Shape{2, 2, 1}));
  EXPECT_THAT(percentile(rows, 50, 1, false, "inverted_cdf", array({1.0, 3.0})).to_vector<std::int32_t>(),
              ElementsAre(1, 2));
  const Array lost = array({1.0, kNan, 3.0}), ones_each = ones(3);
  EXPECT_TRUE(std::isnan(quantile(lost, 0.1, {}, false, "inverted_cdf", ones_each).item<double>()));
  EXPECT_EQ(nanquantile(lost, 1.0, {}, false, "inverted_cdf", ones_each).item<double>(), 3);
}

TEST_F(Sorts, WeightsThatMakeNoSenseAreRefused) {
  const Array a = arange(6).reshape({2, 3}), weights = ones({2, 3}), few = ones(3),
              complex = weights * std::complex<double>(0, 1);
  const auto weigh = [&](const Array& by, Axes axes = {}, const char* method = "inverted_cdf") {
    return [&a, by, axes, method] { quantile(a, 0.5, axes, false, method, by); };
  };
  expect_refused<ValueError>(recorder, [&] { quantile(a, 0.5, {}, false, "linear", weights); },
                             {"[quantile]", "\"linear\"", "inverted_cdf"});
  expect_refused<ShapeError>(recorder, [&] { quantile(a, 0.5, {}, false, "inverted_cdf", few); },
                             {"[quantile]", "(3,)", "(2, 3)"});
  expect_refused<ShapeError>(recorder, [&] { quantile(a, 0.5, 0, false, "inverted_cdf", few); },
                             {"[quantile]", "(3,)"});
  expect_refused<DTypeError>(recorder, [&] { quantile(a, 0.5, {}, false, "inverted_cdf", complex); }, {"[quantile]"});
  EXPECT_THROW(weigh(array({1, 1, -1}), 1)(), ValueError);
  EXPECT_THROW(weigh(zeros(3), 1)(), ValueError);
  EXPECT_THROW(weigh(array({1.0, kNan, 1.0}), 1)(), ValueError);
  EXPECT_THROW(weigh(array({1.0, kInfinity, 1.0}), 1)(), ValueError);
  EXPECT_NO_THROW(weigh(array({0, 0, 1}), 1)());
}

TEST_F(Sorts, QuantilesAreOfAnArrayOfPlaces) {
  const Array a = arange(12).reshape({3, 4}), places = array({{0.25, 0.5}, {1.0, 0.0}});
  EXPECT_EQ(quantile(a, places).shape(), (Shape{2, 2}));
  EXPECT_THAT(doubles(quantile(a, places)), ElementsAre(2.75, 5.5, 11, 0));
  EXPECT_EQ(quantile(a, places, 1).shape(), (Shape{2, 2, 3}));
  EXPECT_THAT(doubles(percentile(a, array({50}), 0, true)), ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(percentile(a, array({50}), 0, true).shape(), (Shape{1, 1, 4}));
  EXPECT_EQ(quantile(a, array(0.5)).shape(), Shape{});
  EXPECT_EQ(quantile(a, array(0.5)).item<double>(), 5.5);
  EXPECT_EQ(quantile(a.astype(float32), array({0.5})).dtype(), float64);
  EXPECT_THAT(cells(quantile(a, places, {}, false, "lower")), ElementsAre(2, 5, 11, 0));
  EXPECT_THAT(doubles(nanpercentile(array({1.0, kNan, 3.0}), array({0, 50, 100}))), ElementsAre(1, 2, 3));
  EXPECT_THAT(doubles(nanquantile(array({1.0, kNan, 3.0}), array({0.5}))), ElementsAre(2));
  const Array bools = array({true, false}), beyond = array({0.5, 1.5});
  expect_refused<DTypeError>(recorder, [&] { quantile(a, bools); }, {"[quantile]", "bool"});
  expect_refused<ValueError>(recorder, [&] { quantile(a, beyond); }, {"[quantile]", "1.5"});
}

}  // namespace
}  // namespace pilum::numeric
