// Sums, products and extrema of the cells so far; values of NumPy's.
#include "pilum/scan.h"

#include <cmath>
#include <limits>

#include "pilum/manipulation.h"
#include "pilum/statistics.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using Scans = NumericTest;

TEST_F(Scans, EachCellIsTheSumOfThoseSoFar) {
  const Array a = array({{1, 2, 3}, {4, 5, 6}});
  EXPECT_THAT(doubles(cumsum(a)), ElementsAre(1, 3, 6, 10, 15, 21));
  EXPECT_THAT(doubles(cumsum(a, 0)), ElementsAre(1, 2, 3, 5, 7, 9));
  EXPECT_THAT(doubles(cumsum(a, -1)), ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(doubles(cumprod(a, 1)), ElementsAre(1, 2, 6, 4, 20, 120));
  EXPECT_THAT(doubles(cumsum(a.T(), 0)), ElementsAre(1, 4, 3, 9, 6, 15));
  EXPECT_THAT(doubles(cumsum(a(all, slice({}, {}, -1)), 1)), ElementsAre(3, 5, 6, 6, 11, 15));
  EXPECT_EQ(cumsum(a, 0).shape(), (Shape{2, 3}));
  EXPECT_THAT(doubles(cumsum(arange(24).reshape({2, 3, 4}), 1)(1, 2)), ElementsAre(48, 51, 54, 57));
}

TEST_F(Scans, ArraysOfNoCellsAndOfOne) {
  EXPECT_EQ(cumsum(zeros({0, 3}), 0).shape(), (Shape{0, 3}));
  EXPECT_EQ(cumsum(zeros({3, 0})).shape(), Shape{0});
  EXPECT_EQ(cumsum(array(3)).shape(), Shape{1});
  EXPECT_EQ(cumprod(array(3.5), -1).to_vector<double>(), std::vector<double>{3.5});
}

TEST_F(Scans, DtypesAreThoseOfSums) {
  EXPECT_EQ(cumsum(array({true, true})).dtype(), int64);
  EXPECT_EQ(cumsum(ones(2, int8)).dtype(), int64);
  EXPECT_EQ(cumprod(ones(2, uint8)).dtype(), uint64);
  EXPECT_EQ(cumsum(ones(2, float32)).dtype(), float32);
  EXPECT_THAT(doubles(cumsum(array({1, 200}), {}, uint8)), ElementsAre(1, 201));
  EXPECT_THAT(doubles(cumsum(array({100, 200}), {}, uint8)), ElementsAre(100, 44));
  EXPECT_THAT(cumsum(array({0, 1, 1, 0}), {}, bool_).to_vector<bool>(), ElementsAre(false, true, true, true));
  EXPECT_THAT(cumprod(array({1, 1, 0, 1}), {}, bool_).to_vector<bool>(), ElementsAre(true, true, false, false));
  EXPECT_THAT(doubles(cumsum(array({1.7, 1.7}), {}, int64)), ElementsAre(1, 2));
  EXPECT_THAT(cumprod(full(3, INT64_MAX)).to_vector<std::int64_t>(), ElementsAre(INT64_MAX, 1, INT64_MAX));
}

TEST_F(Scans, SpecialValues) {
  const std::vector<double> zeros_of_sign = doubles(cumsum(array({-0.0, -0.0, 0.0, -0.0})));
  EXPECT_TRUE(std::signbit(zeros_of_sign[0]) && std::signbit(zeros_of_sign[1]));
  EXPECT_FALSE(std::signbit(zeros_of_sign[2]) || std::signbit(zeros_of_sign[3]));
  EXPECT_THAT(doubles(cumsum(array({1.0, kNan, 1.0}))), ElementsAre(1, testing::IsNan(), testing::IsNan()));
  EXPECT_THAT(doubles(nancumsum(array({1.0, kNan, 1.0}))), ElementsAre(1, 1, 2));
  EXPECT_THAT(doubles(nancumprod(array({{2.0, kNan}, {kNan, 3.0}}), 0)), ElementsAre(2, 1, 2, 3));
  EXPECT_THAT(doubles(nancumsum(array({1, 2}))), ElementsAre(1, 3));
}

TEST_F(Scans, AccumulateTakesFourFunctions) {
  const Array a = array({{3, 1}, {1, 5}});
  EXPECT_THAT(doubles(accumulate(add, a)), ElementsAre(3, 1, 4, 6));
  EXPECT_THAT(doubles(accumulate(multiply, a, 1)), ElementsAre(3, 3, 1, 5));
  EXPECT_THAT(doubles(accumulate(minimum, a)), ElementsAre(3, 1, 1, 1));
  EXPECT_THAT(doubles(accumulate(maximum, a, -1)), ElementsAre(3, 3, 1, 5));
  EXPECT_EQ(accumulate(maximum, a).dtype(), int32);
  EXPECT_THAT(doubles(accumulate(maximum, array({1.0, kNan, 3.0}))),
              ElementsAre(1, testing::IsNan(), testing::IsNan()));
  EXPECT_THAT(accumulate(minimum, array({true, false, true})).to_vector<bool>(), ElementsAre(true, false, false));
  EXPECT_THAT(doubles(accumulate(maximum, array({-2.0, -3.0}))), ElementsAre(-2, -2));
}

// One after the other in blocks of 1,024; the blocks' sums, too.
template <class T>
std::vector<T> blockwise(const std::vector<T>& from) {
  std::vector<T> sums;
  T before{}, within{};
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (i % 1024 == 0) {
      before = i == 0 ? T(-0.0) : static_cast<T>(before + within);
      within = T(-0.0);
    }
    within = static_cast<T>(within + from[i]);
    sums.push_back(static_cast<T>(before + within));
  }
  return sums;
}

