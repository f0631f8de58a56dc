// The pure part of instances.h; the rest shows in plans.
#include "scheduler/plan/instances.h"

#include <gtest/gtest.h>

namespace pilum::scheduler {
namespace {

AffineMap line(std::int64_t scale, std::int64_t offset) {
  AffineMap map = AffineMap::identity(1);
  map[0].scale = scale;
  map[0].offset = offset;
  return map;
}

Argument read_at(const AffineMap& map, std::vector<std::int64_t> offsets = {0}) {
  Argument read;
  read.view.map = map;
  Offsets cells;
  for (const std::int64_t offset : offsets) cells.add(Point{1, {offset}});
  read.footprint.cells = cells;
  return read;
}

TaskWrite write_of(const AffineMap& map) {
  TaskWrite write;
  write.view.map = map;
  return write;
}

Conflict conflict(const Argument& read, const TaskWrite& write, std::int64_t points = 50) {
  return find_conflict(read, write, Rect::of({0}, {points}));
}

TEST(FindConflict, EachPointReadsTheCellItWrites) {
  EXPECT_EQ(conflict(read_at(line(1, 3)), write_of(line(1, 3))), Conflict::None);
  EXPECT_EQ(conflict(read_at(line(1, 0), {3}), write_of(line(1, 3))), Conflict::None);
  EXPECT_EQ(conflict(read_at(line(2, 1)), write_of(line(2, 1))), Conflict::None);
}

TEST(FindConflict, FootprintsApartDoNotMeet) {
  EXPECT_EQ(conflict(read_at(line(1, 0)), write_of(line(1, 50))), Conflict::None);
}

TEST(FindConflict, CombsBetweenEachOthersTeethDoNotMeet) {
  EXPECT_EQ(conflict(read_at(line(2, 0)), write_of(line(2, 1))), Conflict::None);
  EXPECT_EQ(conflict(read_at(line(-2, 98)), write_of(line(-2, 99))), Conflict::None);
}

TEST(FindConflict, AStencilIntoItsOwnStoreIsWide) {
  EXPECT_EQ(conflict(read_at(line(1, 1), {0, -1, 1}), write_of(line(1, 1))), Conflict::Wide);
}

TEST(FindConflict, AnOverlapOfLessThanHalfIsCopiedAside) {
  EXPECT_EQ(conflict(read_at(line(1, 30)), write_of(line(1, 0))), Conflict::Partial);
  EXPECT_EQ(conflict(read_at(line(1, 20)), write_of(line(1, 0))), Conflict::Wide);
}

TEST(FindConflict, WhatLeavesHolesIsNotGivenASecondInstance) {
  EXPECT_EQ(conflict(read_at(line(1, 0)), write_of(line(2, 0))), Conflict::Partial);
}

TEST(FindConflict, AReversalOntoItselfReadsWhatOthersWrite) {
  EXPECT_EQ(conflict(read_at(line(-1, 49)), write_of(line(1, 0))), Conflict::Wide);
}

}  // namespace
}  // namespace pilum::scheduler
