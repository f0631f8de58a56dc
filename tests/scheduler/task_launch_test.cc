#include "scheduler/record/task_launch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <tuple>

#include "pilum/error.h"
#include "scheduler/record/recorder.h"
#include "tests/scheduler/launch_arguments.h"
#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

using partitioner::for_each_cell;

constexpr std::int64_t kHuge = std::int64_t{1} << 61;

struct BoxCase {
  const char* what;
  std::int64_t extent;  // of the view, of one axis
  AxisCells window;
  Rect piece, box;
};

void PrintTo(const BoxCase& one, std::ostream* out) {
  *out << one.what;
}

class FootprintBox : public testing::TestWithParam<BoxCase> {};

TEST_P(FootprintBox, IsTheCellsOfAllPointsClippedAtTheViewsEnds) {
  const BoxCase& one = GetParam();
  const Argument argument = argument_of(kernel::Access::Read, Shape({one.extent}), {one.window});
  EXPECT_EQ(argument.footprint.box(one.piece), one.box) << one.what;
  EXPECT_EQ(argument.hull(one.piece), one.box.empty() ? Rect{1} : one.box) << one.what;
}

INSTANTIATE_TEST_SUITE_P(
    Windows, FootprintBox,
    testing::Values(BoxCase{"aligned", 10, {0, 1, 0, 1}, Rect::of({3}, {7}), Rect::of({3}, {7})},
                    BoxCase{"a halo inside", 10, {0, 1, -1, 3}, Rect::of({3}, {7}), Rect::of({2}, {8})},
                    BoxCase{"a halo at the low end", 10, {0, 1, -1, 3}, Rect::of({0}, {2}), Rect::of({0}, {3})},
                    BoxCase{"a halo at the high end", 10, {0, 1, -1, 3}, Rect::of({8}, {10}), Rect::of({7}, {10})},
                    BoxCase{"pairs", 10, {0, 2, 0, 2}, Rect::of({1}, {3}), Rect::of({2}, {6})},
                    BoxCase{"backwards", 10, {0, -1, 9, 1}, Rect::of({0}, {3}), Rect::of({7}, {10})},
                    BoxCase{"the whole", 10, {-1, 0, 0, 10}, Rect::of({4}, {5}), Rect::of({0}, {10})},
                    BoxCase{"one fixed cell", 10, {-1, 0, 6, 1}, Rect::of({0}, {100}), Rect::of({6}, {7})},
                    BoxCase{"all beyond the high end", 10, {0, 1, 20, 3}, Rect::of({0}, {5}), Rect::of({10}, {10})},
                    BoxCase{"all before the low end", 10, {0, 1, -20, 3}, Rect::of({0}, {5}), Rect::of({0}, {0})},
                    BoxCase{
                        "the domain of another axis's extent", 4, {0, 1, 0, 1}, Rect::of({2}, {9}), Rect::of({2}, {4})},
                    BoxCase{"one of the largest",
                            2 * kHuge - 1,
                            {0, 1, -1, 3},
                            Rect::of({kHuge}, {kHuge + 5}),
                            Rect::of({kHuge - 1}, {kHuge + 6})}));

TEST(Footprint, OfAnArrayWithoutAxesIsItsOneCell) {
  const Argument argument = argument_of(kernel::Access::Read, Shape({}), {});
  EXPECT_EQ(argument.footprint.box(Rect::of({5}, {9})).rank, 0);
  EXPECT_EQ(argument.hull(Rect::of({5}, {9})), Rect{});
  EXPECT_EQ(argument.hull(Rect::of({5}, {9})).cells(), 1);
}

TEST(Footprint, OfEightAxesFollowsEachItsOwn) {
  Argument argument = argument_of(kernel::Access::Read, Shape({9, 9, 9, 9, 9, 9, 9, 9}), {});
  Rect piece{8}, wanted{8};
  for (std::size_t k = 0; k < 8; ++k) {
    const auto a = static_cast<std::int64_t>(k);
    std::get<Windows>(argument.footprint.cells)[k] = {static_cast<int>(7 - k), 1, 0, 1};
    piece.lo[k] = a;
    piece.hi[k] = a + 1;
    wanted.lo[k] = 7 - a;
    wanted.hi[k] = 8 - a;
  }
  EXPECT_EQ(argument.footprint.box(piece), wanted);
}

TEST(Footprint, WritesUnlessItReads) {
  Footprint footprint;
  EXPECT_FALSE(footprint.writes());
  for (const kernel::Access access : {kernel::Access::Write, kernel::Access::ReadWrite, kernel::Access::Reduce}) {
    footprint.access = access;
    EXPECT_TRUE(footprint.writes());
  }
}

