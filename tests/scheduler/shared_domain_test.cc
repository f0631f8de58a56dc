#include "scheduler/analyze/shared_domain.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr std::int64_t kSide = 64;

class SharedDomain : public testing::Test {
 protected:
  SharedDomain() : p_(np::ones({kSide, kSide})), w_(np::zeros({kSide, kSide})) { recorder_.begin_window(); }

  // What five points make of p, by four updates of parts.
  void update_parts() {
    w_(slice(1, {})) -= p_(slice(0, -1));
    w_(slice(0, -1)) -= p_(slice(1, {}));
    w_(all, slice(1, {})) -= p_(all, slice(0, -1));
    w_(all, slice(0, -1)) -= p_(all, slice(1, {}));
  }
  // The largest task, and the bytes that all of them move: each array argument once for each point.
  const Task& fuse() {
    tasks_ = recorder_.fuse_window();
    for (const Task& task : tasks_) {
      cells_moved_ += task.domain.cells() * static_cast<std::int64_t>(task.kernel()->arrays.size());
    }
    return *std::max_element(tasks_.begin(), tasks_.end(), [](const Task& a, const Task& b) {
      return a.domain.cells() * a.operations < b.domain.cells() * b.operations;
    });
  }

  WindowRecorder recorder_;
  np::Array p_, w_;
  std::vector<Task> tasks_;
  std::int64_t cells_moved_ = 0;
};

TEST_F(SharedDomain, UpdatesOfPartsAreOneTaskOverWhatTheyShareAndSmallOnesOverTheRims) {
  w_[all] = 4.0 * p_;
  update_parts();
  const Task& inside = fuse();
  EXPECT_EQ(inside.domain, Rect::of({0, 0}, {kSide - 2, kSide - 2}));
  EXPECT_EQ(inside.operations, 6);
  EXPECT_EQ(inside.kernel()->arrays.size(), 2u) << "p in, w out; 4 * p is in a register";
  for (const Task& task : tasks_) {
    if (&task != &inside) {
      EXPECT_LE(task.domain.cells(), kSide);
    }
  }
  EXPECT_LT(cells_moved_, 2 * kSide * kSide + 40 * kSide);
}

// Whose rows are lines of 128 bytes.
TEST_F(SharedDomain, OnAGpuTheSharedPartBeginsAtALineOfMemory) {
  constexpr std::int64_t kWide = 600;
  p_ = np::ones({kSide, kWide}), w_ = np::zeros({kSide, kWide});
  recorder_.begin_window();
  recorder_.kind = machine::ProcessorKind::Gpu;
  w_[all] = 4.0 * p_;
  update_parts();
  const Task& inside = fuse();
  EXPECT_EQ(inside.domain, Rect::of({0, 0}, {kSide - 2, kWide - 1 - 32}));
  std::int64_t cells = 0;
  for (const Task& task : tasks_) {
    for (const TaskWrite& write : task.writes) cells += write.kept ? task.domain.cells() : 0;
  }
  EXPECT_GE(cells, kSide * kWide) << "each cell is written";
}

TEST_F(SharedDomain, AValueThatNobodyLoadsGetsNoMemoryThoughSeveralTasksMakeIt) {
  w_[all] = 4.0 * p_;
  update_parts();
  static_cast<void>(fuse());
  for (const Task& task : tasks_) {
    for (const TaskWrite& write : task.writes) {
      EXPECT_EQ(write.kept, write.store().get() == recorder_.operations[1].output()->store.get());
    }
  }
}

TEST_F(SharedDomain, OfAFillThatIsOverwrittenTheRimsAreLeft) {
  np::Array next = np::zeros({kSide, kSide});
  next(slice(1, -1), slice(1, -1)) = 0.5 * p_(slice(1, -1), slice(1, -1));
  const Task& inside = fuse();
  EXPECT_EQ(inside.domain, Rect::of({0, 0}, {kSide - 2, kSide - 2}));
  EXPECT_EQ(inside.kernel()->arrays.size(), 2u);
  EXPECT_LT(cells_moved_, 2 * kSide * kSide + 10 * kSide);
}

TEST_F(SharedDomain, WhatIsReadBeforeItIsOverwrittenIsWritten) {
  np::Array next = np::ones({kSide, kSide});
  w_[all] = next + p_;
  next(slice(1, -1), slice(1, -1)) = 0.5 * p_(slice(1, -1), slice(1, -1));
  (void)fuse();
  std::int64_t written = 0;
  for (const Task& task : tasks_) {
    for (const TaskWrite& write : task.writes) {
      if (write.store() == recorder_.operations.front().output()->store) written += task.domain.cells();
    }
  }
  EXPECT_GE(written, kSide * kSide + (kSide - 2) * (kSide - 2));
}

TEST_F(SharedDomain, WhatIsReadInBetweenEndsTheChain) {
  w_[all] = p_ + 1.0;
  w_(slice(1, {})) -= p_(slice(0, -1));
  const auto seen = w_ + 1.0;
  w_(slice(0, -1)) -= p_(slice(1, {}));
  static_cast<void>(fuse());
  const std::size_t whole = static_cast<std::size_t>(std::count_if(
      tasks_.begin(), tasks_.end(), [](const Task& task) { return task.domain == Rect::of({0, 0}, {kSide, kSide}); }));
  EXPECT_GE(whole, 1u);
  const auto last = std::find_if(tasks_.begin(), tasks_.end(),
                                 [](const Task& task) { return task.domain == Rect::of({0, 0}, {kSide - 1, kSide}); });
  EXPECT_NE(last, tasks_.end()) << "the last update stays whole";
}

TEST_F(SharedDomain, AnUpdateThatReadsOtherCellsOfItsArrayStaysWhole) {
  w_[all] = 2.0 * p_;
  w_(slice(1, {})) -= w_(slice(0, -1));
  const Task& largest = fuse();
  EXPECT_EQ(largest.domain.cells(), kSide * kSide);
  EXPECT_EQ(tasks_.size(), 2u);
}

TEST_F(SharedDomain, ARimIsNoReasonToCut) {
  w_[all] = 2.0 * p_;
  w_(0) += 1.0;
  w_(-1) += 1.0;
  static_cast<void>(fuse());
  EXPECT_EQ(tasks_.size(), 3u);
}

TEST_F(SharedDomain, SmallArraysStayWhole) {
  auto small = np::ones(4), from = np::ones(4);  // 32 bytes; 64 are cut
  recorder_.begin_window();
  small(slice(1, {})) -= from(slice(0, -1));
  small(slice(0, -1)) -= from(slice(1, {}));
  static_cast<void>(fuse());
  EXPECT_EQ(tasks_.size(), 2u);
}

}  // namespace
}  // namespace pilum::scheduler
