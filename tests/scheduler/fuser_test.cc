#include "scheduler/analyze/fuser.h"

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

std::size_t kept(const Task& task) {
  return static_cast<std::size_t>(
      std::count_if(task.writes.begin(), task.writes.end(), [](const TaskWrite& write) { return write.kept; }));
}
std::size_t count(const Task& task, kernel::Op op) {
  return static_cast<std::size_t>(std::count_if(task.kernel()->nodes.begin(), task.kernel()->nodes.end(),
                                                [op](const kernel::Node& node) { return node.op == op; }));
}
std::vector<int> operations_of(const std::vector<Task>& tasks) {
  std::vector<int> counts;
  for (const Task& task : tasks) counts.push_back(task.operations);
  return counts;
}

class FuserTest : public testing::Test {
 protected:
  WindowRecorder recorder_;
};

class JacobiTasks : public FuserTest {
 protected:
  JacobiTasks()
      : grid_(np::zeros({32, 32})),
        center_(grid_(slice(1, -1), slice(1, -1))),
        north_(grid_(slice(0, -2), slice(1, -1))),
        east_(grid_(slice(1, -1), slice(2, {}))),
        west_(grid_(slice(1, -1), slice(0, -2))),
        south_(grid_(slice(2, {}), slice(1, -1))) {
    recorder_.begin_window();
  }
  void sweep() {
    auto average = center_ + north_ + east_ + west_ + south_;
    auto work = 0.2 * average;
    center_[all] = work;
  }
  np::Array grid_, center_, north_, east_, west_, south_;
};

TEST_F(JacobiTasks, ASweepIsOneTaskOfSixOperationsWithItsTemporariesInRegisters) {
  sweep();
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].operations, 6);
  EXPECT_EQ(tasks[0].domain, Rect::of({0, 0}, {30, 30}));
  ASSERT_EQ(tasks[0].reads.size(), 1u);
  EXPECT_EQ(tasks[0].reads[0].footprint.offsets()->at.size(), 5u);
  EXPECT_EQ(tasks[0].writes.size(), 6u);
  EXPECT_EQ(kept(tasks[0]), 1u);
  EXPECT_EQ(tasks[0].kernel()->arrays.size(), 2u);  // the grid in, the grid out: 16 bytes a point
  EXPECT_EQ(count(tasks[0], kernel::Op::Load), 5u);
  EXPECT_EQ(count(tasks[0], kernel::Op::Add), 4u);
  EXPECT_EQ(tasks[0].scalars.size(), 1u);
}

TEST_F(JacobiTasks, TheFootprintHasNoCorners) {
  sweep();
  const Task task = std::move(recorder_.fuse_window()[0]);
  const Rect piece = Rect::of({10, 10}, {20, 20});
  EXPECT_EQ(task.reads[0].hull(piece), Rect::of({10, 10}, {22, 22}));
  EXPECT_EQ(task.reads[0].cells(piece), Region::of({Rect::of({10, 11}, {22, 21}), Rect::of({11, 10}, {21, 22})}));
}

TEST_F(JacobiTasks, EachSweepReadsTheOneBeforeInATaskOfItsOwn) {
  for (int i = 0; i < 3; ++i) sweep();
  EXPECT_EQ(operations_of(recorder_.fuse_window()), (std::vector{6, 6, 6}));
}

TEST_F(JacobiTasks, ATemporaryThatIsHeldGetsMemory) {
  auto average = center_ + north_ + east_ + west_ + south_;
  center_[all] = 0.2 * average;
  EXPECT_EQ(kept(recorder_.fuse_window()[0]), 2u);
}

TEST_F(JacobiTasks, WhatTheNextWindowReadsGetsMemory) {
  auto later = [&] {
    auto average = center_ + north_;
    recorder_.begin_window();
    auto next = average + 1.0;
    std::vector<Operation> operations = std::move(recorder_.operations);
    recorder_.operations.clear();
    return operations;
  }();
  recorder_.operations.clear();
  const View average = later[0].elementwise()->inputs[0].view;
  Operation again;  // average = center + north, once more, with nobody holding it
  again.name = "add";
  auto& elementwise = std::get<Elementwise>(again.what);
  elementwise.op = kernel::Op::Add;
  elementwise.inputs.resize(2);
  elementwise.inputs[0].scalar = elementwise.inputs[1].scalar = Scalar::of(1.0);
  elementwise.output = average;
  recorder_.operations.push_back(std::move(again));
  EXPECT_EQ(kept(recorder_.fuse_window(1, later)[0]), 1u);
  EXPECT_EQ(kept(recorder_.fuse_window(1, {})[0]), 0u);
}

