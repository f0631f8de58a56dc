#include "scheduler/record/host_body.h"

#include <gtest/gtest.h>

#include <set>

#include "scheduler/record/instruction_facts.h"
#include "tests/scheduler/launch_arguments.h"
#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

using partitioner::for_each_cell;

// A launch of a body with one array, row-major from address 0 on.
struct OneArray {
  OneArray(const Rect& points, const Extents& chunk, const Argument& argument) {
    launch.points = points;
    launch.rank = points.rank;
    launch.chunk = chunk;
    for (int axis = 0; axis < points.rank; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      launch.lo[a] = points.lo[a];
      launch.extent[a] = points.extent(axis);
    }
    kernel::BoundArray& array = launch.arrays.emplace_back(kernel::BoundArray{});
    auto stride = static_cast<std::int64_t>(itemsize(argument.footprint.dtype));
    for (int k = argument.footprint.shape.rank() - 1; k >= 0; --k) {
      array.stride[k] = stride;
      stride *= argument.footprint.shape[k];
    }
    launch.chunk_step = {0};
    body.footprints = {argument.footprint};
    body.boxes = {Rect{}};
  }
  std::int64_t count() const {
    Instruction instruction;
    instruction.what = launch;
    return count_chunks(instruction);
  }
  HostBody::Chunk chunk(std::int64_t number) const { return make_chunk(launch, body, number); }
  static std::int64_t first(const HostBody::Chunk& chunk) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(chunk.stores[0].first));
  }
  Launch launch;
  HostBody body;
};

TEST(BodyChunk, OfRowsBindsTheRowsWithTheirHaloClippedAtTheEnds) {
  const OneArray one(Rect::of({0, 0}, {10, 8}), {4, 8},
                     argument_of(kernel::Access::Read, Shape({10, 8}), {{0, 1, -1, 3}, {1, 1, 0, 1}}));
  ASSERT_EQ(one.count(), 3);
  const HostBody::Chunk low = one.chunk(0), middle = one.chunk(1), high = one.chunk(2);
  EXPECT_EQ(low.piece, Piece({0, 0}, {4, 8}));
  EXPECT_EQ(middle.piece, Piece({4, 0}, {8, 8}));
  EXPECT_EQ(high.piece, Piece({8, 0}, {10, 8})) << "what is left";
  EXPECT_EQ(low.stores[0].lo[0], 0);
  EXPECT_EQ(low.stores[0].hi[0], 5);
  EXPECT_EQ(middle.stores[0].lo[0], 3);
  EXPECT_EQ(middle.stores[0].hi[0], 9);
  EXPECT_EQ(high.stores[0].hi[0], 10);
  EXPECT_EQ(OneArray::first(middle), 3 * 8 * 8) << "bytes from the base to the first cell that it may touch";
  EXPECT_EQ(middle.stores[0].stride[0], 8) << "in cells";
  EXPECT_EQ(middle.stores[0].stride[1], 1);
}

TEST(BodyChunk, NumbersGoRowMajorOverTheGridOfChunks) {
  const OneArray one(Rect::of({2, 3}, {6, 13}), {2, 4},
                     argument_of(kernel::Access::Write, Shape({6, 13}), {{0, 1, 0, 1}, {1, 1, 0, 1}}));
  ASSERT_EQ(one.count(), 6);
  EXPECT_EQ(one.chunk(0).piece, Piece({2, 3}, {4, 7}));
  EXPECT_EQ(one.chunk(1).piece, Piece({2, 7}, {4, 11}));
  EXPECT_EQ(one.chunk(2).piece, Piece({2, 11}, {4, 13}));
  EXPECT_EQ(one.chunk(3).piece, Piece({4, 3}, {6, 7}));
  EXPECT_EQ(one.chunk(5).piece, Piece({4, 11}, {6, 13}));
}

