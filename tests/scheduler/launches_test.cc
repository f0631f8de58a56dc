// The pure parts of launches.h; the rest shows in plans.
#include "scheduler/plan/chunks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pilum::scheduler {
namespace {

Extents extents(std::initializer_list<std::int64_t> list) {
  Extents all{};
  std::copy(list.begin(), list.end(), all.begin());
  return all;
}

TEST(ChooseChunk, TakesWholeInnerAxes) {
  EXPECT_EQ(choose_chunk(2, extents({1000, 100}), 1000), extents({10, 100}));
  EXPECT_EQ(choose_chunk(3, extents({10, 20, 30}), 100000), extents({10, 20, 30}));
  EXPECT_EQ(choose_chunk(3, extents({10, 20, 30}), 100), extents({1, 3, 30}));
}

TEST(ChooseChunk, CutsRowsLongerThanAChunk) {
  EXPECT_EQ(choose_chunk(2, extents({4, 1000}), 64), extents({1, 64}));
}

TEST(ChooseChunk, HasOnePointAtLeast) {
  EXPECT_EQ(choose_chunk(1, extents({5}), 0), extents({1}));
}

std::int64_t count_of(int rank, const Extents& extent, const Extents& chunk) {
  std::int64_t count = 1;
  for (std::size_t a = 0; a < static_cast<std::size_t>(rank); ++a) count *= (extent[a] + chunk[a] - 1) / chunk[a];
  return count;
}

TEST(ChooseSharedChunk, GivesEachThreadAsMuch) {
  // Three chunks by their cells: four for two threads, three for three.
  EXPECT_EQ(choose_shared_chunk(2, extents({300, 100}), 10'000, 2'500, 2), extents({75, 100}));
  EXPECT_EQ(choose_shared_chunk(2, extents({300, 100}), 10'000, 2'500, 3), extents({100, 100}));
  // Rows that two threads cannot share evenly are two chunks, not three.
  EXPECT_EQ(choose_shared_chunk(2, extents({39, 39}), 1'000, 100, 2), extents({20, 39}));
  EXPECT_EQ(choose_shared_chunk(1, extents({1001}), 600, 100, 2), extents({501}));
}

TEST(ChooseSharedChunk, OfWhatIsOneChunkGivesAPartToAsManyThreadsAsHaveEnough) {
  EXPECT_EQ(choose_shared_chunk(2, extents({39, 39}), 100'000, 100, 1), extents({39, 39}));
  EXPECT_EQ(choose_shared_chunk(2, extents({39, 39}), 100'000, 100, 2), extents({20, 39}));
  EXPECT_EQ(choose_shared_chunk(1, extents({1001}), 1001, 400, 16), extents({501}));
  for (const int threads : {1, 2, 16})
    EXPECT_EQ(choose_shared_chunk(2, extents({39, 39}), 100'000, 1000, threads), extents({39, 39}));
}

TEST(ChooseSharedChunk, HasNoMoreChunksThanAreWorthAThread) {
  EXPECT_EQ(choose_shared_chunk(2, extents({300, 100}), 10'000, 8'000, 2), extents({100, 100})) << "four of 7,500";
  EXPECT_EQ(choose_shared_chunk(2, extents({50, 40}), 1'500, 1'000, 16), extents({25, 40})) << "of 1,000 cells each";
}

TEST(ChooseSharedChunk, OfManyChunksAreAsLargeAsTheyMay) {
  EXPECT_EQ(choose_shared_chunk(2, extents({1000, 100}), 1000, 100, 2), choose_chunk(2, extents({1000, 100}), 1000));
}

TEST(ChooseSharedChunk, HasChunksAboutAsLargeAsSaid) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const int rank = 1 + static_cast<int>(random() % 3), threads = 1 + static_cast<int>(random() % 8);
    Extents extent{};
    std::int64_t all = 1;
    for (int a = 0; a < rank; ++a)
      all *= extent[static_cast<std::size_t>(a)] = static_cast<std::int64_t>(1 + random() % (rank == 1 ? 20'000 : 60));
    const auto cells = static_cast<std::int64_t>(100 + random() % 5000), least = cells / 4;
    const Extents chunk = choose_shared_chunk(rank, extent, cells, least, threads);
    const std::int64_t count = count_of(rank, extent, chunk);
    SCOPED_TRACE(testing::Message() << i << ": " << all << " cells, " << count << " chunks, " << threads << " threads");
    EXPECT_GE(count, 1);
    if (all <= cells) {
      if (all < 2 * least || threads == 1) {
        EXPECT_EQ(count, 1);
      }
      if (rank == 1) {
        EXPECT_LE(count, std::clamp<std::int64_t>(all / least, 1, threads));
      }
      if (rank == 1) {
        EXPECT_GE(count, all >= 2 * least && threads > 1 ? 2 : 1);
      }
    } else if (rank == 1) {
      EXPECT_LE(chunk[0], cells);
      EXPECT_GE(count, all >= threads * least ? threads : 2);
    }
  }
}

TEST(ReductionChunks, ASmallPieceIsOneChunk) {
  const ReductionChunks chunks = choose_reduction_chunks(Rect::of({0}, {1000}), 0b1);
  EXPECT_EQ(chunks.chunk, extents({1000}));
  EXPECT_FALSE(chunks.partials);
  EXPECT_EQ(chunks.count, 1);
}

TEST(ReductionChunks, ALongSumLeavesPartialResults) {
  const ReductionChunks chunks = choose_reduction_chunks(Rect::of({0}, {1 << 20}), 0b1);
  EXPECT_TRUE(chunks.partials);
  EXPECT_EQ(chunks.count, 16);
  EXPECT_EQ(chunks.chunk, extents({1 << 16}));
}

TEST(ReductionChunks, AnUnevenSumCountsItsLastChunk) {
  const ReductionChunks chunks = choose_reduction_chunks(Rect::of({0}, {(1 << 20) + 1}), 0b1);
  EXPECT_EQ(chunks.count, 17);
}

TEST(ReductionChunks, ManyRowSumsNeedNoPartialResults) {
  const ReductionChunks chunks = choose_reduction_chunks(Rect::of({0, 0}, {100000, 100}), 0b10);
  EXPECT_FALSE(chunks.partials);
  EXPECT_EQ(chunks.chunk[1], 100);
  EXPECT_LT(chunks.chunk[0], 100000);
}

TEST(ReductionChunks, AFewLongRowSumsAreCutAlongTheRows) {
  const ReductionChunks chunks = choose_reduction_chunks(Rect::of({0, 0}, {4, 1 << 20}), 0b10);
  EXPECT_TRUE(chunks.partials);
  EXPECT_EQ(chunks.chunk[0], 4);
  EXPECT_EQ(chunks.count, (1 << 20) / chunks.chunk[1]);
}

TEST(ReductionChunks, DependOnThePiecesExtentsAlone) {
  const ReductionChunks here = choose_reduction_chunks(Rect::of({0, 0}, {3000, 1000}), 0b11);
  const ReductionChunks there = choose_reduction_chunks(Rect::of({500, 7}, {3500, 1007}), 0b11);
  EXPECT_EQ(here.chunk, there.chunk);
  EXPECT_EQ(here.count, there.count);
}

}  // namespace
// A GPU's threads beside each other read memory beside each other, and so do a core's chunks: pieces are cut across
// their rows also where these are longer than the piece is high, as one of two processors has it.
TEST(Launches, ASumOverAWidePieceIsCutIntoWholeRows) {
  const Rect wide = Rect::of({0, 0}, {4096, 8192});
  EXPECT_EQ(choose_reduction_chunks(wide, 0b11).chunk[1], 8192);
  EXPECT_EQ(choose_device_reduction_chunks(wide, 0b11).chunk[1], 8192);
  EXPECT_GT(choose_device_reduction_chunks(wide, 0b11).count, 16);
}

// Also where it has fewer rows than chunks are wanted: as on one of four GPUs.
TEST(Launches, ASumOverAPieceOfFewerRowsThanChunksAreWantedIsNotCutIntoColumns) {
  for (const std::int64_t rows : {2048, 4095}) {
    const Rect piece = Rect::of({0, 0}, {rows, 8192});
    const ReductionChunks chunks = choose_device_reduction_chunks(piece, 0b11);
    EXPECT_EQ(chunks.chunk[1], 8192);
    EXPECT_GE(chunks.count, rows / 2);
  }
}

// With too few rows for that, parts of rows: long ones.
TEST(Launches, ASumOverFewLongRowsIsCutIntoPartsOfThem) {
  const Rect flat = Rect::of({0, 0}, {4, 1 << 24});
  EXPECT_EQ(choose_reduction_chunks(flat, 0b11).chunk[0], 4);
  EXPECT_GE(choose_reduction_chunks(flat, 0b11).count, 32);
  EXPECT_GE(choose_device_reduction_chunks(flat, 0b11).chunk[1], 1 << 10);
}

// What a chunk reads of its neighbours' rows is little then; of two rows each it would be as much again.
TEST(Launches, OnGpusASumOfCellsAndThoseBesideThemIsCutIntoBoxes) {
  const ReductionChunks boxes = choose_device_reduction_chunks(Rect::of({0, 0}, {8190, 8190}), 0b11, 1024);
  EXPECT_EQ(boxes.chunk[1], 1024);
  EXPECT_GE(boxes.chunk[0], 16);
  EXPECT_EQ(boxes.count, (8190 + boxes.chunk[0] - 1) / boxes.chunk[0] * 8);
  EXPECT_TRUE(boxes.partials);
  const ReductionChunks deep = choose_device_reduction_chunks(Rect::of({0, 0, 0}, {256, 512, 4096}), 0b111, 1024);
  EXPECT_EQ(deep.chunk[2], 1024);
  EXPECT_GT(deep.chunk[1], 1);
  EXPECT_GT(deep.chunk[0], 1);
  EXPECT_EQ(deep.count * deep.chunk[0] * deep.chunk[1] * deep.chunk[2], 256 * 512 * 4096);
  EXPECT_EQ(choose_device_reduction_chunks(Rect::of({0, 0}, {300, 8190}), 0b11, 1024).chunk[1], 8190)
      << "too few boxes for a GPU";
}

// A thousand points that are far apart keep one team busy for long.
TEST(Launches, OnGpusASumOfFewPointsHasSeveralTeams) {
  EXPECT_GE(choose_device_reduction_chunks(Rect::of({0}, {8190}), 0b1).count, 8);
  EXPECT_EQ(choose_device_reduction_chunks(Rect::of({0}, {4096}), 0b1).count, 1);
}

}  // namespace pilum::scheduler
