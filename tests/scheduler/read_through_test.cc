#include "scheduler/analyze/read_through.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "pilum/pilum.h"
#include "scheduler/print/printer.h"
#include "tests/scheduler/array_programs.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr std::int64_t kExtent = 64;

class ReadThroughTest : public testing::Test {
 protected:
  ReadThroughTest() : a_(np::ones({kExtent, kExtent})), b_(np::zeros({kExtent, kExtent})) { recorder_.begin_window(); }

  static np::Array rolled(const np::Array& a) {
    auto out = np::empty(a.shape());
    out(slice(1, {})) = a(slice({}, -1));
    out(0) = a(-1);
    return out;
  }
  bool reads(const Task& task, const Store* store) const {
    return std::any_of(task.reads.begin(), task.reads.end(),
                       [&](const Argument& read) { return read.store().get() == store; });
  }
  // Tasks over more than half of the cells.
  static std::vector<const Task*> large(const std::vector<Task>& tasks) {
    std::vector<const Task*> found;
    for (const Task& task : tasks) {
      if (2 * task.domain.cells() > kExtent * kExtent) found.push_back(&task);
    }
    return found;
  }

  WindowRecorder recorder_;
  np::Array a_, b_;
};

// Smoothed into itself, from a copy of what was there, as NumPy's users write it.
void smooth(np::Array a) {
  const slice in(1, -1);
  auto before = a.copy();
  a(in, in) = 0.25 * (before(in, slice(2, {})) + before(in, slice(0, -2)) + before(slice(2, {}), in) +
                      before(slice(0, -2), in));
}

TEST_F(ReadThroughTest, ACopyWhoseReadersComeBeforeItsSourceChangesIsNotMade) {
  smooth(a_);
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].kernel()->arrays.size(), 2u);
}

TEST_F(ReadThroughTest, ACopyThatIsHeldIsMade) {
  const auto before = a_.copy();
  b_[all] = before + 1.0;
  const std::vector<Task> tasks = recorder_.fuse_window();
  const auto makes = [&](const Task& task) {
    return std::any_of(task.writes.begin(), task.writes.end(), [&](const TaskWrite& write) {
      return write.kept && write.store().get() == recorder_.operations[0].output()->store.get();
    });
  };
  EXPECT_EQ(std::count_if(tasks.begin(), tasks.end(), makes), 1);
}

// Burgers' equations as NumPy's users write them: each is computed from copies of both.
void step_both(np::Array a, np::Array b) {
  const slice in(1, -1), low(0, -2);
  auto an = a.copy(), bn = b.copy();
  a(in, in) =
      an(in, in) - 0.1 * an(in, in) * (an(in, in) - an(in, low)) - 0.1 * bn(in, in) * (an(in, in) - an(low, in));
  b(in, in) =
      bn(in, in) - 0.1 * an(in, in) * (bn(in, in) - bn(in, low)) - 0.1 * bn(in, in) * (bn(in, in) - bn(low, in));
}

TEST_F(ReadThroughTest, WritesWaitUntilACopyOfWhatWasThereHasBeenRead) {
  step_both(a_, b_);
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].kernel()->arrays.size(), 4u) << "a and b in, a and b out";
}

TEST_F(ReadThroughTest, OneWriteMayWaitForTheOtherThatReadsWhatItOverwrites) {
  {
    auto an = a_.copy(), bn = b_.copy();
    a_[all] = 0.5 * an + bn;  // the last reader of bn, once it waits
    b_[all] = 0.5 * bn + an;
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].kernel()->arrays.size(), 4u);
}

TEST_F(ReadThroughTest, ACopyIsMadeWhereTheNewCellsAreReadBeforeItsLastReader) {
  np::Array c = np::zeros({kExtent, kExtent});
  recorder_.begin_window();
  {
    auto before = a_.copy();
    a_(slice(1, {})) = 0.5 * before(slice(0, -1));
    c[all] = a_ + 1.0;
    b_(slice(1, {})) = 0.5 * before(slice(0, -1));
  }
  const Store* copy = recorder_.operations[0].output()->store.get();
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_TRUE(std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) { return reads(task, copy); }));
}

