#include "scheduler/analyze/forward_results.h"

#include <utility>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

class ForwardResults : public testing::Test {
 protected:
  // Arrays that the window's tasks write to memory.
  int written() {
    int count = 0;
    for (const Task& task : recorder_.fuse_window()) {
      for (const TaskWrite& write : task.writes) count += write.kept ? 1 : 0;
    }
    return count;
  }

  WindowRecorder recorder_;
  np::Array a_ = np::ones({200, 300}), b_ = np::zeros({200, 300});
  void SetUp() override { recorder_.begin_window(); }
};

TEST_F(ForwardResults, ATaskWritesWhereItsResultGoes) {
  b_[all] = np::cumsum(a_, 0);
  EXPECT_EQ(written(), 1);
}

TEST_F(ForwardResults, EachOfSeveralDoes) {
  auto c = np::zeros({200, 300});
  recorder_.begin_window();
  b_[all] = np::cumsum(a_, 0);
  c[all] = np::cumsum(b_, 1);
  EXPECT_EQ(written(), 2);
}

TEST_F(ForwardResults, NotWhereItReadsThat) {
  b_[all] = np::cumsum(b_, 0);
  EXPECT_EQ(written(), 2);
}

TEST_F(ForwardResults, NotWhereItsResultIsHeld) {
  auto sums = np::cumsum(a_, 0);
  b_[all] = sums;
  EXPECT_EQ(written(), 2);
}

TEST_F(ForwardResults, NotWhereTheTargetIsReadBefore) {
  auto sums = np::cumsum(a_, 0);
  auto next = b_ + 1.0;
  b_[all] = std::move(sums);
  EXPECT_EQ(written(), 3);
}

TEST_F(ForwardResults, NotWhereSomebodyElseReadsTheResult) {
  auto sums = np::cumsum(a_, 0);
  auto next = sums + 1.0;
  b_[all] = std::move(sums);
  EXPECT_EQ(written(), 3);
}

TEST_F(ForwardResults, NotIntoAPartOrAnotherDtype) {
  auto c = np::zeros({200, 300}, float32), larger = np::zeros({201, 300});
  recorder_.begin_window();
  c[all] = np::cumsum(a_, 0);
  larger(slice(1, {}), all) = np::cumsum(a_, 0);
  EXPECT_EQ(written(), 4);
}

}  // namespace
}  // namespace pilum::scheduler