TEST_F(FuserTest, ANeighbourReadAfterAWriteStartsANewTask) {
  np::Array x = np::zeros(100);
  np::Array here = x(slice(1, -1)), left = x(slice(0, -2));
  recorder_.begin_window();
  here[all] = here + 1.0;
  here[all] = left + 1.0;
  EXPECT_EQ(operations_of(recorder_.fuse_window()), (std::vector{2, 2}));
}

TEST_F(FuserTest, TheSameCellReadAfterAWriteIsARegister) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  x[all] = x + 1.0;
  x[all] = x * 2.0;
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(count(tasks[0], kernel::Op::Load), 1u);
  EXPECT_EQ(tasks[0].kernel()->stores.size(), 1u);
}

TEST_F(FuserTest, AWriteInPlaceReadsAndWritesOneStore) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  x += 1.0;
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].reads[0].store(), tasks[0].writes.back().store());
  EXPECT_EQ(tasks[0].reads[0].map(), tasks[0].writes.back().map());
  EXPECT_EQ(tasks[0].reads[0].footprint.offsets()->at, (std::vector{Point{1}}));
}

TEST_F(FuserTest, IndependentOperationsAreMovedTogether) {
  np::Array x = np::zeros(100), y = np::zeros({20, 20});
  recorder_.begin_window();
  np::Array a = x + 1.0;
  np::Array b = y + 1.0;
  np::Array c = a * 2.0;
  np::Array d = b * 2.0;
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_EQ(operations_of(tasks), (std::vector{2, 2}));
  EXPECT_EQ(tasks[0].domain, Rect::of({0}, {100}));
  EXPECT_EQ(tasks[1].domain, Rect::of({0, 0}, {20, 20}));
}

TEST_F(FuserTest, NothingIsMovedBeforeWhatItReads) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array a = x + 1.0;
  np::Array b = a(slice(0, 50)) + 1.0;  // another domain, reads the first task
  x(slice(0, 50)) = b;                  // writes what the first task read
  np::Array c = x * 2.0;                // the first task's domain, reads the second
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_EQ(operations_of(tasks), (std::vector{1, 2, 1}));
}

TEST_F(FuserTest, NothingIsMovedBeforeAReadOfWhatItWrites) {
  np::Array x = np::zeros(100), y = np::zeros(100), z = np::zeros(50);
  recorder_.begin_window();
  x[all] = 1.0;
  z[all] = y(slice(0, 50)) + 1.0;
  y[all] = 2.0;  // the first task's domain; the second still wants the old y
  EXPECT_EQ(operations_of(recorder_.fuse_window()), (std::vector{1, 2, 1}));
}

TEST_F(FuserTest, DifferentDomainsStayApart) {
  np::Array x = np::zeros(100), y = np::zeros(99);
  recorder_.begin_window();
  x += 1.0;
  y += 1.0;
  EXPECT_EQ(recorder_.fuse_window().size(), 2u);
}

TEST_F(FuserTest, ADotProductIsOnePassWithTheSumAsEpilogue) {
  np::Array x = np::zeros(100), y = np::zeros(100);
  recorder_.begin_window();
  np::Array dot = np::sum(x * y);
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].operations, 2);
  EXPECT_EQ(kept(tasks[0]), 0u);
  ASSERT_EQ(tasks[0].reductions.size(), 1u);
  EXPECT_EQ(tasks[0].reductions[0].footprint.fold, kernel::Fold::Sum);
  EXPECT_EQ(tasks[0].kernel()->arrays.size(), 3u);
  EXPECT_EQ(tasks[0].kernel()->stores.size(), 0u);
}

TEST_F(FuserTest, SeveralReductionsOverTheSameAxesAreOnePass) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array least = np::min(x), most = np::max(x), sum = np::sum(x * x);
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].reductions.size(), 3u);
}

TEST_F(FuserTest, ReductionsOverDifferentAxesStayApart) {
  np::Array x = np::zeros({20, 30});
  recorder_.begin_window();
  np::Array rows = np::sum(x, 1), columns = np::sum(x, 0);
  EXPECT_EQ(recorder_.fuse_window().size(), 2u);
}

TEST_F(FuserTest, WhoReadsASumWaitsForIt) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array scaled = x / np::sum(x);
  EXPECT_EQ(operations_of(recorder_.fuse_window()), (std::vector{1, 1}));
}

