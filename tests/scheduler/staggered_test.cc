#include "scheduler/analyze/staggered.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr std::int64_t kCentres = 64;
const slice kButFirst(1, {}), kButLast({}, -1);

class Staggered : public testing::Test {
 protected:
  Staggered()
      : ex_(np::zeros({kCentres, kCentres})),
        ey_(np::zeros({kCentres, kCentres})),
        hz_(np::ones({kCentres, kCentres})) {
    recorder_.begin_window();
  }

  void update_e() {
    ey_(kButFirst) -= 0.5 * (hz_(kButFirst) - hz_(kButLast));
    ex_(all, kButFirst) -= 0.5 * (hz_(all, kButFirst) - hz_(all, kButLast));
  }
  void update_h() {
    hz_(kButLast, kButLast) -=
        0.7 * (ex_(kButLast, kButFirst) - ex_(kButLast, kButLast) + ey_(kButFirst, kButLast) - ey_(kButLast, kButLast));
  }
  // Tasks over more than half of the cells.
  std::size_t passes(int ranks = 1) {
    tasks_ = recorder_.fuse_window(ranks);
    return static_cast<std::size_t>(std::count_if(
        tasks_.begin(), tasks_.end(), [](const Task& task) { return 2 * task.domain.cells() > kCentres * kCentres; }));
  }

  WindowRecorder recorder_;
  np::Array ex_, ey_, hz_;
  std::vector<Task> tasks_;
};

TEST_F(Staggered, UpdatesThatReadTheNewCellsBesideTheirsAreOnePass) {
  update_e();
  update_h();
  EXPECT_EQ(passes(), 1u);
  for (const Task& task : tasks_) {
    if (2 * task.domain.cells() <= kCentres * kCentres) {
      EXPECT_LE(task.domain.cells(), kCentres) << "a rim";
      continue;
    }
    EXPECT_EQ(task.domain, Rect::of({0, 0}, {kCentres - 2, kCentres - 2}));
    EXPECT_EQ(task.reads.size(), 3u);
    EXPECT_EQ(task.operations, 3 + 3 + 5 + 3 + 3) << "and both fields again, each at one neighbour";
  }
}

TEST_F(Staggered, OnSeveralRanksToo) {
  update_e();
  update_h();
  EXPECT_EQ(passes(4), 1u);
}

TEST_F(Staggered, TwoStepsAreTwoPasses) {
  for (int step = 0; step < 2; ++step) {
    update_e();
    update_h();
  }
  EXPECT_EQ(passes(), 2u);
}

// Its rims would read what the task has written.
TEST_F(Staggered, ALaterArrayThatReadsItsOwnNeighboursIsUpdatedByItself) {
  update_e();
  const slice in(1, -1), low(0, -2), high(2, {});
  hz_(in, in) -=
      0.1 * (hz_(low, in) + hz_(high, in)) + 0.7 * (ex_(in, high) - ex_(in, in) + ey_(high, in) - ey_(in, in));
  EXPECT_GE(passes(), 2u);
}

TEST_F(Staggered, WhatStandsBetweenThemKeepsThemApart) {
  update_e();
  auto total = np::sum(ex_);
  update_h();
  EXPECT_EQ(passes(), 4u);
}

TEST_F(Staggered, AnArrayThatIsUpdatedTwiceIsNotJoined) {
  update_e();
  update_h();
  update_h();
  EXPECT_GE(passes(), 2u);
}

TEST_F(Staggered, ArraysThatHaveNoRoomForASecondCopyAreUpdatedOneByOne) {
  const std::int64_t three = 3 * 8 * kCentres * kCentres;
  for (const auto& [memory, expected] : {std::pair<std::int64_t, std::size_t>{4 * three, 1}, {three, 3}}) {
    recorder_.begin_window();
    recorder_.memory_bytes = memory;
    update_e();
    update_h();
    EXPECT_EQ(passes(), expected) << memory << " bytes";
  }
}

TEST_F(Staggered, SmallArraysStayInACacheAndApart) {
  np::Array ex = np::zeros({3}), ey = np::zeros({3}), hz = np::ones({3});
  recorder_.begin_window();
  ey(kButFirst) -= 0.5 * (hz(kButFirst) - hz(kButLast));
  ex(kButFirst) -= 0.5 * (hz(kButFirst) - hz(kButLast));
  hz(kButLast) -= ex(kButFirst) - ex(kButLast) + ey(kButFirst) - ey(kButLast);
  EXPECT_LE(recorder_.fuse_window().size(), 2u);
}

}  // namespace
}  // namespace pilum::scheduler
