#include "scheduler/analyze/fold_parts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr std::int64_t kRows = 64;
const slice kAfterFirst(1, {}), kBeforeLast({}, -1);

// A p as conjugate gradients have it, updated in parts; what is summed comes after it.
class FoldPartsTest : public testing::Test {
 protected:
  FoldPartsTest() : p_(np::ones({kRows, kRows})), w_(np::zeros({kRows, kRows})) {
    recorder_.begin_window();
    recorder_.memory_bandwidth = 1e6;  // that is slow: the arrays are small
  }

  void apply() {
    w_[all] = 4.0 * p_;
    w_(kAfterFirst) -= p_(kBeforeLast);
    w_(kBeforeLast) -= p_(kAfterFirst);
    w_(all, kAfterFirst) -= p_(all, kBeforeLast);
    w_(all, kBeforeLast) -= p_(all, kAfterFirst);
  }
  static bool is_large(const Task& task) { return 2 * task.domain.cells() > kRows * kRows; }
  std::vector<Task> fuse(int ranks = 1) { return recorder_.fuse_window(ranks); }
  static bool writes(const Task& task) {
    return !task.reductions.empty() || std::ranges::any_of(task.writes, &TaskWrite::kept);
  }
  // Tasks over more than half of the cells, but for what is there only where somebody holds its value.
  static std::size_t passes(const std::vector<Task>& tasks) {
    return static_cast<std::size_t>(
        std::ranges::count_if(tasks, [](const Task& task) { return is_large(task) && writes(task); }));
  }

  WindowRecorder recorder_;
  np::Array p_, w_;
};

TEST_F(FoldPartsTest, TheSumOverWhatWasCutIsOfTheSharedPartsPass) {
  apply();
  const np::Array sum = np::sum(p_ * w_);
  const std::vector<Task> tasks = fuse();
  EXPECT_EQ(passes(tasks), 1u);
  std::int64_t summed = 0;
  for (const Task& task : tasks) {
    summed += task.domain.cells() * static_cast<std::int64_t>(task.reductions.size());
    if (!is_large(task)) continue;
    EXPECT_EQ(task.reads.size(), 1u) << "p, at five points";
    EXPECT_EQ(task.reductions.size(), 1u);
  }
  EXPECT_EQ(summed, kRows * kRows) << "each cell once";
}

TEST_F(FoldPartsTest, OfSeveralOperationsToo) {
  apply();
  const np::Array sum = np::sum(np::abs(p_ * w_ - 2.0) + w_ * w_);
  EXPECT_EQ(passes(fuse()), 1u);
}

// Cut before, as it reads through a padded array (read_through.h).
TEST_F(FoldPartsTest, OfAnArrayThatWasCutBeforeToo) {
  const slice in(1, -1), low(0, -2), high(2, {});
  {
    const np::Array q = np::pad(p_, 1);
    w_[all] = 4.0 * p_ - q(low, in) - q(high, in) - q(in, low) - q(in, high);
  }
  const np::Array sum = np::sum(p_ * w_);
  const std::vector<Task> tasks = fuse();
  EXPECT_EQ(passes(tasks), 1u);
  std::int64_t summed = 0;
  for (const Task& task : tasks)
    summed += task.domain.rank > 0 && !task.reads.empty()
                  ? task.domain.cells() * static_cast<std::int64_t>(task.reductions.size())
                  : 0;
  EXPECT_EQ(summed, kRows * kRows) << "each cell once";
}

TEST_F(FoldPartsTest, OfTheArrayItselfToo) {
  apply();
  const np::Array sum = np::sum(w_);
  EXPECT_EQ(passes(fuse()), 1u);
}

// Its parts go across them together (open_sums_test.cc).
TEST_F(FoldPartsTest, OnSeveralRanksToo) {
  apply();
  const np::Array sum = np::sum(p_ * w_);
  EXPECT_EQ(passes(fuse(4)), 1u);
}

// Found by a program of two ranks that read it in the next window, and found other cells.
TEST_F(FoldPartsTest, AProductThatIsHeldIsWrittenOnSeveralRanks) {
  apply();
  const np::Array product = p_ * w_;
  const StoreRef store = recorder_.operations.back().output()->store;
  const np::Array sum = np::sum(product);
  bool is_written = false;
  for (const Task& task : fuse(4)) {
    is_written = is_written || std::ranges::any_of(task.writes, [&](const TaskWrite& write) {
                   return write.kept && write.store() == store;
                 });
  }
  EXPECT_TRUE(is_written);
}

TEST_F(FoldPartsTest, AProductThatSomebodyElseReadsStaysWhole) {
  apply();
  const np::Array product = p_ * w_;
  const np::Array sum = np::sum(product);
  EXPECT_EQ(passes(fuse()), 2u) << "the program holds it";
}

TEST_F(FoldPartsTest, WhatIsOverwrittenBeforeTheSumIsNotReadAtIt) {
  apply();
  np::Array product = p_ * w_;
  p_[all] = 1.0;
  const np::Array sum = np::sum(product);
  product = {};
  for (const Task& task : fuse()) {
    if (task.reductions.empty()) continue;
    EXPECT_TRUE(is_large(task)) << "the whole sum, of a product that was made before";
  }
}

TEST_F(FoldPartsTest, SumsAlongAnAxisAreWhole) {
  apply();
  const np::Array sums = np::sum(p_ * w_, 0);
  const std::vector<Task> tasks = fuse();
  EXPECT_EQ(std::count_if(tasks.begin(), tasks.end(), [](const Task& task) { return !task.reductions.empty(); }), 1);
}

}  // namespace
}  // namespace pilum::scheduler
