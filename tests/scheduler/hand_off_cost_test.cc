// Which work is given to another thread.
#include "scheduler/execute/hand_off_cost.h"

#include <gtest/gtest.h>

namespace pilum::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMicrosecond = 20'000;  // bytes of a microsecond's work

struct Cost : HandOffCost {
  Cost() { set_bandwidth(20e9); }
};

TEST(HandOffCost, WhatTakesLongerThanAWorkerThatIsAwakeIsGiven) {
  Cost cost;
  for (int i = 0; i < 100; ++i) cost.learn(1us);
  EXPECT_FALSE(cost.is_worth(kMicrosecond / 2, 1, /*asleep=*/false));
  EXPECT_TRUE(cost.is_worth(2 * kMicrosecond, 1, /*asleep=*/false));
  for (int i = 0; i < 100; ++i) cost.learn(5us);
  EXPECT_FALSE(cost.is_worth(2 * kMicrosecond, 1, /*asleep=*/false));
}

// A loop of small plans whose worker has fallen asleep gets it back.
TEST(HandOffCost, ASleeperIsWokenOnceThatWouldHavePaid) {
  Cost cost;
  int declined = 0;
  while (!cost.is_worth(10 * kMicrosecond, 1, /*asleep=*/true)) ASSERT_LT(++declined, 10);
  EXPECT_GE(declined, 3);
  EXPECT_FALSE(cost.is_worth(10 * kMicrosecond, 1, /*asleep=*/true)) << "and that often again";
  EXPECT_TRUE(cost.is_worth(100 * kMicrosecond, 1, /*asleep=*/true)) << "large work at once";
}

TEST(HandOffCost, AsManyAreToldAsAShareTakesAsLongAsTellingThemAll) {
  Cost cost;
  for (int i = 0; i < 100; ++i) cost.learn(4us);  // of which telling is a fourth
  EXPECT_EQ(cost.threads_for(100 * kMicrosecond, 0, /*asleep=*/false), 10);
  EXPECT_EQ(cost.threads_for(0, 1000, /*asleep=*/false), 10);
  EXPECT_EQ(cost.threads_for(1, 1, /*asleep=*/false), 1);
  EXPECT_EQ(cost.threads_for(500 * kMicrosecond, 0, /*asleep=*/true), 10) << "a sleeper takes 5 us";
}

}  // namespace
}  // namespace pilum::scheduler
