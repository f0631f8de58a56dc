// Diagonals of matrices and of arrays with more axes; values of NumPy's.
#include <cstdint>

#include "pilum/manipulation.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using Diagonals = NumericTest;

TEST_F(Diagonals, AreCopiesOfTheCellsOnThem) {
  const Array a = arange(6).reshape({2, 3});
  EXPECT_THAT(doubles(diagonal(a)), ElementsAre(0, 4));
  EXPECT_THAT(doubles(diagonal(a, 1)), ElementsAre(1, 5));
  EXPECT_THAT(doubles(diagonal(a, 2)), ElementsAre(2));
  EXPECT_THAT(doubles(diagonal(a, -1)), ElementsAre(3));
  EXPECT_THAT(doubles(diagonal(a.T(), 1)), ElementsAre(3));
  EXPECT_THAT(doubles(diagonal(a(all, slice({}, {}, -1)))), ElementsAre(2, 4));
  EXPECT_EQ(diagonal(a, 3).shape(), Shape{0});
  EXPECT_EQ(diagonal(a, INT64_MIN).shape(), Shape{0});
  diagonal(a)[all] = 9;
  EXPECT_EQ(a(0, 0).item<std::int64_t>(), 0);
}

TEST_F(Diagonals, OfTwoOfManyAxesStandLast) {
  const Array a = arange(24).reshape({2, 3, 4});
  EXPECT_EQ(diagonal(a).shape(), (Shape{4, 2}));
  EXPECT_THAT(doubles(diagonal(a, 0, 1, 2)), ElementsAre(0, 5, 10, 12, 17, 22));
  EXPECT_THAT(doubles(diagonal(a, 1, 2, 0)), ElementsAre(12, 16, 20));
  EXPECT_EQ(diagonal(ones({2, 3}, bool_)).dtype(), bool_);
  EXPECT_EQ(diagonal(zeros({0, 3})).shape(), Shape{0});
}

TEST_F(Diagonals, AVectorBecomesOne) {
  EXPECT_THAT(doubles(diag(array({1, 2}), -1)), ElementsAre(0, 0, 0, 1, 0, 0, 0, 2, 0));
  EXPECT_THAT(doubles(diag(arange(4).reshape({2, 2}))), ElementsAre(0, 3));
  EXPECT_EQ(diag(zeros(0), 1).shape(), (Shape{1, 1}));
}

TEST_F(Diagonals, TellWhatTheyRefuse) {
  const Array vector = arange(3), a = ones({2, 2}), number = full({}, 1.0), cube = ones({2, 2, 2});
  expect_refused<ShapeError>(recorder, [&] { diagonal(vector); }, {"[diagonal]", "(3,)"});
  expect_refused<ValueError>(recorder, [&] { diagonal(a, 0, 1, -1); }, {"[diagonal]", "twice"});
  expect_refused<IndexError>(recorder, [&] { diagonal(a, 0, 0, 2); }, {"[diagonal]", "axis 2"});
  expect_refused<ShapeError>(recorder, [&] { diag(number); }, {"[diag]", "()"});
  expect_refused<ShapeError>(recorder, [&] { diag(cube); }, {"[diag]", "(2, 2, 2)"});
}

}  // namespace
}  // namespace pilum::numeric