TEST_F(Scans, LongLinesHaveTheBitsOfTheirBlocks) {
  constexpr std::int64_t kCells = 9 * 1024 + 77;
  const Array line = (arange(kCells, float32) * 37 % 101) / 7, twice = stack({line, -line});
  const std::vector<float> expected = blockwise(line.to_vector<float>());
  EXPECT_EQ(cumsum(line).to_vector<float>(), expected);
  EXPECT_EQ(cumsum(twice, 1)(0).to_vector<float>(), expected);
  EXPECT_EQ((-cumsum(twice, 1)(1)).to_vector<float>(), expected);
  const Array columns = twice.T().copy();
  EXPECT_EQ(cumsum(columns, 0)(all, 0).to_vector<float>(), expected);
  EXPECT_EQ(cumsum(line(slice({}, {}, -1))(slice({}, {}, -1))).to_vector<float>(), expected);
  const Array wide = broadcast_to(line(all, newaxis), {kCells, 600});
  EXPECT_EQ(cumsum(wide, 0)(all, 599).to_vector<float>(), expected);
}

TEST_F(Scans, TellWhatTheyRefuse) {
  const Array a = ones({2, 3}), number = full({}, 1.0);
  expect_refused<IndexError>(recorder, [&] { cumsum(a, 2); }, {"[cumsum]", "axis 2"});
  expect_refused<IndexError>(recorder, [&] { cumprod(a, -3); }, {"[cumprod]", "axis -3"});
  expect_refused<IndexError>(recorder, [&] { cumsum(number, 1); }, {"[cumsum]", "axis 1"});
  expect_refused<IndexError>(recorder, [&] { nancumsum(a, 5); }, {"[nancumsum]", "5"});
  expect_refused<ShapeError>(recorder, [&] { accumulate(add, number); }, {"[accumulate]", "reshape"});
  expect_refused<IndexError>(recorder, [&] { accumulate(add, a, 2); }, {"[accumulate]", "axis 2"});
  expect_refused<ValueError>(recorder, [&] { accumulate(subtract, a); }, {"[accumulate]", "add"});
}

}  // namespace
}  // namespace pilum::numeric
