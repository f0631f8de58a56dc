#include "scheduler/analyze/waiting.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "numeric/array_state.h"
#include "pilum/pilum.h"
#include "scheduler/record/task_launch.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr std::int64_t kWidth = 64;

const Store& store_of(const np::Array& array) {
  return np::checked_state(np::Call{"test", {}}, array).store();
}

std::size_t count(const std::vector<bool>& which) {
  return static_cast<std::size_t>(std::count(which.begin(), which.end(), true));
}

// Conjugate gradients: p follows from r, w from p at neighbours, r·r from r alone.
class Waiting : public testing::Test {
 protected:
  Waiting() : r_(np::ones({kWidth, kWidth})), p_(np::ones({kWidth, kWidth})), w_(np::zeros({kWidth, kWidth})) {
    recorder_.begin_window();
    machine_.split_bytes = machine_.cache_bytes = 64;
  }
  void update_p() { p_[all] = r_ + 0.5 * p_; }                                       // 3 operations
  void update_w() { w_(slice(1, -1)) = 4.0 * p_(slice(1, -1)) - p_(slice(0, -2)); }  // 3 operations
  std::vector<bool> choose(const np::Array& wanted, int times = 2, std::size_t waited = 0) {
    std::vector<bool> waits;
    for (int time = 0; time < times; ++time)
      waits = waiting_.choose(recorder_.operations, waited, store_of(wanted), machine_);
    return waits;
  }

  WindowRecorder recorder_;
  machine::Machine machine_;
  WaitingOperations waiting_;
  np::Array r_, p_, w_;
};

TEST_F(Waiting, WhatAValueDoesNotNeedAndSharesNoTaskWithItWaits) {
  update_p();
  update_w();
  const np::Array rr = np::sum(r_ * r_);
  ASSERT_EQ(recorder_.operations.size(), 8u);
  EXPECT_EQ(choose(rr), (std::vector<bool>{false, false, false, true, true, true, false, false}))
      << "p is computed in the pass of r·r, for both read r";
}

TEST_F(Waiting, FromTheSecondTimeOn) {
  update_p();
  update_w();
  const np::Array rr = np::sum(r_ * r_);
  EXPECT_TRUE(choose(rr, 1).empty());
  EXPECT_EQ(count(choose(rr, 1)), 3u);
  EXPECT_EQ(count(choose(rr, 1)), 3u);
}

TEST_F(Waiting, Once) {
  update_w();
  const np::Array rr = np::sum(r_ * r_);
  EXPECT_EQ(count(choose(rr)), 3u);
  EXPECT_TRUE(choose(rr, 2, 3).empty()) << "the three have waited";
}

TEST_F(Waiting, NothingDoesThatTheValueNeeds) {
  update_p();
  update_w();
  const np::Array pw = np::sum(p_ * w_);
  EXPECT_TRUE(choose(pw).empty());
}

TEST_F(Waiting, ReadersOfWhatANeededOneOverwritesDoNot) {
  update_w();
  p_ *= 2.0;
  const np::Array pp = np::sum(p_ * p_);
  EXPECT_TRUE(choose(pp).empty()) << "w is of the old p";
}

TEST_F(Waiting, BesideAUsersTaskNothingDoes) {
  const auto fill = task("fill", [](Piece piece, Write<double, 1> out) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = 1;
  });
  np::Array line = np::zeros({10});
  update_w();
  fill({10}, write(line));
  const np::Array rr = np::sum(r_ * r_);
  EXPECT_TRUE(choose(rr).empty());
}

TEST_F(Waiting, OfSmallArraysNothingDoes) {
  machine_.split_bytes = 1 << 20;
  update_p();
  update_w();
  const np::Array rr = np::sum(r_ * r_);
  EXPECT_TRUE(choose(rr).empty());
}

TEST_F(Waiting, NumbersOfAnotherWindowDoNotStay) {
  update_w();
  const np::Array rr = np::sum(r_ * r_);
  static_cast<void>(choose(rr));
  for (const Operation& operation : recorder_.operations)
    for_each_view(operation, [](const View& view, bool) { EXPECT_EQ(view.store->window_index, -1); });
}

}  // namespace
}  // namespace pilum::scheduler
