#include "partitioner/block_tiling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pilum::partitioner {
namespace {

using testing::HasSubstr;

Tiling tiling_of(const Rect& box, const std::vector<Rect>& blocks, int processors = 1) {
  const auto found = tile_blocks(box, blocks, processors);
  if (const auto* fault = std::get_if<std::string>(&found)) ADD_FAILURE() << *fault;
  return std::get<Tiling>(found);
}

std::string fault_of(const Rect& box, const std::vector<Rect>& blocks, int processors = 1) {
  const auto found = tile_blocks(box, blocks, processors);
  const auto* fault = std::get_if<std::string>(&found);
  return fault ? *fault : "none";
}

TEST(BlockTiling, UnevenRowsAreCutWhereTheyAre) {
  const std::vector<Rect> blocks{Rect::of({0, 0}, {3, 8}), Rect::of({3, 0}, {10, 8}), Rect::of({10, 0}, {12, 8})};
  const Tiling tiling = tiling_of(Rect::of({0, 0}, {12, 8}), blocks);
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(tiling.tile(rank), blocks[static_cast<std::size_t>(rank)]);
  EXPECT_EQ(to_string(tiling), "3x1 axis 0 at 3,10");
}

TEST(BlockTiling, EvenBlocksGiveTheTilingThatIsCutEvenly) {
  std::array<int, kMaxAxes> parts;
  parts.fill(1);
  parts[0] = parts[1] = 2;
  const Rect box = Rect::of({0, 0}, {6, 8});
  const std::vector<Rect> blocks{Rect::of({0, 0}, {3, 4}), Rect::of({0, 4}, {3, 8}), Rect::of({3, 0}, {6, 4}),
                                 Rect::of({3, 4}, {6, 8})};
  EXPECT_EQ(tiling_of(box, blocks), Tiling::even(box, parts));
}

TEST(BlockTiling, RanksMayNumberTheGridColumnByColumn) {
  const std::vector<Rect> blocks{Rect::of({0, 0}, {1, 5}), Rect::of({1, 0}, {6, 5}), Rect::of({0, 5}, {1, 8}),
                                 Rect::of({1, 5}, {6, 8})};
  const Tiling tiling = tiling_of(Rect::of({0, 0}, {6, 8}), blocks);
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(tiling.tile(rank), blocks[static_cast<std::size_t>(rank)]);
}

TEST(BlockTiling, ABlockIsCutAmongItsRanksProcessors) {
  const Tiling tiling = tiling_of(Rect::of({0}, {10}), {Rect::of({0}, {2}), Rect::of({2}, {10})}, 2);
  EXPECT_EQ(tiling.tile(0), Rect::of({0}, {1}));
  EXPECT_EQ(tiling.tile(1), Rect::of({1}, {2}));
  EXPECT_EQ(tiling.tile(2), Rect::of({2}, {6}));
  EXPECT_EQ(tiling.tile(3), Rect::of({6}, {10}));
}

TEST(BlockTiling, RanksWithoutCellsHaveNone) {
  const Rect box = Rect::of({0}, {10}), none = Rect::of({0}, {0});
  for (const std::vector<Rect>& blocks : {std::vector{none, Rect::of({0}, {4}), none, Rect::of({4}, {10})},
                                          std::vector{Rect::of({0}, {4}), Rect::of({4}, {10}), none, none}}) {
    for (const int processors : {1, 2}) {
      const Tiling tiling = tiling_of(box, blocks, processors);
      std::int64_t cells = 0;
      for (int p = 0; p < 4 * processors; ++p) {
        EXPECT_TRUE(blocks[static_cast<std::size_t>(p / processors)].contains(tiling.tile(p)));
        cells += tiling.tile(p).cells();
      }
      EXPECT_EQ(cells, 10);
      std::int64_t met = 0;
      tiling.for_each_tile(box, [&](int p, const Rect& part) {
        EXPECT_EQ(part, tiling.tile(p));
        met += part.cells();
      });
      EXPECT_EQ(met, 10);
    }
  }
}

// Any cuts of any grid: each cell lies with its block's rank, and is found there.
TEST(BlockTiling, RandomGridsAreFoundAgain) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 dice(seed);
  const auto roll = [&dice](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(dice); };
  for (int round = 0; round < 200; ++round) {
    const int rank = roll(1, 3);
    Rect box{rank};
    std::vector<std::vector<std::int64_t>> cuts(static_cast<std::size_t>(rank));
    std::vector<std::size_t> order;
    int count = 1;
    for (std::size_t k = 0; k < cuts.size(); ++k) {
      box.hi[k] = roll(4, 20);
      const int parts = roll(1, 4);
      while (static_cast<int>(cuts[k].size()) < parts - 1) {
        const int place = roll(1, static_cast<int>(box.hi[k]) - 1);
        if (std::find(cuts[k].begin(), cuts[k].end(), place) == cuts[k].end()) cuts[k].push_back(place);
        if (static_cast<int>(cuts[k].size()) == static_cast<int>(box.hi[k]) - 1) break;
      }
      cuts[k].insert(cuts[k].begin(), 0);
      cuts[k].push_back(box.hi[k]);
      std::sort(cuts[k].begin(), cuts[k].end());
      count *= static_cast<int>(cuts[k].size()) - 1;
      order.push_back(k);
    }
    std::shuffle(order.begin(), order.end(), dice);
    std::vector<Rect> blocks;
    for (int number = 0; number < count; ++number) {
      Rect block{rank};
      int left = number;
      for (const std::size_t k : order) {
        const int parts = static_cast<int>(cuts[k].size()) - 1;
        block.lo[k] = cuts[k][static_cast<std::size_t>(left % parts)];
        block.hi[k] = cuts[k][static_cast<std::size_t>(left % parts) + 1];
        left /= parts;
      }
      blocks.push_back(block);
    }
    const int processors = roll(1, 3);
    const Tiling tiling = tiling_of(box, blocks, processors);
    for (int r = 0; r < count && !tiling.is_replicated(); ++r) {
      std::int64_t cells = 0;
      for (int p = 0; p < processors; ++p) {
        EXPECT_TRUE(blocks[static_cast<std::size_t>(r)].contains(tiling.tile(r * processors + p)));
        cells += tiling.tile(r * processors + p).cells();
      }
      EXPECT_EQ(cells, blocks[static_cast<std::size_t>(r)].cells());
    }
  }
}