TEST(Footprint, OfRandomWindowsHasEachPointsCellsAndIsTheirHullWhereWindowsTouch) {
  for_each_seed(150, [](std::uint64_t seed) {
    Random random(seed);
    const int domain_rank = static_cast<int>(random.between(1, 3)), rank = static_cast<int>(random.between(0, 3));
    const Argument argument = random_argument(random, rank, rank, domain_rank);
    const Rect piece = partitioner::random_rect(random, domain_rank, 0, 4);
    const Rect box = argument.footprint.box(piece);
    std::set<Cell> touched;
    for_each_cell(piece, [&](const Cell& point) { touched.merge(indices_of(argument.footprint, point)); });
    bool close = true;
    for (int k = 0; k < rank; ++k) {
      const AxisCells window = argument.footprint.window(k);
      close = close && std::abs(window.scale) <= window.extent;
    }
    Rect around{rank};
    for (const Cell& cell : touched) {
      ASSERT_TRUE(partitioner::is_inside(box, cell));
      Rect one{rank, cell, cell};
      for (std::size_t k = 0; k < static_cast<std::size_t>(rank); ++k) ++one.hi[k];
      around = around.empty() ? one : hull(around, one);
    }
    if (!touched.empty() && close) {
      EXPECT_EQ(box, around);
    }
    if (touched.empty() && close) {
      EXPECT_TRUE(box.empty());
    }
  });
}

// --- an argument's maps

TEST(LaunchArgument, MapsLeadAPointToTheFirstCellOfItsWindowsAndToTheNearest) {
  for_each_seed(300, [](std::uint64_t seed) {
    Random random(seed);
    const int domain_rank = static_cast<int>(random.between(1, 4)), view_rank = static_cast<int>(random.between(0, 4));
    const Argument argument = random_argument(random, static_cast<int>(random.between(0, 4)), view_rank, domain_rank);
    const AffineMap first = argument.map(), nearest = argument.nearest_map();
    EXPECT_EQ(first.view_rank, domain_rank);
    EXPECT_EQ(nearest.view_rank, domain_rank);
    for (int tries = 0; tries < 5; ++tries) {
      Cell point{}, index{}, near{}, last{};
      for (std::size_t a = 0; a < static_cast<std::size_t>(domain_rank); ++a) point[a] = random.between(0, 50);
      for (std::size_t k = 0; k < static_cast<std::size_t>(view_rank); ++k) {
        const AxisCells window = argument.footprint.window(static_cast<int>(k));
        std::tie(index[k], last[k]) = window_at(window, point);
        // Among a window's cells the one that no offset displaces, or the closest to it.
        std::int64_t best = index[k];
        for (std::int64_t i = index[k]; i <= last[k]; ++i) {
          if (std::abs(i - index[k] + window.offset) < std::abs(best - index[k] + window.offset)) best = i;
        }
        near[k] = window.axis < 0 ? index[k] : best;
      }
      EXPECT_EQ(partitioner::apply(first, point), partitioner::apply(argument.view.map, index));
      EXPECT_EQ(partitioner::apply(nearest, point), partitioner::apply(argument.view.map, near));
      const Cell from = partitioner::apply(argument.view.map, index), to = partitioner::apply(argument.view.map, last);
      for (int k = 0; k < argument.view.map.store_rank; ++k) {
        const std::int64_t reach = to[static_cast<std::size_t>(k)] - from[static_cast<std::size_t>(k)];
        EXPECT_EQ(argument.low()[k], std::min<std::int64_t>(reach, 0)) << "store axis " << k;
        EXPECT_EQ(argument.high()[k], std::max<std::int64_t>(reach, 0)) << "store axis " << k;
      }
    }
  });
}

TEST(LaunchArgument, AHaloLiesWithItsOwnPoint) {
  const Argument halo = argument_of(kernel::Access::Read, Shape({100}), {{0, 1, -2, 5}});
  EXPECT_EQ(partitioner::to_string(halo.map()), "[x0-2]");
  EXPECT_EQ(partitioner::to_string(halo.nearest_map()), "[x0]");
  const Argument ahead = argument_of(kernel::Access::Read, Shape({100}), {{0, 1, 3, 2}});
  EXPECT_EQ(partitioner::to_string(ahead.nearest_map()), "[x0+3]");
  const Argument behind = argument_of(kernel::Access::Read, Shape({100}), {{0, 1, -9, 2}});
  EXPECT_EQ(partitioner::to_string(behind.nearest_map()), "[x0-8]");
}

