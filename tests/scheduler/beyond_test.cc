#include "scheduler/analyze/beyond.h"

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::Array;
using partitioner::AffineMap;

class SeenBeyond : public testing::Test {
 protected:
  SeenBeyond() : a_(np::zeros({5, 8})), padded_(np::zeros({7, 8})) {
    view_ = recorder_.operations.at(0).elementwise()->output;
    of_padded_ = recorder_.operations.at(1).elementwise()->output;
  }
  // All of the array, from another cell on.
  View turned(std::int64_t rows, std::int64_t columns) const {
    View view = view_;
    view.map[0].offset = rows;
    view.map[1].offset = columns;
    return view;
  }
  static Rect box(std::int64_t first_row, std::int64_t rows_end, std::int64_t first_column, std::int64_t columns_end) {
    Rect rect{2};
    rect.lo[0] = first_row, rect.hi[0] = rows_end;
    rect.lo[1] = first_column, rect.hi[1] = columns_end;
    return rect;
  }

  WindowRecorder recorder_;
  Array a_, padded_;
  View view_, of_padded_;
};

TEST_F(SeenBeyond, IsWhatGoesBeyondItsStore) {
  EXPECT_FALSE(goes_beyond(turned(0, 0)));
  EXPECT_TRUE(goes_beyond(turned(1, 0)));
  EXPECT_TRUE(goes_beyond(turned(0, -3)));
  View part = turned(1, 0);
  narrow(part, box(0, 4, 0, 8));
  EXPECT_FALSE(goes_beyond(part)) << "rows 1 to 4";
  EXPECT_EQ(reached_cells(turned(1, 0)), box(0, 5, 0, 8)) << "all rows";
  EXPECT_EQ(reached_cells(box(-1, 2, 3, 5), view_.store->shape), box(0, 5, 3, 5));
}

TEST_F(SeenBeyond, WholeTurnsAreLeftOut) {
  const auto offset_of = [](View view) {
    bring_inside(view);
    return std::pair(view.map[0].offset, view.map[1].offset);
  };
  EXPECT_EQ(offset_of(turned(5, -8)), std::pair(std::int64_t{0}, std::int64_t{0}));
  EXPECT_EQ(offset_of(turned(4, 9)), std::pair(std::int64_t{-1}, std::int64_t{1})) << "the nearer way";
  View last_row = turned(1, 0);
  narrow(last_row, box(4, 5, 0, 8));
  EXPECT_EQ(offset_of(last_row), std::pair(std::int64_t{0}, std::int64_t{0})) << "behind the last row is the first";
}

TEST_F(SeenBeyond, WhatIsComputedFromLongerArraysCannotGoAround) {
  EXPECT_EQ(through_beyond(turned(1, 2), view_, turned(-1, 0)).value().map, turned(0, 2).map);
  View inner = of_padded_;  // rows 1 to 5 of seven
  narrow(inner, box(1, 6, 0, 8));
  EXPECT_FALSE(through_beyond(turned(1, 0), view_, inner));
  EXPECT_TRUE(through_beyond(turned(0, 1), view_, inner)) << "but its columns are as many";
}

TEST_F(SeenBeyond, WhatIsBehindAnEndIsItsImage) {
  const auto map_of = [&](std::int64_t first_row, partitioner::Beyond beyond, std::int64_t rows) {
    View view = turned(first_row, 0);
    view.map[0].beyond = beyond;
    narrow(view, box(0, rows, 0, 8));
    bring_inside(view);
    return view.map;
  };
  using enum partitioner::Beyond;
  const auto rows = [&](const partitioner::AxisMap& axis) {
    AffineMap map = view_.map;
    map[0] = axis;
    return map;
  };
  EXPECT_EQ(map_of(-2, Edge, 2), rows({-1, 0, 0}));
  EXPECT_EQ(map_of(5, Edge, 3), rows({-1, 0, 4}));
  EXPECT_EQ(map_of(-2, Mirror, 2), rows({0, -1, 1}));
  EXPECT_EQ(map_of(5, Mirror, 2), rows({0, -1, 4}));
  EXPECT_EQ(map_of(-2, MirrorWithin, 2), rows({0, -1, 2}));
  EXPECT_EQ(map_of(6, MirrorWithin, 1), rows({0, 1, 2})) << "a row goes either way";
  EXPECT_EQ(map_of(1, Mirror, 4), rows({0, 1, 1})) << "inside all are alike";
  EXPECT_EQ(map_of(-1, Mirror, 2)[0].beyond, Mirror) << "in part";
}

TEST_F(SeenBeyond, WhatIsComputedFromNeighboursHasEndsOfItsOwn) {
  View beyond = turned(-1, 0);
  beyond.map[0].beyond = partitioner::Beyond::Edge;
  EXPECT_EQ(through_beyond(beyond, view_, turned(0, 2)).value().map[0], beyond.map[0]) << "of other columns";
  EXPECT_FALSE(through_beyond(beyond, view_, turned(1, 0)));
  View inner = of_padded_;
  narrow(inner, box(1, 6, 0, 8));
  EXPECT_FALSE(through_beyond(beyond, view_, inner)) << "a longer array has more cells there";
  EXPECT_FALSE(through_beyond(turned(1, 0), view_, beyond)) << "nor does what is around have edges";
  beyond.map[0].beyond = partitioner::Beyond::Number;
  EXPECT_FALSE(through_beyond(beyond, view_, turned(0, 2))) << "what is computed from a number is another one";
}

TEST_F(SeenBeyond, OperationsAreCutWhereTheyTurn) {
  BeyondCuts cuts;
  EXPECT_TRUE(cuts.empty());
  const Rect domain = Rect::of(view_.shape);
  for (const std::int64_t rows : {-1, 0, 1}) cuts.add(view_.store->shape, turned(rows, 0).map, domain);
  EXPECT_EQ(cuts.parts(), 3u);
  EXPECT_EQ(cuts.cut(domain).back(), box(1, 4, 0, 8));
  EXPECT_FALSE(cuts.inside(domain)) << "one rim at each end";
  for (const std::int64_t columns : {-1, 2, 1}) cuts.add(view_.store->shape, turned(0, columns).map, domain);
  EXPECT_EQ(cuts.parts(), 12u);
  EXPECT_FALSE(cuts.inside(domain)) << "less than half would be inside: 15 of 40";
  BeyondCuts of_columns;
  for (const std::int64_t columns : {1, 2}) of_columns.add(view_.store->shape, turned(0, columns).map, domain);
  EXPECT_EQ(of_columns.inside(domain), box(0, 5, 0, 6));
}

TEST_F(SeenBeyond, BoxesAroundAStoreAreBoxesOfIt) {
  const std::vector<Rect> boxes = cut_at_bounds(box(-2, 3, 6, 17), view_.store->shape);
  ASSERT_EQ(boxes.size(), 6u) << "rows before the first and from there on; columns of three turns";
  std::int64_t cells = 0;
  for (const Rect& one : boxes) cells += one.cells();
  EXPECT_EQ(cells, 5 * 11);
  EXPECT_EQ(boxes.back(), box(0, 3, 8, 16)) << "the largest";
}

}  // namespace
}  // namespace pilum::scheduler