TEST_F(ReadThroughTest, ACopyIsMadeWhereWhatTheWriteReadsChangesBeforeItsLastReader) {
  {
    auto before = a_.copy();
    a_(slice(1, {})) = b_(slice(1, {}));
    b_(slice(1, {})) -= before(slice(0, -1));
  }
  const Store* copy = recorder_.operations[0].output()->store.get();
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_TRUE(std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) { return reads(task, copy); }));
}

TEST_F(ReadThroughTest, ACopyInAnotherDtypeIsMade) {
  auto rounded = a_.astype<float>();  // held: else it is computed again where it is read (recompute.h)
  b_(slice(1, {})) = rounded(slice(0, -1)) + rounded(slice(1, {}));
  const Store* copy = recorder_.operations[0].output()->store.get();
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_TRUE(std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) { return reads(task, copy); }));
}

TEST_F(ReadThroughTest, ARollIsOnePassWithItsReaderAndARim) {
  b_[all] = rolled(a_) - a_;
  const std::vector<Task> tasks = recorder_.fuse_window();
  const auto passes = large(tasks);
  ASSERT_EQ(passes.size(), 1u);
  EXPECT_EQ(passes[0]->domain, Rect::of({0, 0}, {kExtent - 1, kExtent}));
  EXPECT_EQ(passes[0]->kernel()->arrays.size(), 2u) << "a in, b out";
  for (const Task& task : tasks) {
    for (const TaskWrite& write : task.writes) {
      EXPECT_EQ(write.kept, write.store().get() == recorder_.operations.back().output()->store.get());
    }
  }
}

TEST_F(ReadThroughTest, FourRollsAndAnUpdateInPlaceAreOnePass) {
  const auto transposed_roll = [](const np::Array& a, bool forward) {
    auto out = np::empty(a.shape());
    out(all, forward ? slice(1, {}) : slice({}, -1)) = a(all, forward ? slice({}, -1) : slice(1, {}));
    out(all, forward ? 0 : -1) = a(all, forward ? -1 : 0);
    return out;
  };
  a_ += 0.1 * (rolled(a_) + transposed_roll(a_, true) + transposed_roll(a_, false) - 3.0 * a_);
  const auto tasks = recorder_.fuse_window();
  const auto passes = large(tasks);
  ASSERT_EQ(passes.size(), 1u);
  EXPECT_EQ(passes[0]->domain, Rect::of({0, 0}, {kExtent - 1, kExtent - 2}));
  EXPECT_EQ(passes[0]->kernel()->arrays.size(), 2u) << "a in, a out";
}

// As on a lattice, where what moves along both axes is rolled twice, and by 0 where it moves along one.
TEST_F(ReadThroughTest, RollsOfRollsAreReadThroughFromTheirSource) {
  np::Array c = np::zeros({kExtent, kExtent});
  recorder_.begin_window();
  const auto moved = [](const np::Array& a, int down, int right) { return np::roll(np::roll(a, down, 0), right, 1); };
  c[all] = moved(a_, 1, 0) + moved(b_, -1, 1) + moved(a_, 0, -1);
  const std::vector<Task> tasks = recorder_.fuse_window();
  const auto passes = large(tasks);
  ASSERT_EQ(passes.size(), 1u);
  EXPECT_EQ(passes[0]->domain, Rect::of({0, 0}, {kExtent - 2, kExtent - 2}));
  EXPECT_EQ(passes[0]->kernel()->arrays.size(), 3u) << "a and b in, c out";
  for (const Task& task : tasks) {
    for (const TaskWrite& write : task.writes)
      EXPECT_EQ(write.kept, write.store().get() == recorder_.operations.back().output()->store.get());
  }
}

TEST_F(ReadThroughTest, PiecesThatLeaveCellsOutAreMade) {
  {
    auto out = np::empty(a_.shape());
    out(slice(1, {})) = a_(slice({}, -1));
    b_[all] = out + 1.0;
  }
  const Store* copy = recorder_.operations[0].output()->store.get();
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_TRUE(std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) {
    return reads(task, copy) || (task.writes.front().kept && task.writes.front().store().get() == copy);
  }));
}