TEST(BodyChunk, OfAFoldHasPartialResultsOfItsOwn) {
  OneArray one(Rect::of({0}, {100}), {30}, argument_of(kernel::Access::Reduce, Shape({3}), {{-1, 0, 0, 3}}));
  one.launch.chunk_step = {64};
  for (std::int64_t number = 0; number < 4; ++number) {
    const HostBody::Chunk chunk = one.chunk(number);
    EXPECT_EQ(OneArray::first(chunk), 64 * number);
    EXPECT_EQ(chunk.stores[0].lo[0], 0);
    EXPECT_EQ(chunk.stores[0].hi[0], 3);
  }
}

TEST(BodyChunk, OfAFunctionMayTouchTheBoxOfTheWholePiece) {
  OneArray one(Rect::of({0}, {100}), {30}, argument_of(kernel::Access::Read, Shape({50}), {}));
  one.body.footprints[0].cells = AskedCells{std::make_shared<CellFunction>(), nullptr};
  one.body.boxes[0] = Rect::of({7}, {19});
  for (const std::int64_t number : {0, 3}) {
    EXPECT_EQ(one.chunk(number).stores[0].lo[0], 7);
    EXPECT_EQ(one.chunk(number).stores[0].hi[0], 19);
    EXPECT_EQ(OneArray::first(one.chunk(number)), 7 * 8);
  }
}

TEST(BodyChunk, StridesCountInCellsOfTheDtypeAlsoBackwards) {
  Argument argument = argument_of(kernel::Access::Read, Shape({10}), {{0, 1, 0, 1}});
  argument.footprint.dtype = DType::Float32;
  OneArray one(Rect::of({0}, {10}), {5}, argument);
  one.launch.arrays[0].stride[0] = -12;
  EXPECT_EQ(one.chunk(1).stores[0].stride[0], -3);
  EXPECT_EQ(OneArray::first(one.chunk(1)), -60);
}

TEST(BodyChunk, OfAnArrayWithoutAxesIsItsCell) {
  const OneArray one(Rect::of({0}, {4}), {1}, argument_of(kernel::Access::Read, Shape({}), {}));
  EXPECT_EQ(OneArray::first(one.chunk(3)), 0);
  EXPECT_EQ(one.chunk(3).piece, Piece({3}, {4}));
}

TEST(BodyChunk, ChunksOfRandomLaunchesHaveEachPointOnceAndBindItsCells) {
  for_each_seed(150, [](std::uint64_t seed) {
    Random random(seed);
    const int rank = static_cast<int>(random.between(1, 3)), view_rank = static_cast<int>(random.between(1, 3));
    const Rect points = partitioner::random_rect(random, rank, 0, 6);
    Extents chunk{};
    for (std::size_t a = 0; a < static_cast<std::size_t>(rank); ++a) chunk[a] = random.between(1, 7);
    const OneArray one(points, chunk, random_argument(random, view_rank, view_rank, rank));
    std::set<Cell> seen;
    for (std::int64_t number = 0; number < one.count(); ++number) {
      const HostBody::Chunk part = one.chunk(number);
      const detail::BoundStore& store = part.stores[0];
      EXPECT_GT(part.piece.size(), 0);
      for_each_cell(Rect{rank, part.piece.lo(), part.piece.hi()}, [&](const Cell& point) {
        EXPECT_TRUE(seen.insert(point).second) << "a point in two chunks";
        for (const Cell& index : indices_of(one.body.footprints[0], point)) {
          std::int64_t bound = OneArray::first(part), address = 0;
          for (std::size_t k = 0; k < static_cast<std::size_t>(view_rank); ++k) {
            ASSERT_TRUE(store.lo[k] <= index[k] && index[k] < store.hi[k]);
            bound += (index[k] - store.lo[k]) * store.stride[k] * 8;
            address += index[k] * one.launch.arrays[0].stride[k];
          }
          ASSERT_EQ(bound, address);
        }
      });
    }
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), points.cells());
  });
}

}  // namespace
}  // namespace pilum::scheduler
