// Values of which only a part is wanted: which are made of that size.
#include "scheduler/analyze/narrow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr std::int64_t kSide = 64;

class NarrowTest : public testing::Test {
 protected:
  NarrowTest() : a_(np::ones({kSide, kSide})), b_(np::zeros({kSide, kSide})) { recorder_.begin_window(); }

  static std::int64_t most_points(const std::vector<Task>& tasks) {
    std::int64_t most = 0;
    for (const Task& task : tasks) most = std::max(most, task.domain.cells());
    return most;
  }
  static np::Array neighbours(const np::Array& a) {
    return np::roll(a, 1, 0) + np::roll(a, -1, 0) + np::roll(a, 1, 1) + np::roll(a, -1, 1);
  }

  WindowRecorder recorder_;
  np::Array a_, b_;
};

TEST_F(NarrowTest, OfEverySecondCellEverySecondIsComputed) {
  const slice even(0, {}, 2), odd(1, {}, 2);
  b_(even, odd) = neighbours(a_)(even, odd) * 2.0;
  EXPECT_LE(most_points(recorder_.fuse_window()), kSide * kSide / 4);
}

TEST_F(NarrowTest, WhatIsRolledForTheInteriorHasNoRims) {
  const slice in(1, -1);
  b_(in, in) += 0.1 * (neighbours(a_) - 4.0 * a_)(in, in);
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].domain.cells(), (kSide - 2) * (kSide - 2));
}

TEST_F(NarrowTest, APlaneOfWhatIsComputedForAllIsAllThatIsComputed) {
  np::Array fields = np::ones({5, kSide, kSide});
  recorder_.begin_window();
  b_[all] = (fields * 2.0 + 1.0)(3);
  EXPECT_EQ(most_points(recorder_.fuse_window()), kSide * kSide);
}

TEST_F(NarrowTest, WhatIsWantedInTwoPartsIsComputedWhole) {
  const slice even(0, {}, 2), odd(1, {}, 2);
  {
    const np::Array sum = neighbours(a_);
    b_(even, even) = sum(even, even);
    b_(odd, odd) = sum(odd, odd);
  }
  EXPECT_GT(most_points(recorder_.fuse_window()), kSide * kSide / 4);
}

TEST_F(NarrowTest, WhatSomebodyHoldsIsComputedWhole) {
  const slice even(0, {}, 2);
  const np::Array sum = neighbours(a_);
  b_(even, even) = sum(even, even);
  EXPECT_GT(most_points(recorder_.fuse_window()), kSide * kSide / 4);
}

// It would be written for that, and is in a register now.
TEST_F(NarrowTest, WhatIsComputedFromAValueOfTheWindowIsComputedWithIt) {
  const slice even(0, {}, 2);
  a_[all] = b_ + 1.0;
  b_(even, even) = (a_ * 2.0)(even, even);
  EXPECT_EQ(most_points(recorder_.fuse_window()), kSide * kSide);
}

}  // namespace
}  // namespace pilum::scheduler
