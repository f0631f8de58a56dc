#include "scheduler/record/task.h"

#include <gtest/gtest.h>

#include "tests/scheduler/launch_arguments.h"
#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

using partitioner::apply, partitioner::for_each_cell, partitioner::is_inside;

Point point_of(std::initializer_list<std::int64_t> x) {
  Point point{static_cast<int>(x.size())};
  std::copy(x.begin(), x.end(), point.x.begin());
  return point;
}

// A store seen through a map at these offsets.
Argument read_of(const AffineMap& map, const std::vector<Point>& offsets) {
  Argument read;
  read.view.map = map;
  Offsets cells;
  for (const Point& offset : offsets) cells.add(offset);
  read.footprint.cells = cells;
  return read;
}

// A user's task that reads an array.
Argument read_of(Argument read, int domain_rank) {
  read.footprint.domain_rank = static_cast<std::int8_t>(domain_rank);
  if (auto* asked = std::get_if<AskedCells>(&read.footprint.cells))
    asked->known = std::make_shared<std::map<Rect, Region>>();
  return read;
}

TEST(TaskRead, AFivePointStencilReadsNoCornersAndItsHullHasThem) {
  const Argument read = read_of(AffineMap::identity(2), {point_of({0, 0}), point_of({-1, 0}), point_of({1, 0}),
                                                         point_of({0, -1}), point_of({0, 1})});
  const Rect piece = Rect::of({10, 20}, {14, 26});
  EXPECT_EQ(read.hull(piece), Rect::of({9, 19}, {15, 27}));
  EXPECT_EQ(read.cells(piece), Region::of({Rect::of({9, 20}, {15, 26}), Rect::of({10, 19}, {14, 27})}));
  EXPECT_EQ(read.cells(piece).cells(), 4 * 6 + 2 * 4 + 2 * 6);
}

TEST(TaskRead, OfAnEmptyPieceReadsNothing) {
  const Argument read = read_of(AffineMap::identity(2), {point_of({0, 0}), point_of({3, 3})});
  const Rect nothing = Rect::of({4, 5}, {4, 9});
  EXPECT_TRUE(read.cells(nothing).empty());
  EXPECT_TRUE(read.hull(nothing).empty());
  EXPECT_TRUE(read.points_touching(Rect::of({0, 0}, {100, 100}), nothing).empty());
}

TEST(TaskRead, OfABroadcastRowReadsItOnceHoweverManyPoints) {
  AffineMap row;
  row.store_rank = 2;
  row.view_rank = 2;
  row[0] = {-1, 0, 7};
  row[1] = {1, 1, 0};
  const Argument read = read_of(row, {Point{2}});
  EXPECT_EQ(read.cells(Rect::of({0, 3}, {1000, 5})), Region(Rect::of({7, 3}, {8, 5})));
  EXPECT_EQ(read.points_touching(Rect::of({7, 4}, {8, 9}), Rect::of({0, 3}, {1000, 5})),
            Region(Rect::of({0, 4}, {1000, 5})));
  EXPECT_TRUE(read.points_touching(Rect::of({6, 0}, {7, 9}), Rect::of({0, 3}, {1000, 5})).empty());
}

TEST(TaskRead, BackwardsItReadsTheSameNumberOfCellsFromTheOtherEnd) {
  AffineMap back = AffineMap::identity(1);
  back[0] = {0, -1, 99};
  const Argument read = read_of(back, {point_of({0}), point_of({-2})});
  EXPECT_EQ(read.cells(Rect::of({0}, {10})), Region(Rect::of({88}, {100})));
  EXPECT_EQ(read.points_touching(Rect::of({88}, {89}), Rect::of({0}, {10})), Region(Rect::of({9}, {10})));
}

TEST(TaskRead, OfNearlyTheLargestArraysDoesNotOverflow) {
  constexpr std::int64_t kFar = (std::int64_t{1} << 62) - 10;
  const Argument read = read_of(AffineMap::identity(1), {point_of({-8}), point_of({8})});
  EXPECT_EQ(read.hull(Rect::of({kFar}, {kFar + 1})), Rect::of({kFar - 8}, {kFar + 9}));
  EXPECT_EQ(read.cells(Rect::of({kFar}, {kFar + 1})).cells(), 2);
  EXPECT_EQ(read.points_touching(Rect::of({kFar}, {kFar + 1}), Rect::of({0}, {kFar + 9})).cells(), 2);
}