// np::pad(): filled, then overwritten inside.
TEST_F(ReadThroughTest, APaddedArrayIsReadThroughAndItsRimsAreNumbers) {
  const slice in(1, -1), low(0, -2), high(2, {});
  {
    const np::Array q = np::pad(a_, 1);
    b_[all] = 4.0 * a_ - q(low, in) - q(high, in) - q(in, low) - q(in, high);
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  const auto passes = large(tasks);
  ASSERT_EQ(passes.size(), 1u);
  EXPECT_EQ(passes[0]->domain, Rect::of({0, 0}, {kExtent - 2, kExtent - 2}));
  EXPECT_EQ(passes[0]->kernel()->arrays.size(), 2u) << "a in, b out";
  for (const Task& task : tasks) {
    for (const TaskWrite& write : task.writes)
      EXPECT_EQ(write.kept, write.store().get() == recorder_.operations.back().output()->store.get());
  }
}

// Separable blurs with two cells more at each end were 25 parts, of which each step made four arrays.
TEST_F(ReadThroughTest, OfPadsOfEveryKindThereAreNoArraysButTheirReaders) {
  const auto blurred = [](const np::Array& a, int axis, const char* mode) {
    const std::vector<std::pair<std::int64_t, std::int64_t>> widths = {{axis == 0 ? 2 : 0, axis == 0 ? 2 : 0},
                                                                       {axis == 1 ? 2 : 0, axis == 1 ? 2 : 0}};
    const np::Array p = np::pad(a, widths, mode);
    const auto at = [&](std::int64_t begin) {
      const slice cells(begin, begin + kExtent);
      return axis == 0 ? p(cells) : p(all, cells);
    };
    return 0.1 * at(0) + 0.2 * at(1) + 0.4 * at(2) + 0.2 * at(3) + 0.1 * at(4);
  };
  for (const char* mode : {"edge", "reflect", "symmetric", "wrap", "constant"}) {
    SCOPED_TRACE(mode);
    recorder_.begin_window();
    b_[all] = blurred(blurred(a_, 0, mode), 1, mode);
    std::set<const Store*> large_stores;
    for (const Task& task : recorder_.fuse_window()) {
      for (const TaskWrite& write : task.writes) {
        if (write.kept && 2 * write.store()->shape.elements() > kExtent * kExtent)
          large_stores.insert(write.store().get());
      }
    }
    EXPECT_LE(large_stores.size(), 2u) << "the blur of columns, and of rows";
  }
}

TEST_F(ReadThroughTest, WhatIsReadBeforeItIsFilledAnewIsMade) {
  {
    auto q = np::zeros(a_.shape());
    b_[all] = q + 1.0;
    q(slice(1, {})) = a_(slice({}, -1));
    b_ += q;
  }
  const Store* filled = recorder_.operations[0].output()->store.get();
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_TRUE(std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) {
    return reads(task, filled) || (task.writes.front().kept && task.writes.front().store().get() == filled);
  }));
}

// One rank may hold what another has dropped: what is read, and so sent, must not follow from that.
TEST_F(ReadThroughTest, OfSeveralRanksTheTasksAreTheSameWhoeverHoldsTheCopy) {
  const auto program = [](np::Array a, np::Array b, bool hold) {
    auto before = rolled(a);
    b[all] = before + 1.0;
    return hold ? before : np::Array();
  };
  const np::Array a = np::ones({256, 256}), b = np::zeros({256, 256});  // a piece of it is worth a launch
  std::vector<std::vector<Task>> windows;
  for (const bool hold : {false, true}) {
    recorder_.begin_window();
    const np::Array held = program(a, b, hold);
    windows.push_back(recorder_.fuse_window(3));
    const Store* copy = recorder_.operations[0].output()->store.get();
    for (const Task& task : windows.back()) EXPECT_FALSE(reads(task, copy)) << to_text(task);
  }
  ASSERT_EQ(windows[0].size(), windows[1].size());
  for (std::size_t i = 0; i < windows[0].size(); ++i) {
    EXPECT_EQ(windows[0][i].domain, windows[1][i].domain);
    EXPECT_EQ(windows[0][i].distribution, windows[1][i].distribution);
    ASSERT_EQ(windows[0][i].reads.size(), windows[1][i].reads.size());
    for (std::size_t read = 0; read < windows[0][i].reads.size(); ++read) {
      EXPECT_EQ(windows[0][i].reads[read].cells(windows[0][i].domain),
                windows[1][i].reads[read].cells(windows[1][i].domain));
    }
  }
}

// The copy stays in the window, and keeps nobody from joining: the sweep is one task that writes memory.
TEST_F(ReadThroughTest, OfSeveralRanksASweepFromACopyIsOneLaunch) {
  smooth(a_);
  const std::vector<Task> tasks = recorder_.fuse_window(2);
  EXPECT_EQ(std::count_if(tasks.begin(), tasks.end(), [](const Task& task) { return !task.kernel()->stores.empty(); }),
            1);
}

