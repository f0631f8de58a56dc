#include "scheduler/analyze/recompute.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr std::int64_t kAround = 64;
const slice kLow(0, -2), kHigh(2, {}), kIn(1, -1);

class Recompute : public testing::Test {
 protected:
  Recompute() : a_(np::ones({kAround})), b_(np::ones({kAround})) { recorder_.begin_window(); }

  // Points that it reads, of one array.
  static std::size_t loads(const Task& task) {
    return task.reads.size() == 1 ? task.reads[0].footprint.offsets()->at.size() : 0;
  }
  static std::size_t kept(const Task& task) {
    return static_cast<std::size_t>(
        std::count_if(task.writes.begin(), task.writes.end(), [](const TaskWrite& write) { return write.kept; }));
  }

  WindowRecorder recorder_;
  np::Array a_, b_;
};

TEST_F(Recompute, AValueThatIsWantedBesideItsPointIsComputedAgainThere) {
  {
    auto flux = a_ * a_;
    b_(kIn) = flux(kHigh) - flux(kLow);
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].domain, Rect::of({0}, {kAround - 2}));
  EXPECT_EQ(loads(tasks[0]), 2u);
  EXPECT_EQ(kept(tasks[0]), 1u) << "b alone";
}

TEST_F(Recompute, ValuesOfValuesAreToo) {
  {
    auto flux = a_ * a_;
    auto slope = flux(kHigh) - flux(kLow);
    b_(slice(2, -2)) = slope(kHigh) - slope(kLow);
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(loads(tasks[0]), 3u);
}

TEST_F(Recompute, TwoReadersOfOneNeighbourShareWhatIsComputedForIt) {
  {
    auto flux = a_ * a_;
    b_(kIn) = flux(kHigh) - flux(kLow);
    b_(kIn) = b_(kIn) * flux(kHigh);
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].operations, 2 + 2 + 2) << "the flux at both neighbours, two updates of two operations each";
}

TEST_F(Recompute, WhatItIsComputedFromMustNotChangeBefore) {
  {
    auto flux = a_ * a_;
    a_ += 1.0;
    b_(kIn) = flux(kHigh) - flux(kLow);
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(kept(tasks[0]), 2u) << "a and the flux";
}

TEST_F(Recompute, AValueThatIsHeldIsWritten) {
  auto flux = a_ * a_;
  b_(kIn) = flux(kHigh) - flux(kLow);
  EXPECT_EQ(recorder_.fuse_window().size(), 2u);
}

TEST_F(Recompute, ReadersOverDifferentPointsGetItFromMemory) {
  {
    auto flux = a_ * a_;
    b_(kIn) = flux(kHigh) - flux(kLow);
    b_(slice(0, kAround / 2)) = flux(slice(1, kAround / 2 + 1));
  }
  EXPECT_EQ(recorder_.fuse_window().size(), 3u);
}

// As rolls have, once they are read through.
TEST_F(Recompute, ReadersOverNearlyAllPointsAndOverRimsComputeItEach) {
  {
    auto flux = a_ * a_;
    b_(kIn) = flux(kHigh) - flux(kLow);
    b_(slice(0, 5)) = flux(slice(1, 6));
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 2u);
  for (const Task& task : tasks) EXPECT_EQ(kept(task), 1u) << "no flux";
}

TEST_F(Recompute, WhatCostsMoreThanItsWayThroughMemoryIsNot) {
  {
    auto flux = a_;
    for (int i = 0; i < 4; ++i) flux = np::exp(flux);
    b_(kIn) = flux(kHigh) - flux(kLow);
  }
  EXPECT_EQ(recorder_.fuse_window().size(), 2u);
}

TEST_F(Recompute, OnSeveralRanksItIsDecidedWithoutKnowingWhoHoldsIt) {
  const auto tasks_of = [&](bool is_held) {
    recorder_.begin_window();
    np::Array kept_handle;
    {
      auto flux = a_ * a_;
      b_(kIn) = flux(kHigh) - flux(kLow);
      if (is_held) kept_handle = flux;
    }
    return recorder_.fuse_window(3);
  };
  const std::vector<Task> held = tasks_of(true), gone = tasks_of(false);
  ASSERT_EQ(held.size(), gone.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_EQ(held[i].domain, gone[i].domain);
    EXPECT_EQ(held[i].reads.size(), gone[i].reads.size());
    EXPECT_EQ(held[i].writes.size(), gone[i].writes.size());
  }
}

}  // namespace
}  // namespace pilum::scheduler
