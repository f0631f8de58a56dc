#include "partitioner/affine_map.h"

#include <gtest/gtest.h>

#include "tests/partitioner/random_cells.h"

namespace pilum::partitioner {
namespace {

AffineMap map_of(int view_rank, std::vector<AxisMap> axes) {
  AffineMap map;
  map.view_rank = view_rank;
  map.store_rank = static_cast<int>(axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k) map.axes[k] = axes[k];
  return map;
}

TEST(AffineMap, IdentityKeepsRectangles) {
  const Rect rect = Rect::of({2, 3}, {5, 9});
  EXPECT_EQ(image(AffineMap::identity(2), rect), rect);
  EXPECT_EQ(preimage(AffineMap::identity(2), Rect::of({0, 4}, {4, 6}), rect), Rect::of({2, 4}, {4, 6}));
}

TEST(AffineMap, AStepSpreadsTheImage) {
  const AffineMap map = map_of(1, {{0, 3, 1}});
  EXPECT_EQ(image(map, Rect::of({0}, {4})), Rect::of({1}, {11}));
  EXPECT_EQ(preimage(map, Rect::of({2}, {8}), Rect::of({0}, {4})), Rect::of({1}, {3}));
}

TEST(AffineMap, ANegativeStepTurnsTheImage) {
  const AffineMap map = map_of(1, {{0, -2, 9}});
  EXPECT_EQ(image(map, Rect::of({0}, {5})), Rect::of({1}, {10}));
  EXPECT_EQ(preimage(map, Rect::of({4}, {8}), Rect::of({0}, {5})), Rect::of({1}, {3}));
}

TEST(AffineMap, ADroppedAxisIsOneCellOfTheStore) {
  const AffineMap map = map_of(1, {{-1, 0, 7}, {0, 1, 2}});
  EXPECT_EQ(image(map, Rect::of({0}, {4})), Rect::of({7, 2}, {8, 6}));
  EXPECT_EQ(preimage(map, Rect::of({7, 0}, {8, 4}), Rect::of({0}, {4})), Rect::of({0}, {2}));
  EXPECT_TRUE(preimage(map, Rect::of({8, 0}, {9, 9}), Rect::of({0}, {4})).empty());
}

TEST(AffineMap, ABroadcastAxisIsNotNarrowed) {
  const AffineMap map = map_of(2, {{1, 1, 0}});
  EXPECT_EQ(map.store_axis_of(0), -1);
  EXPECT_EQ(map.store_axis_of(1), 0);
  EXPECT_EQ(image(map, Rect::of({0, 3}, {100, 5})), Rect::of({3}, {5}));
  EXPECT_EQ(preimage(map, Rect::of({4}, {9}), Rect::of({0, 3}, {100, 6})), Rect::of({0, 4}, {100, 6}));
}

TEST(AffineMap, AScalarsDomainReachesOneCell) {
  const AffineMap map = map_of(1, {});
  EXPECT_EQ(image(map, Rect::of({0}, {1})), Rect{0});
  EXPECT_EQ(preimage(map, Rect{0}, Rect::of({0}, {1})), Rect::of({0}, {1}));
}

TEST(AffineMap, TheImageOfNothingIsEmpty) {
  EXPECT_TRUE(image(map_of(1, {{0, -5, 3}}), Rect::of({4}, {4})).empty());
}

TEST(AffineMap, PrintsAsOneReadsIt) {
  EXPECT_EQ(to_string(map_of(2, {{1, 1, 0}, {0, -2, 9}, {-1, 0, 4}, {-1, 0, 0}})), "[x1, -2x0+9, 4, 0]");
  EXPECT_EQ(to_string(map_of(1, {{0, 1, -1}})), "[x0-1]");
  EXPECT_EQ(to_string(map_of(1, {{0, -1, 1}})), "[-x0+1]");
}

class RandomAffineMap : public testing::TestWithParam<int> {};

TEST_P(RandomAffineMap, ImageIsTheHullOfTheCellsReached) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  for (int round = 0; round < 200; ++round) {
    const AffineMap map =
        random_map(random, static_cast<int>(random.between(1, 4)), static_cast<int>(random.between(1, 3)), 40);
    const Rect domain = random_rect(random, map.view_rank, -6, 6);
    Rect hull{map.store_rank};
    bool first = true;
    for_each_cell(domain, [&](const Cell& point) {
      const Cell cell = apply(map, point);
      for (std::size_t k = 0; k < static_cast<std::size_t>(map.store_rank); ++k) {
        hull.lo[k] = first ? cell[k] : std::min(hull.lo[k], cell[k]);
        hull.hi[k] = first ? cell[k] + 1 : std::max(hull.hi[k], cell[k] + 1);
      }
      first = false;
    });
    ASSERT_EQ(image(map, domain), hull) << to_string(map) << " of " << to_string(domain);
  }
}

TEST_P(RandomAffineMap, PreimageHoldsThePointsThatReachTheCells) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  int met = 0;
  for (int round = 0; round < 200; ++round) {
    const AffineMap map =
        random_map(random, static_cast<int>(random.between(1, 3)), static_cast<int>(random.between(1, 3)), 7);
    const Rect domain = random_rect(random, map.view_rank, -6, 6);
    Rect cells{map.store_rank};
    const Rect around = image(map, domain);
    for (std::size_t k = 0; k < static_cast<std::size_t>(map.store_rank); ++k) {
      cells.lo[k] = random.between(around.lo[k] - 2, around.hi[k]);
      cells.hi[k] = random.between(cells.lo[k], around.hi[k] + 2);
    }
    const Rect points = preimage(map, cells, domain);
    for_each_cell(domain, [&](const Cell& point) {
      const bool reaches = is_inside(cells, apply(map, point));
      met += reaches;
      ASSERT_EQ(is_inside(points, point), reaches)
          << to_string(map) << " of " << to_string(domain) << " into " << to_string(cells);
    });
    ASSERT_TRUE(domain.contains(points));
  }
  EXPECT_GT(met, 100);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomAffineMap, testing::Range(1, 6));

// Of no points there is no number, and no point reads of a number that is not there.
TEST(AffineMap, ANumberIsSeenFromWhereItIs) {
  AffineMap number;
  number.view_rank = 1;
  const Rect points = Rect::of({0}, {5});
  EXPECT_EQ(image(number, points), Rect{});
  EXPECT_TRUE(image(number, Rect::of({3}, {3})).empty());
  EXPECT_EQ(preimage(number, Rect{}, points), points);
  EXPECT_TRUE(preimage(number, image(number, Rect::of({3}, {3})), points).empty());
}

}  // namespace
}  // namespace pilum::partitioner
