#include "partitioner/region.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/partitioner/random_cells.h"

namespace pilum::partitioner {
namespace {

TEST(Region, OfNoCellsIsEmpty) {
  EXPECT_TRUE(Region().empty());
  EXPECT_TRUE(Region(Rect::of({3}, {3})).empty());
  EXPECT_EQ(Region().cells(), 0);
  EXPECT_TRUE(Region().hull().empty());
  EXPECT_EQ(Region::of({Rect::of({1}, {1}), Rect::of({5}, {2})}), Region());
}

// As what a processor without a number has of it.
TEST(Region, ABoxWithoutAxesHasOneCellOrNone) {
  Rect none{};
  none.make_empty();
  const Rect one{};
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.cells(), 0);
  EXPECT_EQ(one.cells(), 1);
  EXPECT_TRUE(one.contains(none));
  EXPECT_FALSE(none.contains(one));
  EXPECT_FALSE(overlaps(none, one));
  EXPECT_TRUE(intersect(one, none).empty());
  EXPECT_TRUE(intersect(none, one).empty());
  EXPECT_EQ(hull(none, one), one);
  EXPECT_TRUE(Region(none).empty());
  EXPECT_EQ(Region(one) - none, Region(one));
  EXPECT_TRUE((Region(one) - one).empty());
  EXPECT_EQ(Region(none) + one, Region(one));
}

TEST(Region, UnionOfTouchingRectsIsOneRect) {
  EXPECT_EQ(Region(Rect::of({0, 0}, {2, 5})) + Rect::of({2, 0}, {4, 5}), Region(Rect::of({0, 0}, {4, 5})));
  EXPECT_EQ(Region(Rect::of({0, 3}, {2, 5})) + Rect::of({0, 0}, {2, 3}), Region(Rect::of({0, 0}, {2, 5})));
}

TEST(Region, UnionOfOverlappingRectsCountsCellsOnce) {
  const Region region = Region(Rect::of({0, 0}, {3, 3})) + Rect::of({1, 1}, {4, 4});
  EXPECT_EQ(region.cells(), 9 + 9 - 4);
  EXPECT_EQ(to_string(region), "{[0:1, 0:3] [1:3, 0:4] [3:4, 1:4]}");
}

TEST(Region, AFrameIsCutIntoSlabs) {
  const Region frame = Region(Rect::of({0, 0}, {5, 5})) - Rect::of({1, 1}, {4, 4});
  EXPECT_EQ(frame.rects(), (std::vector<Rect>{Rect::of({0, 0}, {1, 5}), Rect::of({1, 0}, {4, 1}),
                                              Rect::of({1, 4}, {4, 5}), Rect::of({4, 0}, {5, 5})}));
  EXPECT_EQ(frame + Rect::of({1, 1}, {4, 4}), Region(Rect::of({0, 0}, {5, 5})));
}

TEST(Region, EqualSetsAreEqualValuesHoweverMade) {
  const Region cross = Region::of({Rect::of({1, 0}, {2, 3}), Rect::of({0, 1}, {3, 2})});
  EXPECT_EQ(cross, Region::of({Rect::of({0, 1}, {3, 2}), Rect::of({1, 2}, {2, 3}), Rect::of({1, 0}, {2, 1})}));
  EXPECT_EQ(cross.cells(), 5);
}

TEST(Region, IntersectionKeepsWhatBothHave) {
  const Region corner = Region::of({Rect::of({0, 0}, {4, 1}), Rect::of({0, 0}, {1, 4})});
  EXPECT_EQ(corner & Rect::of({0, 0}, {2, 2}), Region::of({Rect::of({0, 0}, {2, 1}), Rect::of({0, 1}, {1, 2})}));
  EXPECT_TRUE((corner & Rect::of({1, 1}, {4, 4})).empty());
  EXPECT_EQ(corner & corner, corner);
}

TEST(Region, ContainsARectThatLiesInSeveralOfItsRects) {
  const Region corner = Region::of({Rect::of({0, 0}, {4, 1}), Rect::of({0, 0}, {1, 4})});
  EXPECT_TRUE(corner.contains(Rect::of({0, 0}, {1, 4})));
  EXPECT_TRUE(corner.contains(Rect::of({0, 0}, {4, 1})));
  EXPECT_FALSE(corner.contains(Rect::of({0, 0}, {2, 2})));
  EXPECT_TRUE(corner.contains(Rect::of({9, 9}, {9, 12})));  // no cells
  EXPECT_FALSE(Region().contains(Rect::of({0, 0}, {1, 1})));
}

TEST(Region, OverlapsWhereACellIsShared) {
  const Region frame = Region(Rect::of({0, 0}, {5, 5})) - Rect::of({1, 1}, {4, 4});
  EXPECT_FALSE(frame.overlaps(Rect::of({1, 1}, {4, 4})));
  EXPECT_TRUE(frame.overlaps(Rect::of({1, 1}, {4, 5})));
}

TEST(Region, HullIsAroundAll) {
  EXPECT_EQ(Region::of({Rect::of({0, 7}, {1, 8}), Rect::of({5, 2}, {6, 3})}).hull(), Rect::of({0, 2}, {6, 8}));
}

TEST(Region, ShiftMovesAllCells) {
  Point offset{2};
  offset[0] = -1;
  offset[1] = 10;
  const Region moved = shift(Region::of({Rect::of({0, 0}, {4, 1}), Rect::of({0, 0}, {1, 4})}), offset);
  EXPECT_EQ(moved, Region::of({Rect::of({-1, 10}, {3, 11}), Rect::of({-1, 10}, {0, 14})}));
}

// Each pair of them would be looked at for an hour.
TEST(Region, HundredsOfThousandsOfRectsTakeTimeByTheirNumber) {
#ifdef PILUM_SANITIZE
  constexpr std::int64_t kCount = 4'000;
#else
  constexpr std::int64_t kCount = 300'000;
#endif
  std::vector<Rect> even, odd;
  for (std::int64_t i = kCount; i-- > 0;) {
    even.push_back(Rect::of({2 * i}, {2 * i + 1}));
    odd.push_back(Rect::of({2 * i + 1}, {2 * i + 2}));
  }
  const Region evens = Region::of(even), odds = Region::of(odd), whole(Rect::of({0}, {2 * kCount}));
  EXPECT_EQ(evens.rects().size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(evens + odds, whole);
  EXPECT_EQ(whole - evens, odds);
  EXPECT_TRUE((evens & odds).empty());
  EXPECT_FALSE(evens.contains(odds));
  EXPECT_TRUE(evens.contains(evens - Rect::of({0}, {kCount})));
}

TEST(Region, AScalarsOneCellIsARegion) {
  const Region one{Rect{0}};
  EXPECT_EQ(one.cells(), 1);
  EXPECT_TRUE((one - Rect{0}).empty());
  EXPECT_EQ(one + Region(Rect{0}), one);
  EXPECT_EQ(one & Rect{0}, one);
}

// The oracle: the set of its cells.
using Cells = std::set<Cell>;

Cells cells_of(const Region& region) {
  Cells cells;
  for (const Rect& rect : region.rects()) {
    for_each_cell(rect, [&](const Cell& cell) {
      EXPECT_TRUE(cells.insert(cell).second) << "a cell twice: " << to_string(region);
    });
  }
  return cells;
}

struct Pair {
  Region region;
  Cells cells;
};

void add(Pair& pair, const Rect& rect) {
  pair.region += rect;
  for_each_cell(rect, [&](const Cell& cell) { pair.cells.insert(cell); });
}
void subtract(Pair& pair, const Rect& rect) {
  pair.region -= rect;
  for_each_cell(rect, [&](const Cell& cell) { pair.cells.erase(cell); });
}

class RandomRegion : public testing::TestWithParam<int> {};

TEST_P(RandomRegion, IsASetOfCells) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  for (int round = 0; round < 20; ++round) {
    const int rank = static_cast<int>(random.between(1, 3));
    Pair a, b;
    for (int step = 0; step < 12; ++step) {
      Pair& one = random.once_in(2) ? a : b;
      const Rect rect = random_rect(random, rank, -3, 6);
      if (random.once_in(3))
        subtract(one, rect);
      else
        add(one, rect);
      ASSERT_EQ(cells_of(one.region), one.cells);
      ASSERT_EQ(one.region.cells(), static_cast<std::int64_t>(one.cells.size()));
    }
    Cells both, either = a.cells, left;
    for (const Cell& cell : b.cells) {
      if (a.cells.contains(cell)) both.insert(cell);
      either.insert(cell);
    }
    for (const Cell& cell : a.cells) {
      if (!b.cells.contains(cell)) left.insert(cell);
    }
    ASSERT_EQ(cells_of(a.region & b.region), both);
    ASSERT_EQ(a.region & b.region, b.region & a.region);
    ASSERT_EQ(cells_of(a.region + b.region), either);
    ASSERT_EQ(a.region + b.region, b.region + a.region);
    ASSERT_EQ(cells_of(a.region - b.region), left);
    ASSERT_EQ(a.region.contains(b.region),
              std::includes(a.cells.begin(), a.cells.end(), b.cells.begin(), b.cells.end()));
    const Rect probe = random_rect(random, rank, -3, 6);
    bool all = true, any = false;
    for_each_cell(probe, [&](const Cell& cell) {
      all = all && a.cells.contains(cell);
      any = any || a.cells.contains(cell);
    });
    ASSERT_EQ(a.region.contains(probe), all);
    ASSERT_EQ(a.region.overlaps(probe), any);
  }
}

// Normal form: the same cells, put together in any order, are one value.
TEST_P(RandomRegion, IsOneValueForOneSet) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed + 1000);
  for (int round = 0; round < 20; ++round) {
    const int rank = static_cast<int>(random.between(1, 3));
    Region region;
    for (int i = 0; i < 5; ++i) region += random_rect(random, rank, 0, 4);
    std::vector<Rect> single;
    for (const Cell& cell : cells_of(region)) {
      Rect one{rank, cell, cell};
      for (std::size_t a = 0; a < static_cast<std::size_t>(rank); ++a) ++one.hi[a];
      single.push_back(one);
    }
    for (std::size_t i = single.size(); i > 1; --i)
      std::swap(single[i - 1], single[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
    ASSERT_EQ(Region::of(single), region);
    Region grown;
    for (const Rect& rect : single) grown += rect;
    ASSERT_EQ(grown, region);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRegion, testing::Range(1, 6));

}  // namespace
}  // namespace pilum::partitioner
