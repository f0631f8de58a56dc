#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using Views = NumericTest;

TEST_F(Views, TransposesReverseOrPermute) {
  const Array a = arange(6).reshape({1, 2, 3});
  EXPECT_EQ(a.T().shape(), (Shape{3, 2, 1}));
  EXPECT_EQ(transpose(a, {2, 0, 1}).shape(), (Shape{3, 1, 2}));
  EXPECT_EQ(a.transpose({-1, 0, 1}).shape(), (Shape{3, 1, 2}));
  EXPECT_THAT(a.T().to_vector<std::int64_t>(), ElementsAre(0, 3, 1, 4, 2, 5));
  a.T()(0) = -1;
  EXPECT_THAT(a.to_vector<std::int64_t>(), ElementsAre(-1, 1, 2, -1, 4, 5));
  EXPECT_EQ(zeros({}).T().shape(), Shape{});
}

TEST_F(Views, TransposeRefusesOtherAxes) {
  const Array a = zeros({2, 3});
  expect_refused<ValueError>(recorder, [&] { a.transpose({0}); }, {"[transpose]", "1 axes", "(2, 3)"});
  expect_refused<ValueError>(recorder, [&] { a.transpose({0, 0}); }, {"axis 0", "twice"});
  expect_refused<IndexError>(recorder, [&] { a.transpose({0, 2}); }, {"axis 2"});
}

TEST_F(Views, ReshapeByAxesOfOneIsAView) {
  const Array a = arange(6).reshape({2, 3}).copy();
  const std::size_t before = recorder.recorded().size();
  const Array b = a.reshape({1, 2, 1, 3});
  EXPECT_EQ(recorder.recorded().size(), before);
  b(0, 1, 0, 2) = 50;
  EXPECT_EQ(a(1, 2).item<std::int64_t>(), 50);
  const Array c = b.reshape({2, -1});
  c(0, 0) = 7;
  EXPECT_EQ(a(0, 0).item<std::int64_t>(), 7);
  EXPECT_EQ(a(0, slice(1, 2)).reshape({}).item<std::int64_t>(), 1);
}

TEST_F(Views, OtherReshapesMoveCellsAndAreViewsWhereNumPysAre) {
  const Array a = arange(6);
  const Array b = a.reshape({2, 3});
  EXPECT_TRUE(recorder.recorded().back().is_reshape);
  b(all) = 0;
  EXPECT_EQ(a(5).item<std::int64_t>(), 0);
  const Array c = b.T().reshape({6});
  c(all) = 1;
  EXPECT_EQ(b(0, 0).item<std::int64_t>(), 0);
  EXPECT_THAT(arange(6).reshape({2, 3}).T().reshape(-1).to_vector<std::int64_t>(), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_EQ(zeros({0, 3}).reshape({3, 0}).shape(), (Shape{3, 0}));
}

TEST_F(Views, ReshapeRefusesOtherCounts) {
  const Array a = zeros({3, 4});
  expect_refused<ShapeError>(recorder, [&] { a.reshape({5, 3}); },
                             {"[reshape] 12 elements do not fit (5, 3): it has 15"});
  expect_refused<ShapeError>(recorder, [&] { a.reshape({5, -1}); }, {"12 elements", "(5, -1)"});
  expect_refused<ShapeError>(recorder, [&] { a.reshape({-1, -1}); }, {"two extents open"});
  expect_refused<ShapeError>(recorder, [&] { a.reshape({-2, 6}); }, {"negative"});
  expect_refused<ShapeError>(recorder, [&] { a.reshape({0, -1}); }, {"(0, -1)"});
  expect_refused<ShapeError>(recorder, [&] { a.reshape({12, 1, 1, 1, 1, 1, 1, 1, 1}); }, {"9 axes"});
}

TEST_F(Views, BroadcastToIsReadOnly) {
  const Array a = arange(3);
  Array b = broadcast_to(a, {2, 3});
  EXPECT_THAT(b.to_vector<std::int64_t>(), ElementsAre(0, 1, 2, 0, 1, 2));
  a(0) = 9;
  EXPECT_EQ(b(1, 0).item<std::int64_t>(), 9);
  expect_refused<ValueError>(recorder, [&] { b(all) = 1; }, {"(2, 3)", "axis 0", "copy()"});
  expect_refused<ValueError>(recorder, [&] { b += 1; }, {"[+=]", "copy()"});
  expect_refused<ShapeError>(recorder, [&] { broadcast_to(a, {3, 2}); }, {"[broadcast_to]", "(3,)", "(3, 2)"});
  expect_refused<ShapeError>(recorder, [&] { broadcast_to(b, {3}); }, {"(2, 3)", "(3,)"});
  b(0, all) = 4;
  EXPECT_EQ(a(2).item<std::int64_t>(), 4) << "one row of it repeats nothing";
}

}  // namespace
}  // namespace pilum::numeric