TEST_F(FuserTest, ViewsFartherApartThanEightCellsAreTwoArguments) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array near = x(slice(0, 50)) + x(slice(8, 58));
  np::Array far = x(slice(0, 60)) + x(slice(9, 69));
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].reads.size(), 1u);
  EXPECT_EQ(tasks[0].reads[0].high()[0], 8);
  EXPECT_EQ(tasks[1].reads.size(), 2u);
}

TEST_F(FuserTest, ReversedAndTransposedReadsAreArgumentsOfTheirOwn) {
  np::Array x = np::zeros({20, 20});
  recorder_.begin_window();
  np::Array y = x + x.T() + x(slice({}, {}, -1), all);
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].reads.size(), 3u);
}

TEST_F(FuserTest, OutputsCutDifferentlySplitTheTask) {
  np::Array fine = np::zeros(200), coarse = np::zeros(100), other = np::zeros(200);
  recorder_.begin_window();
  coarse[all] = 1.0;
  fine(slice({}, {}, 2)) = 2.0;  // the same domain; fine's and coarse's cuts agree: 50 of 100 points each
  other(slice(0, 100)) = 3.0;    // the same domain, all of it in the first half of the array
  EXPECT_EQ(recorder_.fuse_window(1).size(), 1u);
  EXPECT_EQ(recorder_.fuse_window(2).size(), 2u);
}

TEST_F(FuserTest, NumbersAreArgumentsAndNotPartOfTheKernel) {
  np::Array x = np::zeros(100), y = np::zeros(100);
  recorder_.begin_window();
  x[all] = x * 2.0;
  const Task two = std::move(recorder_.fuse_window()[0]);
  recorder_.begin_window();
  y[all] = y * 3.0;
  const Task three = std::move(recorder_.fuse_window()[0]);
  EXPECT_EQ(*two.kernel(), *three.kernel());
  EXPECT_EQ(two.scalars[0], Scalar::of(2.0).bits);
  EXPECT_EQ(three.scalars[0], Scalar::of(3.0).bits);
}

// 2 * center is computed in the second task, which reads center anyway; in the first it would be written for the
// second.
TEST_F(JacobiTasks, AValueOfOneArrayIsComputedWhereItIsUsed) {
  center_[all] = north_ + south_;
  auto twice = 2.0 * center_;
  auto sum = twice + north_;
  center_[all] = sum;
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_EQ(operations_of(tasks), (std::vector<int>{2, 3}));
  EXPECT_EQ(kept(tasks[0]), 1u);
}

// Two steps of the wave equation: 2 * now - before of the second one is computed with it, not in the first one, where
// both arrays are at hand.
TEST_F(FuserTest, AValueOfTwoArraysIsComputedWhereItIsUsed) {
  np::Array before = np::zeros({50, 50}), now = np::zeros({50, 50});
  recorder_.begin_window();
  const slice in(1, -1), low(0, -2), high(2, {});
  for (int step = 0; step < 2; ++step) {
    np::Array after = np::zeros_like(now);
    auto twice = 2.0 * now(in, in);
    auto drift = twice - before(in, in);
    auto around = now(high, in) + now(low, in);
    after(in, in) = drift + around;
    before = now;
    now = after;
  }
  std::vector<Task> steps = recorder_.fuse_window();
  std::erase_if(steps, [](const Task& task) { return task.domain.cells() < 48 * 48; });  // rims of zeros
  ASSERT_EQ(steps.size(), 2u);
  for (const Task& step : steps) {
    EXPECT_EQ(step.reads.size(), 2u);
    EXPECT_EQ(kept(step), 1u);
  }
}

// Coordinates of points, one after the other: their lines are taken once.
TEST_F(FuserTest, ColumnsOfShortRowsAreWrittenTogether) {
  auto points = np::ones({100, 3}), speeds = np::ones({100, 3});
  recorder_.begin_window();
  points(all, 0) += 0.5 * speeds(all, 0);
  points(all, 1) += 0.5 * speeds(all, 1) + points(all, 0);  // what was written, from its register
  points(all, 2) = points(all, 1) - points(all, 2);
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(kept(tasks[0]), 3);
}

TEST_F(FuserTest, ColumnsOfLongRowsAreNotWrittenTogether) {
  auto grid = np::ones({100, 50});
  recorder_.begin_window();
  grid(all, 0) = grid(all, 1);
  grid(all, -1) = grid(all, -2);
  EXPECT_EQ(recorder_.fuse_window().size(), 2u);
}