TEST(BlockTilingErrors, NameTheRanksThatOverlap) {
  EXPECT_THAT(fault_of(Rect::of({0}, {10}), {Rect::of({0}, {6}), Rect::of({4}, {10})}),
              HasSubstr("rank 0 has [0:6] and rank 1 has [4:10]: both have [4:6]"));
}

TEST(BlockTilingErrors, NameTheCellsThatAreMissing) {
  EXPECT_THAT(fault_of(Rect::of({0}, {10}), {Rect::of({0}, {4}), Rect::of({5}, {10})}),
              HasSubstr("the blocks have 9 of the 10 cells of [0:10]: rank 0 has [0:4], rank 1 has [5:10]"));
}

TEST(BlockTilingErrors, NameTheRankThatReachesBeyond) {
  EXPECT_THAT(fault_of(Rect::of({0}, {10}), {Rect::of({0}, {4}), Rect::of({4}, {11})}),
              HasSubstr("rank 1 has [4:11], which reaches beyond the array, [0:10]"));
}

// Two halves, one of them cut: no straight cut goes through.
TEST(BlockTilingErrors, CutsThatAreNotStraightAreRefused) {
  EXPECT_THAT(fault_of(Rect::of({0, 0}, {4, 4}),
                       {Rect::of({0, 0}, {4, 2}), Rect::of({0, 2}, {2, 4}), Rect::of({2, 2}, {4, 4})}),
              HasSubstr("not as a grid of straight cuts"));
  EXPECT_THAT(fault_of(Rect::of({0}, {9}), {Rect::of({0}, {3}), Rect::of({6}, {9}), Rect::of({3}, {6})}),
              HasSubstr("not as a grid of straight cuts"));
}

}  // namespace
}  // namespace pilum::partitioner