// The game of life, as a loop over eight neighbours adds them: the sum's beginning was not cut where its updates are,
// and went to memory and back, as what follows from it did.
TEST_F(ReadThroughTest, ASumOfRollsThatBeginsWithZerosIsOnePass) {
  for (const int ranks : {1, 2}) {
    recorder_.begin_window();
    {
      np::Array sum = np::zeros(a_.shape());
      for (const int axis : {0, 1}) {
        sum += programs::rolled(a_, axis, true);
        sum += programs::rolled(a_, axis, false);
      }
      b_[all] = np::where(sum == 3.0, 1.0, a_);
    }
    const std::vector<Task> tasks = recorder_.fuse_window(ranks);
    std::vector<const Task*> launched;
    for (const Task* task : large(tasks)) {
      if (!task->kernel()->stores.empty()) launched.push_back(task);
    }
    ASSERT_EQ(launched.size(), 1u) << ranks << " ranks";
    EXPECT_EQ(launched[0]->kernel()->arrays.size(), 2u) << "a in, b out";
  }
}

// A cut that followed from a line of memory kept what is computed before from joining: on one GPU a step took 19 arrays
// where it took 12 on two.
TEST_F(ReadThroughTest, OfOneGpuPartsBeginWhereTheirPiecesMeet) {
  constexpr std::int64_t kColumns = 300;
  const np::Array a = np::ones({kExtent, kColumns}), b = np::zeros({kExtent, kColumns});
  recorder_.begin_window();
  recorder_.kind = machine::ProcessorKind::Gpu;
  const slice in(1, -1);
  {
    np::Array next = a.copy();
    next(in, in) = 2.0 * a(in, in) + 1.0;
    b[all] = next * next;
  }
  int large = 0;
  for (const Task& task : recorder_.fuse_window()) {
    if (2 * task.domain.cells() < kExtent * kColumns) continue;
    EXPECT_EQ(task.domain.extent(1), kColumns - 2) << to_text(task);
    ++large;
  }
  EXPECT_EQ(large, 1);
}

// Of two fields that are rolled the second one's copies stood behind the pass that began with the first, and kept its
// update from joining: three passes instead of one.
TEST_F(ReadThroughTest, OfSeveralRanksTwoFieldsThatAreRolledAreOnePass) {
  const auto around = [](const np::Array& a) {
    return programs::rolled(a, 0, true) + programs::rolled(a, 0, false) + programs::rolled(a, 1, true) +
           programs::rolled(a, 1, false) - 4.0 * a;
  };
  {
    const np::Array first = around(a_), second = around(b_), product = a_ * b_ * b_;
    a_ += 0.16 * first - product + 0.06 * (1.0 - a_);
    b_ += 0.08 * second + product - 0.122 * b_;
  }
  const std::vector<Task> tasks = recorder_.fuse_window(2);
  std::vector<const Task*> launched;
  for (const Task* task : large(tasks)) {
    if (!task->kernel()->stores.empty()) launched.push_back(task);
  }
  ASSERT_EQ(launched.size(), 1u);
  EXPECT_EQ(launched[0]->writes.size() -
                static_cast<std::size_t>(std::count_if(launched[0]->writes.begin(), launched[0]->writes.end(),
                                                       [](const TaskWrite& write) { return !write.kept; })),
            2u);
}

TEST_F(ReadThroughTest, AnAxisThatTheCopyAddsHasOnePoint) {
  auto out = np::empty({kExtent});
  const auto row = a_(slice(5, 6), all);
  recorder_.begin_window();
  {
    auto copy = np::empty({kExtent});
    copy(np::newaxis, all) = row;
    out[all] = copy + 1.0;
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  ASSERT_EQ(tasks[0].reads.size(), 1u);
  EXPECT_EQ(tasks[0].reads[0].hull(tasks[0].domain), Rect::of({5, 0}, {6, kExtent}));
}

TEST_F(ReadThroughTest, AFoldReadsThroughACopyToo) {
  np::Array total;
  {
    auto copy = a_.copy();
    total = np::sum(copy);
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].kernel()->arrays.size(), 2u);
}

}  // namespace
}  // namespace pilum::scheduler
