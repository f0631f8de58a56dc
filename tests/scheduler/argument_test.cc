// What points touch of an array: the same questions to a kernel's argument and to a body's.
#include "scheduler/record/argument.h"

#include <gtest/gtest.h>

namespace pilum::scheduler {
namespace {

using partitioner::AffineMap;
using partitioner::Region;

StoreRef store_of(const Shape& shape) {
  auto* store = new Store;
  store->shape = shape;
  return StoreRef(store);
}

Argument kernel_reads(const Shape& shape, const std::vector<Point>& offsets) {
  Argument read = kernel_argument(store_of(shape), AffineMap::identity(shape.rank()), kernel::Access::Read);
  Offsets cells;
  for (const Point& offset : offsets) cells.add(offset);
  read.footprint.cells = cells;
  return read;
}

Argument body_reads(const View& view, int domain_rank, const Windows& windows) {
  Argument read{view, {}};
  read.footprint.domain_rank = static_cast<std::int8_t>(domain_rank);
  read.footprint.shape = view.shape;
  read.footprint.cells = windows;
  return read;
}

TEST(Argument, AKernelTouchesItsPiecePlusEachOffset) {
  const Argument read = kernel_reads({100, 100}, {Point{2, {0, 1}}, Point{2, {1, 0}}});
  const Rect piece = Rect::of({10, 10}, {20, 20});
  EXPECT_EQ(read.hull(piece), Rect::of({10, 10}, {21, 21}));
  EXPECT_EQ(read.cells(piece), Region::of({Rect::of({10, 11}, {20, 21}), Rect::of({11, 10}, {21, 20})}));
  EXPECT_FALSE(read.is_pointwise());
}

TEST(Argument, TheHullOfOffsetsThatLeaveThePointOutBeginsBesideIt) {
  const Argument read = kernel_reads({100}, {Point{1, {3}}, Point{1, {5}}});
  EXPECT_EQ(read.low(), (Point{1, {3}}));
  EXPECT_EQ(read.high(), (Point{1, {5}}));
}

TEST(Argument, AnEmptyPieceTouchesNothing) {
  const Rect none = Rect::of({5}, {5});
  EXPECT_TRUE(kernel_reads({100}, {Point{1, {1}}}).cells(none).empty());
  EXPECT_TRUE(body_reads(whole(store_of({100})), 1, {AxisCells{0, 1, -1, 3}}).cells(none).empty());
}

TEST(Argument, ABodysWindowIsClippedAtTheViewsEnds) {
  const Argument read = body_reads(whole(store_of({100})), 1, {AxisCells{0, 1, -2, 5}});
  EXPECT_EQ(read.hull(Rect::of({0}, {10})), Rect::of({0}, {12}));
  EXPECT_EQ(read.hull(Rect::of({90}, {100})), Rect::of({88}, {100}));
  EXPECT_EQ(read.map()[0].offset, -2);
  EXPECT_EQ(read.high()[0], 4);
}

TEST(Argument, AWindowOfAViewIsTheStoresCellsBehindIt) {
  View view = whole(store_of({100}));  // [99, 97, …, 1]
  view.shape = Shape({50});
  view.map[0].scale = -2;
  view.map[0].offset = 99;
  const Argument read = body_reads(view, 1, {AxisCells{0, 1, 0, 2}});
  EXPECT_EQ(read.hull(Rect::of({0}, {4})), Rect::of({91}, {100}));
  EXPECT_EQ(read.low()[0], -2);
  EXPECT_EQ(read.high()[0], 0);
}

TEST(Argument, AxesThatFollowNoPointAreWhole) {
  const Argument read = body_reads(whole(store_of({100, 7})), 1, {AxisCells{0, 1, 0, 1}, AxisCells{-1, 0, 0, 7}});
  EXPECT_EQ(read.hull(Rect::of({3}, {5})), Rect::of({3, 0}, {5, 7}));
  EXPECT_FALSE(read.is_pointwise());
  EXPECT_TRUE(body_reads(whole(store_of({100})), 1, {AxisCells{0, 1, 0, 1}}).is_pointwise());
}

TEST(Argument, TheNearestCellOfAHaloIsThePointsOwn) {
  const Argument read = body_reads(whole(store_of({100})), 1, {AxisCells{0, 1, -3, 5}});
  EXPECT_EQ(read.nearest_map()[0].offset, 0);
}

TEST(Argument, PointsThatTouchCellsAreFoundAgain) {
  const Rect piece = Rect::of({10}, {20});
  const Argument kernels = kernel_reads({100}, {Point{1, {-1}}, Point{1, {1}}});
  EXPECT_EQ(kernels.points_touching(Region(Rect::of({20}, {21})), piece), Region(Rect::of({19}, {20})));
  const Argument bodys = body_reads(whole(store_of({100})), 1, {AxisCells{0, 1, -1, 3}});
  EXPECT_EQ(bodys.points_touching(Region(Rect::of({20}, {21})), piece), Region(Rect::of({19}, {20})));
}

TEST(Argument, AFunctionIsAskedOncePerPieceWhereItsAnswersAreKept) {
  int asked = 0;
  auto function = std::make_shared<CellFunction>();
  function->boxes = [&asked](const Piece& point) {
    ++asked;
    return std::vector<Box>{Box({99 - point.lo(0)}, {100 - point.lo(0)})};
  };
  Argument read = body_reads(whole(store_of({100})), 1, {});
  read.footprint.cells = AskedCells{function, std::make_shared<std::map<Rect, Region>>()};
  const Rect piece = Rect::of({0}, {4});
  EXPECT_EQ(read.cells(piece), Region(Rect::of({96}, {100})));
  EXPECT_EQ(read.hull(piece), Rect::of({96}, {100}));
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(read.points_touching(Region(Rect::of({0}, {1})), piece), Region(piece)) << "nothing is known of it";
}

}  // namespace
}  // namespace pilum::scheduler
