#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using Indexing = NumericTest;

TEST_F(Indexing, SlicesFollowPython) {
  const Array a = arange(6);
  EXPECT_THAT(cells(a(slice(1, -1))), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(cells(a(slice({}, {}, -2))), ElementsAre(5, 3, 1));
  EXPECT_THAT(cells(a(slice(-2, {}))), ElementsAre(4, 5));
  EXPECT_THAT(cells(a(slice(4, 1, -1))), ElementsAre(4, 3, 2));
  EXPECT_THAT(cells(a(slice(-100, 100, 4))), ElementsAre(0, 4));
  EXPECT_THAT(cells(a(slice(100, -100, -5))), ElementsAre(5, 0));
  EXPECT_THAT(cells(a(slice(3, 3))), ElementsAre());
  EXPECT_THAT(cells(a(slice(5, 2))), ElementsAre());
  EXPECT_THAT(cells(a(slice(2, {}, INT64_MAX))), ElementsAre(2));
  EXPECT_THAT(cells(a(slice(2, {}, INT64_MIN))), ElementsAre(2));
}

TEST_F(Indexing, IntegersDropAxesAndNewaxisAddsThem) {
  const Array a = arange(24).reshape({2, 3, 4});
  EXPECT_EQ(a(1).shape(), (Shape{3, 4}));
  EXPECT_EQ(a(-1, 0).shape(), Shape{4});
  EXPECT_EQ(a(1, 2, 3).shape(), Shape{});
  EXPECT_EQ(a(1, 2, 3).item<std::int64_t>(), 23);
  EXPECT_EQ(a(newaxis, 0, newaxis).shape(), (Shape{1, 1, 3, 4}));
  EXPECT_EQ(a(ellipsis, 0).shape(), (Shape{2, 3}));
  EXPECT_EQ(a(ellipsis, newaxis).shape(), (Shape{2, 3, 4, 1}));
  EXPECT_EQ(a(0, ellipsis, 0).shape(), Shape{3});
  EXPECT_EQ(a(0, 0, 0, ellipsis).shape(), Shape{});
  EXPECT_EQ(a().shape(), a.shape());
  EXPECT_THAT(cells(a(all, 1, 2)), ElementsAre(6, 18));
}

TEST_F(Indexing, BroadcastAxesCanBeIndexed) {
  const Array a = broadcast_to(arange(3), {4, 3});
  EXPECT_THAT(cells(a(2, slice({}, {}, -1))), ElementsAre(2, 1, 0));
  EXPECT_EQ(a(slice(1, 3)).shape(), (Shape{2, 3}));
  EXPECT_THAT(cells(a(slice(1, 3), -1)), ElementsAre(2, 2));
}

TEST_F(Indexing, RefusesWhatIsNotThere) {
  const Array a = zeros({3, 4});
  expect_refused<IndexError>(recorder, [&] { a(3); }, {"[a(…)]", "index 3", "axis 0", "(3, 4)", "use -3 to 2"});
  expect_refused<IndexError>(recorder, [&] { a(0, -5); }, {"index -5", "axis 1"});
  expect_refused<IndexError>(recorder, [&] { a[7]; }, {"index 7"});
  expect_refused<IndexError>(recorder, [&] { a[SIZE_MAX]; }, {"index 9223372036854775807"});  // no -1
  expect_refused<IndexError>(recorder, [&] { a(0, 0, 0); }, {"3 indices", "(3, 4)", "2 axes"});
  expect_refused<IndexError>(recorder, [&] { a(ellipsis, ellipsis); }, {"2 ellipses"});
  expect_refused<ValueError>(recorder, [&] { a(slice(0, 2, 0)); }, {"a slice step cannot be 0"});
  expect_refused<IndexError>(recorder, [&] { a(3, all) = 1; }, {"index 3"});
  const Array deep = zeros({1, 1, 1, 1, 1, 1, 1, 1});
  expect_refused<ShapeError>(recorder, [&] { deep(newaxis); }, {"9 axes", "at most 8"});
}

TEST_F(Indexing, IndicesMayBeOfAnyIntegerType) {
  const Array a = arange(5);
  const std::size_t k = 2;
  EXPECT_EQ(a(k).item<std::int64_t>(), 2);
  EXPECT_EQ(a(short{-1}).item<std::int64_t>(), 4);
}

}  // namespace
}  // namespace pilum::numeric