TEST(LaunchArgument, ThroughAFunctionReachesAllOfItsView) {
  Argument argument = argument_of(kernel::Access::Read, Shape({4, 7}), {});
  argument.view.map[1] = {1, -2, 20};  // columns 20, 18, … 8
  argument.footprint.cells = AskedCells{function_of([](const Piece&) { return std::vector<Box>{}; }), nullptr};
  EXPECT_EQ(partitioner::to_string(argument.map()), "[0, 20]");
  EXPECT_EQ(argument.nearest_map(), argument.map());
  EXPECT_EQ(argument.low(), (Point{2, {0, -12}}));
  EXPECT_EQ(argument.high(), (Point{2, {3, 0}}));
}

TEST(LaunchArgument, CellsAreTheHullOfWhatThePieceTouchesOfTheStore) {
  for_each_seed(150, [](std::uint64_t seed) {
    Random random(seed);
    const int domain_rank = static_cast<int>(random.between(1, 2)), view_rank = static_cast<int>(random.between(1, 3));
    const Argument argument = random_argument(random, 3, view_rank, domain_rank);
    const Rect piece = partitioner::random_rect(random, domain_rank, 0, 3);
    const Rect cells = argument.hull(piece);
    EXPECT_EQ(argument.cells(piece), Region(cells));
    for_each_cell(piece, [&](const Cell& point) {
      for (const Cell& index : indices_of(argument.footprint, point))
        ASSERT_TRUE(partitioner::is_inside(cells, partitioner::apply(argument.view.map, index)));
    });
    Rect nothing = piece;
    nothing.hi[0] = nothing.lo[0];
    EXPECT_TRUE(argument.hull(nothing).empty());
    EXPECT_EQ(argument.hull(nothing).rank, 3);
  });
}

// --- what ranks find alike

class LaunchHash : public testing::Test {
 protected:
  static std::shared_ptr<TaskBody> body_of(const char* name) {
    auto body = std::make_shared<TaskBody>();
    body->name = name;
    return body;
  }
  static TaskLaunch launch() {
    TaskLaunch launch;
    launch.body = body_of("smooth");
    launch.domain = Rect::of({0, 0}, {30, 40});
    launch.arguments = {argument_of(kernel::Access::Read, Shape({30, 40}), {{0, 1, -1, 3}, {1, 1, 0, 1}}),
                        argument_of(kernel::Access::Write, Shape({30, 40}), {{0, 1, 0, 1}, {1, 1, 0, 1}})};
    return launch;
  }
};

TEST_F(LaunchHash, IsOfNameDomainAndFootprintsAndOfNothingElse) {
  const std::uint64_t same = hash_launch(launch());
  using Change = std::function<void(TaskLaunch&)>;
  const std::pair<const char*, Change> changes[] = {
      {"name", [](TaskLaunch& one) { one.body = body_of("smoothe"); }},
      {"extent", [](TaskLaunch& one) { ++one.domain.hi[1]; }},
      {"rank", [](TaskLaunch& one) { one.domain = Rect::of({0, 0, 0}, {30, 40, 1}); }},
      {"access", [](TaskLaunch& one) { one.arguments[1].footprint.access = kernel::Access::ReadWrite; }},
      {"fold", [](TaskLaunch& one) { one.arguments[1].footprint.fold = kernel::Fold::Minimum; }},
      {"dtype", [](TaskLaunch& one) { one.arguments[0].footprint.dtype = DType::Float32; }},
      {"function",
       [](TaskLaunch& one) {
         one.arguments[0].footprint.cells = AskedCells{std::make_shared<CellFunction>(), nullptr};
       }},
      {"window's axis", [](TaskLaunch& one) { std::get<Windows>(one.arguments[0].footprint.cells)[0].axis = 1; }},
      {"window's scale", [](TaskLaunch& one) { std::get<Windows>(one.arguments[0].footprint.cells)[0].scale = 2; }},
      {"window's offset", [](TaskLaunch& one) { std::get<Windows>(one.arguments[0].footprint.cells)[0].offset = -2; }},
      {"window's extent", [](TaskLaunch& one) { std::get<Windows>(one.arguments[0].footprint.cells)[1].extent = 2; }},
      {"an argument more", [](TaskLaunch& one) { one.arguments.push_back(one.arguments[0]); }},
      {"another order", [](TaskLaunch& one) { std::swap(one.arguments[0], one.arguments[1]); }},
      {"text for GPUs",
       [](TaskLaunch& one) {
         auto body = body_of("smooth");
         body->gpu_hash = 9;
         one.body = body;
       }},
  };
  std::set<std::uint64_t> hashes{same};
  for (const auto& [what, change] : changes) {
    TaskLaunch other = launch();
    change(other);
    EXPECT_TRUE(hashes.insert(hash_launch(other)).second) << what;
  }
  TaskLaunch other = launch();  // other stores, another body object
  other.arguments[0].view.store->id = StoreId{99};
  other.hash = 5;
  EXPECT_EQ(hash_launch(other), same);
}

