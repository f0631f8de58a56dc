#include "scheduler/memory/view_walk.h"

#include <gtest/gtest.h>

#include "tests/scheduler/imaginary_instance.h"
#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

using partitioner::AffineMap, partitioner::Cell, partitioner::Random;

TEST(ViewWalk, OfASliceStepsByItsStepInBytes) {
  const Imaginary row(Rect::of({0}, {100}), {8});
  AffineMap map = AffineMap::identity(1);
  map[0] = {0, 3, 5};  // cells 5, 8, 11, …
  const ViewWalk walk(row.instance, map);
  EXPECT_EQ(walk.stride[0], 24);
  EXPECT_EQ(Imaginary::distance(walk.origin), 40);
  EXPECT_EQ(Imaginary::distance(walk.at({2}, 1)), 88);
}

TEST(ViewWalk, BackwardsHasANegativeStrideAndAnOriginAtTheEnd) {
  const Imaginary row(Rect::of({0}, {100}), {8});
  AffineMap map = AffineMap::identity(1);
  map[0] = {0, -1, 99};
  const ViewWalk walk(row.instance, map);
  EXPECT_EQ(walk.stride[0], -8);
  EXPECT_EQ(Imaginary::distance(walk.at({99}, 1)), 0);
}

TEST(ViewWalk, ATransposedViewSwapsPitchesAndABroadcastAxisHasNone) {
  const Imaginary tile(Rect::of({0, 0}, {9, 5}), {64, 8});
  AffineMap map;
  map.store_rank = 2;
  map.view_rank = 3;
  map[0] = {2, 1, 0};
  map[1] = {0, 1, 0};
  const ViewWalk walk(tile.instance, map);
  EXPECT_EQ(walk.stride[0], 8);
  EXPECT_EQ(walk.stride[1], 0);
  EXPECT_EQ(walk.stride[2], 64);
}

TEST(ViewWalk, TheOriginMayLieOutsideOfTheInstance) {
  const Imaginary tile(Rect::of({1000}, {1010}), {8});
  const ViewWalk walk(tile.instance, AffineMap::identity(1));
  EXPECT_EQ(Imaginary::distance(walk.origin), -8000);
  EXPECT_EQ(Imaginary::distance(walk.at({1000}, 1)), 0);
}

TEST(ViewWalk, OfRandomViewsFindsEachPointsCell) {
  for_each_seed(200, [](std::uint64_t seed) {
    Random random(seed);
    const int rank = static_cast<int>(random.between(0, 4)), view_rank = static_cast<int>(random.between(0, 4));
    Imaginary tile(partitioner::random_rect(random, rank, -10, 20), {}, random.between(0, 100));
    for (int k = 0; k < rank; ++k) tile.instance.pitch[static_cast<std::size_t>(k)] = 8 * random.between(-9, 9);
    const AffineMap map = partitioner::random_map(random, rank, view_rank, 3);
    const ViewWalk walk(tile.instance, map);
    for (int tries = 0; tries < 10; ++tries) {
      Cell point{};
      for (int a = 0; a < view_rank; ++a) point[static_cast<std::size_t>(a)] = random.between(0, 30);
      const Cell cell = partitioner::apply(map, point);
      std::int64_t expected = tile.instance.origin;
      for (std::size_t k = 0; k < static_cast<std::size_t>(rank); ++k)
        expected += (cell[k] - tile.instance.rect.lo[k]) * tile.instance.pitch[k];
      ASSERT_EQ(Imaginary::distance(walk.at(point, view_rank)), expected);
    }
  });
}

}  // namespace
}  // namespace pilum::scheduler
