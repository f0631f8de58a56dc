#include "scheduler/memory/store_state.h"

#include <gtest/gtest.h>

#include "tests/scheduler/imaginary_instance.h"

namespace pilum::scheduler {
namespace {

using partitioner::Cell;

TEST(Instance, ACellsAddressCountsFromTheRectsFirstCell) {
  const Imaginary tile(Rect::of({100, 50}, {110, 70}), {256, 8}, 64);
  EXPECT_EQ(tile.offset({100, 50}), 64);
  EXPECT_EQ(tile.offset({100, 51}), 72);
  EXPECT_EQ(tile.offset({103, 50}), 64 + 3 * 256);
  EXPECT_EQ(tile.offset({109, 69}), 64 + 9 * 256 + 19 * 8);
}

TEST(Instance, ACellOutsideHasAnAddressTooThatIsNotToBeTouched) {
  const Imaginary tile(Rect::of({100}, {110}), {8}, 64);
  EXPECT_EQ(tile.offset({99}), 56);
  EXPECT_EQ(tile.offset({0}), 64 - 800);
}

TEST(Instance, OfAnArrayWithoutAxesHasOneAddress) {
  EXPECT_EQ(Imaginary(Rect{}, {}, 24).offset({}), 24);
}

TEST(Instance, OfAFarTileOfAHugeArrayDoesNotOverflow) {
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  const Imaginary tile(Rect::of({kFar}, {kFar + 10}), {8});
  EXPECT_EQ(tile.offset({kFar + 9}), 72);
}

TEST(Instance, CellsOfADensePaddedBoxHaveDifferentAddressesInRowMajorOrder) {
  const Imaginary tile(Rect::of({1, 2, 3}, {4, 6, 8}), {4 * 64, 64, 8});
  std::int64_t last = -1;
  partitioner::for_each_cell(tile.instance.rect, [&](const Cell& cell) {
    EXPECT_GT(tile.offset(cell), last);
    last = tile.offset(cell);
  });
}

}  // namespace
}  // namespace pilum::scheduler