TEST_F(LaunchHash, OfWhatIsCapturedIsOfTheBodysStateAndOfWhatProjectionsHoldAndGive) {
  const auto captured = [](std::uint64_t body_state, std::uint64_t function_state, std::int64_t reach) {
    TaskLaunch one = launch();
    auto body = body_of("smooth");
    body->identity.state = body_state;
    one.body = body;
    auto function = function_of([=](const Piece&) { return std::vector<Box>{Box({0, 0}, {reach, 1})}; });
    function->identity.state = function_state;
    one.arguments[0].footprint.cells = AskedCells{function, nullptr};
    return hash_captured(one);
  };
  const std::uint64_t same = captured(1, 2, 3);
  EXPECT_EQ(captured(1, 2, 3), same);
  EXPECT_NE(captured(9, 2, 3), same);
  EXPECT_NE(captured(1, 9, 3), same);
  EXPECT_NE(captured(1, 2, 9), same);
  TaskLaunch windows = launch();
  const std::uint64_t before = hash_captured(windows);
  std::get<Windows>(windows.arguments[0].footprint.cells)[0].extent = 9;
  EXPECT_EQ(hash_captured(windows), before) << "windows are hash_launch()'s";
}

TEST_F(LaunchHash, OfAnEmptyDomainAsksNoFunctionAndOfAHugeOneFewPointsFromBothEnds) {
  for (const std::int64_t extent : {std::int64_t{0}, std::int64_t{1}, kHuge}) {
    TaskLaunch one = launch();
    one.domain = Rect::of({0}, {extent});
    int asked = 0;
    std::int64_t first = extent, last = 0;
    one.arguments[0].footprint.cells = AskedCells{function_of([&](const Piece& point) {
                                                    EXPECT_TRUE(0 <= point.lo(0) && point.hi(0) <= extent)
                                                        << point.lo(0);
                                                    ++asked;
                                                    first = std::min(first, point.lo(0));
                                                    last = std::max(last, point.hi(0));
                                                    return std::vector<Box>{};
                                                  }),
                                                  nullptr};
    static_cast<void>(hash_captured(one));
    EXPECT_EQ(asked, std::min<std::int64_t>(extent, 16));
    EXPECT_EQ(first, 0);
    EXPECT_GE(last, extent - extent / 16);
  }
}

// --- launches come and go

TEST(MakeTaskLaunch, LetsGoOfBodyStoresAndFunctionsAndKeepsTheMemory) {
  std::shared_ptr<TaskLaunch> launch = make_task_launch();
  const TaskLaunch* const address = launch.get();
  const Argument argument = argument_of(kernel::Access::Read, Shape({4}), {});
  const std::shared_ptr<CellFunction> function = function_of(nullptr);
  const auto body = std::make_shared<TaskBody>();
  launch->body = body;
  launch->arguments.assign(1, argument);
  launch->arguments[0].footprint.cells = AskedCells{function, nullptr};
  EXPECT_EQ(argument.view.store->references, 2);
  launch.reset();
  EXPECT_EQ(argument.view.store->references, 1);
  EXPECT_EQ(function.use_count(), 1);
  EXPECT_EQ(body.use_count(), 1);
  const std::shared_ptr<TaskLaunch> next = make_task_launch(), other = make_task_launch();
  EXPECT_EQ(next.get(), address);
  EXPECT_NE(other.get(), address);
}

TEST(MakeTaskLaunch, OneMayOutliveTheThreadThatMadeIt) {
  std::shared_ptr<TaskLaunch> launch;
  std::thread([&] { launch = make_task_launch(); }).join();
  launch->arguments.resize(2);
  EXPECT_NO_FATAL_FAILURE(launch.reset());
}

TEST(ExplainIndex, SaysWhatWasAskedWhatIsAllowedAndWhatToDo) {
  const std::int64_t index[] = {5, -1}, lo[] = {0, 0}, hi[] = {5, 8};
  EXPECT_EQ(explain_index(2, 2, index, lo, hi),
            "argument 2 was asked for the cell (5, -1), and this piece may touch [0:5, 0:8]: stay inside lo(axis) and "
            "hi(axis), or pass it with a wider projection");
  EXPECT_EQ(explain_index(1, 0, nullptr, nullptr, nullptr).find("argument 1 was asked for the cell (), and"), 0u);
}

}  // namespace
}  // namespace pilum::scheduler