TEST_F(FuserTest, AColumnThatIsReadWhereItWasNotWrittenIsReadAfterwards) {
  auto points = np::ones({100, 3});
  recorder_.begin_window();
  points(all, 0) = 2.0 * points(all, 1);
  points(slice(1, {}), 1) = points(slice(0, -1), 0) + 1.0;
  EXPECT_EQ(recorder_.fuse_window().size(), 2u);
}

// What reads an array's old cells goes with the operation that writes the new ones.
TEST_F(FuserTest, AValueWhoseArrayIsOverwrittenIsComputedWithWhoOverwritesIt) {
  np::Array p = np::zeros({50, 50}), u = np::zeros({50, 50}), v = np::zeros({50, 50}), q = np::zeros({50, 50});
  recorder_.begin_window();
  const slice in(1, -1), low(0, -2), high(2, {});
  p(in, in) = q(in, high) + q(in, low);
  {
    auto uv = u(in, in) * v(in, in);
    auto across = v(in, high) - v(in, low);
    u(in, in) = u(in, in) + (p(in, high) - p(in, low)) * across;
    v(in, in) = v(in, in) + uv;
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].operations, 2) << "the values would be written for the second task";
  EXPECT_EQ(kept(tasks[0]), 1u);
  EXPECT_EQ(kept(tasks[1]), 2u);
}

TEST_F(FuserTest, AValueIsComputedBeforeItsArrayIsOverwritten) {
  np::Array x = np::zeros(100), y = np::zeros(100);
  recorder_.begin_window();
  auto twice = 2.0 * x;
  x[all] = y;
  y += twice;
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].kernel()->stores.size(), 3u) << "x, y, and twice, which is still held";
}

TEST_F(FuserTest, ALongChainIsSeveralTasks) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  for (int i = 0; i < 800; ++i) x += 1.0;
  int sum = 0;
  for (const Task& task : recorder_.fuse_window()) {
    EXPECT_LE(task.operations, 640);
    sum += task.operations;
  }
  EXPECT_EQ(sum, static_cast<int>(recorder_.operations.size()));
}

TEST_F(FuserTest, ImportsAndReshapesStandAlone) {
  np::Array x = np::array(std::vector<double>(18));  // a few would be numbers
  np::Array y = (x + 1.0).reshape({3, 6}) * 2.0;
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 4u);
  EXPECT_TRUE(std::holds_alternative<ImportedCells>(tasks[0].computation));
  EXPECT_TRUE(std::holds_alternative<ReshapedCells>(tasks[2].computation));
  EXPECT_EQ(tasks[2].reads[0].view.shape, Shape({18}));
  EXPECT_FALSE(tasks[2].kernel());
}

TEST_F(FuserTest, TheDomainFollowsTheOutputsMemory) {
  np::Array x = np::zeros({20, 30}), y = np::zeros({30, 20});
  recorder_.begin_window();
  y.T()[all] = x;  // points walk along y's rows
  EXPECT_EQ(recorder_.fuse_window()[0].domain, Rect::of({0, 0}, {30, 20}));
}

TEST_F(FuserTest, ATasksDistributionFollowsItsOutputsOwners) {
  np::Array x = np::zeros({102, 8});
  np::Array inner = x(slice(1, -1), all);
  recorder_.begin_window();
  inner[all] = inner + 1.0;
  const std::vector<Task> tasks = recorder_.fuse_window(3);
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].distribution.tile(0), Rect::of({0, 0}, {33, 8}));  // rows 1–33 of x, whose first tile is 0–33
  EXPECT_EQ(tasks[0].distribution.tile(1), Rect::of({33, 0}, {67, 8}));
  EXPECT_EQ(tasks[0].distribution.tile(2), Rect::of({67, 0}, {100, 8}));
}

// argmax: the extremum, then the least place where it is.
TEST_F(FuserTest, PlacesAreCountedWhereTheyAreWantedAndNotWritten) {
  np::Array x = np::ones({64});
  recorder_.begin_window();
  const np::Array place = np::argmax(x);
  const std::vector<Task> tasks = recorder_.fuse_window();
  int passes = 0;
  for (const Task& task : tasks) {
    if (task.domain.cells() < 64) continue;
    ++passes;
    EXPECT_EQ(task.reads.front().store()->shape, x.shape());
    EXPECT_EQ(kept(task), 0u) << "an array of places is written";
  }
  EXPECT_EQ(passes, 2);
}

}  // namespace
}  // namespace pilum::scheduler
