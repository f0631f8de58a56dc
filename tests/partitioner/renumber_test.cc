#include "partitioner/renumber.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/partitioner/random_cells.h"

namespace pilum::partitioner {
namespace {

// The row-major numbers of the rectangles' cells, cell by cell.
std::set<std::int64_t> numbers_of(const std::vector<Rect>& rects, const Shape& shape) {
  std::set<std::int64_t> numbers;
  for (const Rect& rect : rects) {
    for_each_cell(rect, [&](const Cell& cell) {
      std::int64_t number = 0;
      for (int axis = 0; axis < shape.rank(); ++axis)
        number = number * shape[axis] + cell[static_cast<std::size_t>(axis)];
      numbers.insert(number);
    });
  }
  return numbers;
}

TEST(Renumber, RowsOfAMatrixAreAStretchOfALine) {
  EXPECT_EQ(renumber(Rect::of({2, 0}, {5, 7}), {6, 7}, {42}), Region(Rect::of({14}, {35})));
  EXPECT_EQ(renumber(Rect::of({14}, {35}), {42}, {6, 7}), Region(Rect::of({2, 0}, {5, 7})));
}

TEST(Renumber, AStretchOfALineIsWholeRowsAndPartsOfTheFirstAndLast) {
  EXPECT_EQ(to_string(renumber(Rect::of({5}, {24}), {42}, {6, 7})), "{[0:1, 5:7] [1:3, 0:7] [3:4, 0:3]}");
  EXPECT_EQ(renumber(Rect::of({9}, {11}), {42}, {6, 7}), Region(Rect::of({1, 2}, {2, 4})));
}

TEST(Renumber, ColumnsOfAMatrixThatIsCutIntoBlocksAreABand) {
  EXPECT_EQ(renumber(Rect::of({0, 4}, {6, 6}), {6, 8}, {6, 4, 2}), Region(Rect::of({0, 2, 0}, {6, 3, 2})));
}

TEST(Renumber, OneCellHasNoAxes) {
  EXPECT_EQ(renumber(Rect{}, {}, {1, 1}), Region(Rect::of({0, 0}, {1, 1})));
  EXPECT_EQ(renumber(Rect::of({0}, {1}), {1}, {}), Region(Rect{}));
}

TEST(Renumber, OfNothingIsNothing) {
  EXPECT_TRUE(renumber(Rect::of({3, 0}, {3, 7}), {6, 7}, {42}).empty());
}

TEST(Renumber, OfMoreRunsThanAreToldApartIsTheirHullRowByRow) {
  // 4 * 5 runs of two cells, at most 4 told apart: each of the outer axis.
  const Region region = renumber(Rect::of({0, 0, 1}, {4, 5, 3}), {4, 5, 6}, {120}, 4);
  EXPECT_EQ(to_string(region), "{[1:27] [31:57] [61:87] [91:117]}");
}

TEST(Renumber, OfRandomBoxesIsTheirNumbersCellByCell) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const std::vector<Shape> shapes = {{72},      {8, 9},  {9, 8},       {2, 36}, {3, 4, 6},
                                     {6, 3, 4}, {1, 72}, {2, 2, 2, 9}, {72, 1}, {4, 1, 18}};
  for (int round = 0; round < 2000; ++round) {
    const Shape& from = shapes[static_cast<std::size_t>(random.between(0, 9))];
    const Shape& to = shapes[static_cast<std::size_t>(random.between(0, 9))];
    Rect box = Rect::of(from);
    for (std::size_t a = 0; a < static_cast<std::size_t>(box.rank); ++a) {
      box.lo[a] = random.between(0, box.hi[a] - 1);
      box.hi[a] = random.between(box.lo[a] + 1, box.hi[a]);
    }
    const std::set<std::int64_t> wanted = numbers_of({box}, from);
    ASSERT_EQ(numbers_of(renumber(box, from, to).rects(), to), wanted);
    const std::set<std::int64_t> coarse = numbers_of(renumber(box, from, to, 2).rects(), to);
    ASSERT_TRUE(std::ranges::includes(coarse, wanted));
    ASSERT_GE(*coarse.begin(), *wanted.begin());
    ASSERT_LE(*coarse.rbegin(), *wanted.rbegin());
  }
}

}  // namespace
}  // namespace pilum::partitioner
