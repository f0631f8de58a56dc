#include "scheduler/memory/read_view.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "tests/partitioner/random_cells.h"
#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

using partitioner::AffineMap, partitioner::Cell, partitioner::Random;

// Real memory with cells of a store that say where they are: cell number c of the rect, row-major, holds c.
template <class T>
struct Numbered {
  Numbered(const Rect& rect, std::int64_t padding) {
    std::int64_t pitch = sizeof(T);
    for (int k = rect.rank - 1; k >= 0; --k) {
      instance.pitch[static_cast<std::size_t>(k)] = pitch;
      pitch = (rect.extent(k) + padding) * pitch;
    }
    memory.resize(static_cast<std::size_t>(pitch) + 16);
    block.data = memory.data();
    instance.block = &block;
    instance.rect = rect;
    instance.origin = 16;
    T number = 0;
    partitioner::for_each_cell(rect, [&](const Cell& cell) {
      std::memcpy(instance.address(cell), &number, sizeof number);
      ++number;
    });
  }
  std::vector<T> read(const View& view) const {
    const std::vector<std::byte> bytes = read_view(instance, view);
    std::vector<T> cells(bytes.size() / sizeof(T));
    if (!cells.empty()) std::memcpy(cells.data(), bytes.data(), bytes.size());
    return cells;
  }
  std::vector<std::byte> memory;
  Block block;
  Instance instance;
};

View view_of(const Shape& store, DType dtype, const AffineMap& map, const Shape& shape) {
  View view{StoreRef(new Store), map, shape};
  view.store->shape = store;
  view.store->dtype = dtype;
  return view;
}

TEST(ReadView, OfARowIsItsCells) {
  const Numbered<double> row(Rect::of({0}, {5}), 0);
  const View view = view_of(Shape({5}), DType::Float64, AffineMap::identity(1), Shape({5}));
  EXPECT_EQ(row.read(view), (std::vector<double>{0, 1, 2, 3, 4}));
}

TEST(ReadView, BackwardsWithAStepAndAcross) {
  const Numbered<std::int32_t> tile(Rect::of({0, 0}, {3, 4}), 2);
  AffineMap back = AffineMap::identity(2);
  back[1] = {1, -2, 3};  // columns 3, 1
  EXPECT_EQ(tile.read(view_of(Shape({3, 4}), DType::Int32, back, Shape({3, 2}))),
            (std::vector<std::int32_t>{3, 1, 7, 5, 11, 9}));
  AffineMap across = AffineMap::identity(2);
  std::swap(across[0].axis, across[1].axis);
  EXPECT_EQ(tile.read(view_of(Shape({3, 4}), DType::Int32, across, Shape({4, 3}))),
            (std::vector<std::int32_t>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
}

TEST(ReadView, ABroadcastAxisRepeatsItsCells) {
  const Numbered<std::int64_t> row(Rect::of({0}, {3}), 0);
  AffineMap map = AffineMap::identity(1);
  map.view_rank = 2;
  EXPECT_EQ(row.read(view_of(Shape({3}), DType::Int64, map, Shape({3, 2}))),
            (std::vector<std::int64_t>{0, 0, 1, 1, 2, 2}));
}

TEST(ReadView, WithoutAxesIsOneCellAndWithoutPointsNone) {
  const Numbered<std::int64_t> tile(Rect::of({0, 0}, {3, 4}), 1);
  AffineMap one;
  one.store_rank = 2;
  one[0] = {-1, 0, 2};
  one[1] = {-1, 0, 1};
  EXPECT_EQ(tile.read(view_of(Shape({3, 4}), DType::Int64, one, Shape({}))), (std::vector<std::int64_t>{9}));
  for (const Shape& empty : {Shape({0, 4}), Shape({3, 0})})
    EXPECT_TRUE(tile.read(view_of(Shape({3, 4}), DType::Int64, AffineMap::identity(2), empty)).empty());
}

TEST(ReadView, OfBoolsIsAByteACell) {
  const Numbered<std::uint8_t> row(Rect::of({0}, {4}), 0);
  AffineMap map = AffineMap::identity(1);
  map[0] = {0, 1, 1};
  EXPECT_EQ(row.read(view_of(Shape({4}), DType::Bool, map, Shape({3}))), (std::vector<std::uint8_t>{1, 2, 3}));
}

TEST(ReadView, OfRandomViewsIsReadPointByPoint) {
  for_each_seed(150, [](std::uint64_t seed) {
    Random random(seed);
    const int view_rank = static_cast<int>(random.between(0, 4)), rank = static_cast<int>(random.between(1, 3));
    Shape shape;
    for (int axis = 0; axis < view_rank; ++axis) shape.push_back(random.between(1, 4));
    const AffineMap map = partitioner::random_map(random, rank, view_rank, 2);
    const View view = view_of(Shape({1}), DType::Float64, map, shape);
    Rect rect = cells_of(view);  // and some cells around
    for (std::size_t k = 0; k < static_cast<std::size_t>(rank); ++k) {
      rect.lo[k] -= random.between(0, 2);
      rect.hi[k] += random.between(0, 2);
    }
    const Numbered<double> tile(rect, random.between(0, 2));
    std::vector<double> expected;
    partitioner::for_each_cell(Rect::of(shape), [&](const Cell& point) {
      const Cell cell = partitioner::apply(map, point);
      std::int64_t number = 0;
      for (int k = 0; k < rank; ++k)
        number = number * rect.extent(k) + cell[static_cast<std::size_t>(k)] - rect.lo[static_cast<std::size_t>(k)];
      expected.push_back(static_cast<double>(number));
    });
    EXPECT_EQ(tile.read(view), expected);
  });
}

TEST(CellsOf, AViewAreTheHullOfItsImageAndOfNoPointsNone) {
  AffineMap map = AffineMap::identity(2);
  map[0] = {0, -2, 10};
  const View view = view_of(Shape({20, 20}), DType::Float64, map, Shape({3, 5}));
  EXPECT_EQ(cells_of(view), Rect::of({6, 0}, {11, 5}));
  EXPECT_TRUE(cells_of(view_of(Shape({20, 20}), DType::Float64, map, Shape({0, 5}))).empty());
  AffineMap one;
  one.store_rank = 1;
  one[0] = {-1, 0, 7};
  EXPECT_EQ(cells_of(view_of(Shape({20}), DType::Float64, one, Shape({}))), Rect::of({7}, {8}));
  EXPECT_EQ(cells_of(view_of(Shape({}), DType::Float64, {}, Shape({}))), Rect{});
}

}  // namespace
}  // namespace pilum::scheduler
