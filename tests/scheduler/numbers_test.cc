// Numbers that are computed from numbers, and the tasks of those who read them.
#include "scheduler/analyze/numbers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::Array;

class Numbers : public testing::Test {
 protected:
  Numbers()
      : x_(np::ones({64, 64})), r_(np::ones({64, 64})), p_(np::ones({64, 64})), a_(np::array(2.0)), b_(np::array(4.0)) {
    recorder_.begin_window();
  }
  // The axes of the tasks, in their order.
  std::vector<int> axes() {
    std::vector<int> axes;
    for (const Task& task : recorder_.fuse_window()) axes.push_back(task.domain.rank);
    return axes;
  }

  WindowRecorder recorder_;
  Array x_, r_, p_, a_, b_;
};

TEST_F(Numbers, AreComputedByThoseWhoReadThem) {
  {
    const Array alpha = a_ / b_;
    x_ += alpha * p_;
    r_ -= alpha * 0.5 * p_;
  }
  EXPECT_EQ(axes(), std::vector<int>{2});
}

TEST_F(Numbers, OfAFoldAreBehindIt) {
  {
    const Array step = 0.4 * np::min(x_);
    for (Array* array : {&r_, &p_}) {
      *array = *array - step * 0.25 * x_;
      *array = *array + step * 0.5 * x_;
    }
  }
  EXPECT_EQ(axes(), (std::vector<int>{2, 2}));
}

TEST_F(Numbers, ThatTheProgramHoldsAreWrittenToo) {
  const Array alpha = a_ / b_;
  x_ += alpha * p_;
  const std::vector<int> found = axes();
  EXPECT_EQ(std::ranges::count(found, 2), 1);
  EXPECT_EQ(found.size(), 2u);
}

TEST_F(Numbers, OfManyOperationsAreComputedOnce) {
  {
    Array alpha = a_ / b_;
    for (int i = 0; i < 9; ++i) alpha = alpha * b_ + a_;
    x_ += alpha * p_;
    r_ -= alpha * p_;
  }
  const std::vector<int> found = axes();
  EXPECT_EQ(std::ranges::count(found, 2), 1);
  EXPECT_GT(found.size(), 1u);
}

// What it was computed from is another number by then.
TEST_F(Numbers, WhoseOperandIsWrittenBeforeTheReaderAreNotComputedAgain) {
  {
    const Array alpha = a_ / b_;
    a_ += 5.0;
    x_ += alpha * p_;
  }
  const std::vector<int> found = axes();
  EXPECT_EQ(std::ranges::count(found, 2), 1);
  EXPECT_GT(found.size(), 1u);
}

}  // namespace
}  // namespace pilum::scheduler