TEST(TaskRead, OfEightAxesIsShiftedAlongEach) {
  Point offset{8}, none{8};
  Rect piece{8}, wanted{8};
  for (std::size_t k = 0; k < 8; ++k) {
    const auto a = static_cast<std::int64_t>(k);
    offset.x[k] = a - 4;
    piece.lo[k] = 10;
    piece.hi[k] = 11;
    wanted.lo[k] = a + 6;
    wanted.hi[k] = a + 7;
  }
  const Argument read = read_of(AffineMap::identity(8), {none, offset});
  EXPECT_EQ(read.cells(piece), Region::of({piece, wanted}));
  EXPECT_EQ(read.hull(piece), hull(piece, wanted));
}

TEST(TaskRead, FootprintsAndThePointsThatReadCellsAreThoseFoundPointByPoint) {
  for_each_seed(200, [](std::uint64_t seed) {
    Random random(seed);
    const int domain_rank = static_cast<int>(random.between(1, 3)), rank = static_cast<int>(random.between(1, 3));
    const bool steps = random.once_in(3);
    const AffineMap map = partitioner::random_map(random, rank, domain_rank, steps ? 3 : 1);
    std::vector<Point> offsets;
    for (std::int64_t count = random.between(1, 5); count > 0; --count) {
      Point& offset = offsets.emplace_back(Point{rank});
      for (int k = 0; k < rank; ++k) offset[k] = random.between(-2, 2);
    }
    const Argument read = read_of(map, offsets);
    const Rect piece = partitioner::random_rect(random, domain_rank, -3, 4);
    const Rect wanted = partitioner::random_rect(random, rank, -25, 40);
    const Region footprint = read.cells(piece), points = read.points_touching(wanted, piece);
    std::set<Cell> cells;
    for_each_cell(piece, [&](const Cell& point) {
      bool reads = false;
      for (const Point& offset : offsets) {
        Cell cell = apply(map, point);
        for (std::size_t k = 0; k < static_cast<std::size_t>(rank); ++k) cell[k] += offset.x[k];
        cells.insert(cell);
        reads = reads || is_inside(wanted, cell);
        ASSERT_TRUE(contains_cell(footprint, cell));
        ASSERT_TRUE(is_inside(read.hull(piece), cell));
      }
      ASSERT_EQ(contains_cell(points, point), reads);
    });
    if (!steps) {
      EXPECT_EQ(footprint.cells(), static_cast<std::int64_t>(cells.size()));
      EXPECT_TRUE(footprint.hull() == read.hull(piece) || offsets.size() > 1);
    }
  });
}

// --- reads and writes of users' tasks

TEST(TaskRead, OfAUsersWindowsIsTheArgumentsBox) {
  const Argument read = read_of(argument_of(kernel::Access::Read, Shape({50}), {{0, 2, -1, 4}}), 1);
  EXPECT_EQ(read.hull(Rect::of({3}, {5})), Rect::of({5}, {11}));
  EXPECT_EQ(read.cells(Rect::of({3}, {5})), Region(Rect::of({5}, {11})));
  EXPECT_EQ(read.cells(Rect::of({0}, {1})), Region(Rect::of({0}, {3})));
}

TEST(TaskRead, NoPointOfAUsersTaskThatReadsACellIsForgotten) {
  for_each_seed(150, [](std::uint64_t seed) {
    Random random(seed);
    const int domain_rank = static_cast<int>(random.between(1, 2)), rank = static_cast<int>(random.between(1, 2));
    const Argument argument = random_argument(random, rank, rank, domain_rank);
    const Argument read = read_of(argument, domain_rank);
    const Rect piece = partitioner::random_rect(random, domain_rank, 0, 5);
    const Rect wanted = partitioner::random_rect(random, rank, -10, 20);
    const Region points = read.points_touching(wanted, piece);
    EXPECT_TRUE(Region(piece).contains(points));
    for_each_cell(piece, [&](const Cell& point) {
      for (const Cell& index : indices_of(argument.footprint, point)) {
        if (!is_inside(wanted, apply(argument.view.map, index))) continue;
        ASSERT_TRUE(contains_cell(points, point));
      }
    });
  });
}

