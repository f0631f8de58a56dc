// What a user's function says of the cells that a task touches.
#include <gtest/gtest.h>

#include "pilum/error.h"
#include "scheduler/record/recorder.h"
#include "tests/scheduler/launch_arguments.h"

namespace pilum::scheduler {
namespace {

Argument gather(std::int64_t extent, std::function<std::vector<Box>(const Piece&)> boxes) {
  Argument argument = argument_of(kernel::Access::Read, Shape({extent}), {});
  argument.footprint.cells = AskedCells{function_of(std::move(boxes)), nullptr};
  return argument;
}

TEST(CellFunction, IsAskedForEachPointOnceAndClippedAtTheViewsEnds) {
  std::vector<std::int64_t> asked;
  const Argument argument = gather(20, [&](const Piece& point) {
    EXPECT_EQ(point.size(), 1);
    asked.push_back(point.lo(0));
    return std::vector<Box>{Box({7 * point.lo(0) - 3}, {7 * point.lo(0) + 2})};
  });
  EXPECT_EQ(argument.cells(Rect::of({0}, {4})),
            Region::of({Rect::of({0}, {2}), Rect::of({4}, {9}), Rect::of({11}, {16}), Rect::of({18}, {20})}));
  EXPECT_EQ(asked, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(argument.hull(Rect::of({1}, {3})), Rect::of({4}, {16}));
}

TEST(CellFunction, VisitsTheCornersOfAPieceOfThreeAxesInRowMajorOrder) {
  Argument argument = argument_of(kernel::Access::Read, Shape({100}), {});
  std::vector<std::int64_t> order;
  argument.footprint.cells = AskedCells{function_of([&](const Piece& point) {
                                          order.push_back(100 * point.lo(0) + 10 * point.lo(1) + point.lo(2));
                                          return std::vector<Box>{};
                                        }),
                                        nullptr};
  EXPECT_TRUE(argument.footprint.ask(Rect::of({1, 2, 3}, {3, 3, 5})).empty());
  EXPECT_EQ(order, (std::vector<std::int64_t>{123, 124, 223, 224}));
}

TEST(CellFunction, OfNoCellsTouchesNone) {
  const Argument argument = gather(20, [](const Piece&) { return std::vector<Box>{Box({30}, {40})}; });
  EXPECT_TRUE(argument.hull(Rect::of({0}, {4})).empty());
  EXPECT_TRUE(argument.cells(Rect::of({0}, {4})).empty());
  EXPECT_TRUE(argument.footprint.ask(Rect::of({4}, {4})).empty());
}

TEST(CellFunction, MayGiveAnyNumberOfBoxesThatOverlap) {
  const Argument argument =
      gather(20, [](const Piece&) { return std::vector<Box>{Box({2}, {6}), Box({4}, {8}), Box({12}, {13})}; });
  EXPECT_EQ(argument.cells(Rect::of({0}, {1})), Region::of({Rect::of({2}, {8}), Rect::of({12}, {13})}));
}

TEST(CellFunction, IsSeenThroughTheView) {
  Argument argument = gather(5, [](const Piece& point) { return std::vector<Box>{Box({point.lo(0)}, {5})}; });
  argument.view.map[0] = {0, -3, 40};  // cells 40, 37, … 28
  EXPECT_EQ(argument.cells(Rect::of({3}, {4})), Region(Rect::of({28}, {32})));
}

TEST(CellFunction, WithABoxOfTooFewAxesIsRefusedWithTheShapeAndTheRemedy) {
  Argument argument = argument_of(kernel::Access::Read, Shape({3, 4}), {});
  argument.footprint.cells =
      AskedCells{function_of([](const Piece&) { return std::vector<Box>{Box({0}, {1})}; }), nullptr};
  try {
    static_cast<void>(argument.cells(Rect::of({0}, {1})));
    FAIL() << "a box of one axis for an array of two";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(),
                 "the projection gave a box of 1 axes for an array of shape (3, 4): give lo and hi for each of its "
                 "axes");
  }
}

TEST(CellFunction, MayNotRecord) {
  const Argument argument = gather(20, [](const Piece&) -> std::vector<Box> {
    EXPECT_THROW(check_may_record("add", std::source_location::current()), RuntimeError);
    return {};
  });
  static_cast<void>(argument.cells(Rect::of({0}, {1})));
  EXPECT_NO_THROW(check_may_record("add", std::source_location::current()));
}

}  // namespace
}  // namespace pilum::scheduler
