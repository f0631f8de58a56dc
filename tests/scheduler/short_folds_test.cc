// Folds along a short axis: which become operations of the task around them.
#include "scheduler/analyze/short_folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all;

class ShortFolds : public testing::Test {
 protected:
  ShortFolds() : points_(np::ones({100, 3})), lengths_(np::zeros({100})) { recorder_.begin_window(); }

  static std::size_t kept(const std::vector<Task>& tasks) {
    std::size_t count = 0;
    for (const Task& task : tasks)
      count += static_cast<std::size_t>(std::ranges::count_if(task.writes, &TaskWrite::kept));
    return count;
  }

  // Whose rows lie side by side, however short: other new arrays have fields then.
  static np::Array rows_of(const Shape& shape) { return np::ones({shape.elements()}).reshape(shape); }

  WindowRecorder recorder_;
  np::Array points_, lengths_;
};

TEST_F(ShortFolds, LengthsOfPointsAreOneTask) {
  lengths_[all] = 1.0 / np::sqrt(np::sum(points_ * points_, -1));
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].domain, Rect::of({0}, {100}));
  EXPECT_EQ(tasks[0].reduced_axes, 0);
  EXPECT_EQ(tasks[0].reads.size(), 1u);
  EXPECT_EQ(kept(tasks), 1u) << "no square is written";
}

TEST_F(ShortFolds, MeansOfBlocksAreSumsOfRowsAndTheirSums) {
  np::Array cells = rows_of({20, 4, 30, 4}), means = np::zeros({20, 30});
  recorder_.begin_window();
  means[all] = np::mean(cells, {1, 3}) + 1.0;
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].domain, Rect::of({0, 0, 0}, {20, 4, 30}));
  EXPECT_EQ(tasks[1].domain, Rect::of({0, 0}, {20, 30}));
  for (const Task& task : tasks) EXPECT_EQ(task.reduced_axes, 0);
  EXPECT_EQ(kept(tasks), 2u) << "a quarter of the cells, and the means";
}

TEST_F(ShortFolds, MeansOfBlocksOfFieldsAreOneTask) {
  np::Array cells = np::ones({20, 4, 300, 4}), means = np::zeros({20, 300});
  recorder_.begin_window();
  means[all] = np::mean(cells * 2.0, {1, 3}) + 1.0;
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].domain, Rect::of({0, 0}, {20, 300}));
  EXPECT_EQ(tasks[0].reduced_axes, 0);
  EXPECT_EQ(kept(tasks), 1u);
}

TEST_F(ShortFolds, ManyRowsAreFoldedWithTheirSumsInRegisters) {
  np::Array cells = rows_of({40, 70, 3});
  recorder_.begin_window();
  const np::Array sums = np::sum(cells, {0, 2});
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].domain, Rect::of({0, 0}, {40, 70}));
  EXPECT_EQ(tasks[0].reduced_axes, 1);
  EXPECT_EQ(kept(tasks), 0u);
}

TEST_F(ShortFolds, OfSmallMatricesAreOneTask) {
  np::Array strains = np::ones({90, 3, 3}), energies = np::zeros({90});
  recorder_.begin_window();
  energies[all] = 0.5 * np::sum(strains * strains, {1, 2});
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].domain, Rect::of({0}, {90}));
  EXPECT_EQ(tasks[0].reduced_axes, 0);
  EXPECT_EQ(kept(tasks), 1u);
}

TEST_F(ShortFolds, OfAxesBesideOneAnotherAreOneRow) {
  np::Array cells = rows_of({40, 70, 3});
  recorder_.begin_window();
  const np::Array sums = np::sum(cells, {1, 2});
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].domain, Rect::of({0, 0, 0}, {40, 70, 3}));
}

TEST_F(ShortFolds, SeveralFoldsShareWhatTheyAreComputedFrom) {
  {
    auto moved = points_ - 0.5;
    lengths_[all] = np::sum(moved * moved, -1) + np::max(moved, -1);
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].operations, 3 + 3 + 2 + 1 + 2 + 1 + 1 + 1)
      << "moved, squares, sum, its start, max, its cast, +, =";
}

TEST_F(ShortFolds, WhatSomebodyElseReadsIsWritten) {
  auto moved = points_ - 0.5;
  lengths_[all] = np::sum(moved * moved, -1);
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(kept(tasks), 2u) << "moved, and the lengths, but no squares";
}

TEST_F(ShortFolds, WhatTheyAreComputedFromMustNotChangeBefore) {
  {
    auto squares = points_ * points_;
    points_ += 1.0;
    lengths_[all] = np::sum(squares, -1);
  }
  EXPECT_EQ(kept(recorder_.fuse_window()), 3u) << "the squares, points and lengths";
}

TEST_F(ShortFolds, AnUpdateBehindTheFoldIsNoneBefore) {
  lengths_[all] = np::sum(points_ * points_, -1);
  points_ += 1.0;
  lengths_ += np::sum(points_ * points_, -1);
  EXPECT_LE(kept(recorder_.fuse_window()), 3u) << "points and lengths, but no squares";
}

TEST_F(ShortFolds, ThreeRowsAreOneTaskToo) {
  auto coordinates = np::ones({3, 100});
  recorder_.begin_window();
  lengths_[all] = np::sqrt(np::sum(coordinates * coordinates, 0));
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].reduced_axes, 0);
  EXPECT_EQ(kept(tasks), 1u);
}

TEST_F(ShortFolds, WhatIsFoldedIntoThreeCellsIsFoldedThreeTimesInOneTask) {
  const np::Array points = rows_of({100, 3});
  recorder_.begin_window();
  auto moments = np::sum(points, 0);
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u + 1u) << "and one for the cells";
  EXPECT_EQ(tasks[0].domain, Rect::of({0}, {100}));
  EXPECT_EQ(tasks[0].reduced_axes, 1);
  EXPECT_EQ(tasks[0].reductions.size(), 3u);
  EXPECT_EQ(kept({tasks[0]}), 0u) << "no product is written";
}

TEST_F(ShortFolds, LongRowsAndSingleOnesAreFolded) {
  auto a = np::ones({50, 17}), b = np::ones({1, 3}), c = np::ones({17, 100});
  auto x = np::sum(a, -1), y = np::sum(b, -1), z = np::sum(c, 0), all_of_them = np::sum(points_);
  int folded = 0;
  for (const Task& task : recorder_.fuse_window()) folded += task.reduced_axes != 0;
  EXPECT_EQ(folded, 4);
}

}  // namespace
}  // namespace pilum::scheduler