TEST(TaskRead, AUsersFunctionIsAskedOnceForAPiece) {
  int asked = 0;
  Argument argument = argument_of(kernel::Access::Read, Shape({50}), {});
  const auto function = function_of([&](const Piece& point) {
    ++asked;
    return std::vector<Box>{Box({point.lo(0)}, {point.lo(0) + 1}), Box({40}, {42})};
  });
  argument.footprint.cells = AskedCells{function, nullptr};
  const Argument read = read_of(argument, 1);
  const Rect piece = Rect::of({3}, {6});
  const Region wanted = Region::of({Rect::of({3}, {6}), Rect::of({40}, {42})});
  EXPECT_EQ(read.cells(piece), wanted);
  EXPECT_EQ(read.cells(piece), wanted);
  EXPECT_EQ(read.hull(piece), Rect::of({3}, {42}));
  EXPECT_EQ(asked, 3) << "once for each of its points";
  EXPECT_EQ(read.cells(Rect::of({4}, {5})).cells(), 3);
  EXPECT_EQ(asked, 4);
  EXPECT_TRUE(read.hull(Rect::of({4}, {4})).empty());
  EXPECT_EQ(read.hull(Rect::of({4}, {4})).rank, 1);
  // Which of its points read the cells is not known: all may.
  EXPECT_EQ(read.points_touching(Rect::of({49}, {50}), piece), Region(piece));
  EXPECT_TRUE(read.points_touching(Region(), piece).empty());
}

TEST(TaskWrite, WritesThePointsImageAndAUsersTaskItsArguments) {
  TaskWrite write;
  write.view.map = AffineMap::identity(2);
  write.view.map[1] = {1, 2, 1};
  EXPECT_EQ(write.hull(Rect::of({2, 0}, {4, 3})), Rect::of({2, 1}, {4, 6}));
  EXPECT_TRUE(write.hull(Rect::of({2, 0}, {2, 3})).empty());
  write = {argument_of(kernel::Access::Write, Shape({9, 5, 7}), {{0, 1, 0, 1}, {1, 1, 0, 1}, {-1, 0, 0, 7}})};
  EXPECT_EQ(write.hull(Rect::of({2, 0}, {4, 3})), Rect::of({2, 0, 0}, {4, 3, 7}));
}

TEST(TaskReduction, FoldsIntoThePointsImageOrIntoAnyCell) {
  Argument reduction;
  reduction.view.store = StoreRef(new Store);
  reduction.view.store->shape = Shape({30});
  reduction.view.map.store_rank = 1;
  reduction.view.map.view_rank = 2;
  reduction.view.map[0] = {0, 1, 0};  // rows are kept
  const Rect piece = Rect::of({4, 10}, {6, 20});
  EXPECT_EQ(reduction.hull(piece), Rect::of({4}, {6}));
  reduction = argument_of(kernel::Access::Reduce, Shape({30}), {{-1, 0, 0, 30}});
  EXPECT_EQ(reduction.hull(piece), Rect::of({0}, {30}));
  EXPECT_TRUE(reduction.hull(Rect::of({4, 10}, {4, 20})).empty()) << "who has no points folds nothing";
}

TEST(ScalarBits, AreTheInputsCastToWhatTheKernelTakesOrTheTasksWords) {
  Operation operation;
  auto& elementwise = std::get<Elementwise>(operation.what);
  elementwise.inputs.resize(2);
  elementwise.inputs[0].scalar = Scalar::of(2.75);
  elementwise.inputs[1].scalar = Scalar::of(std::int64_t{-3});
  EXPECT_EQ(scalar_bits(operation, {0, 0, DType::Float64}), Scalar::of(2.75).bits);
  EXPECT_EQ(scalar_bits(operation, {0, 0, DType::Float32}), Scalar::of(2.75f).bits);
  EXPECT_EQ(scalar_bits(operation, {0, 0, DType::Int32}), Scalar::of(std::int32_t{2}).bits);
  EXPECT_EQ(scalar_bits(operation, {0, 1, DType::Float64}), Scalar::of(-3.0).bits);
  EXPECT_EQ(scalar_bits(operation, {0, 1, DType::Bool}), Scalar::of(true).bits);
  const std::uint64_t words[] = {11, 12};
  operation.what = TaskCall{std::make_shared<TaskLaunch>(), LaunchScalars(words, 0)};
  EXPECT_EQ(scalar_bits(operation, {0, 1, DType::Float64}), 12u) << "a body's words are what they are";
}

}  // namespace
}  // namespace pilum::scheduler
