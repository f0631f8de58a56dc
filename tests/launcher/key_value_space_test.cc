#include "launcher/key_value_space.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace pilum::launcher {
namespace {

TEST(KeyValueSpace, WhatOneRankPutsAllFind) {
  const int fd = KeyValueSpace::make(3);
  ASSERT_GE(fd, 0);
  auto first = KeyValueSpace::attach(fd, 3), second = KeyValueSpace::attach(fd, 3);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(second->find("key"));
  EXPECT_TRUE(first->put(0, "key", "old"));
  EXPECT_TRUE(first->put(0, "key", std::string(10'000, 'x')));
  EXPECT_TRUE(second->put(2, "other", ""));
  EXPECT_EQ(second->find("key"), std::string(10'000, 'x'));
  EXPECT_EQ(first->find("other"), "");
  EXPECT_FALSE(first->find("ke"));
  close(fd);
}

TEST(KeyValueSpace, ARankThatPutsTooMuchIsRefused) {
  const int fd = KeyValueSpace::make(1);
  auto key_values = KeyValueSpace::attach(fd, 1);
  int put = 0;
  while (put < 1000 && key_values->put(0, std::to_string(put), std::string(10'000, 'x'))) ++put;
  EXPECT_GT(put, 90);
  EXPECT_LT(put, 110);
  EXPECT_TRUE(key_values->find(std::to_string(put - 1)));
  close(fd);
}

TEST(KeyValueSpace, WhatIsNoBoardIsRefused) {
  const int fd = KeyValueSpace::make(2);
  EXPECT_FALSE(KeyValueSpace::attach(fd, 3));
  EXPECT_FALSE(KeyValueSpace::attach(-1, 2));
  EXPECT_FALSE(KeyValueSpace::attach(0, 2));
  close(fd);
}

TEST(KeyValueSpace, NobodyLeavesABarrierBeforeAllAreThere) {
  constexpr int kRanks = 4, kRounds = 2000;
  const int fd = KeyValueSpace::make(kRanks);
  std::atomic<int> reached{0};
  std::atomic<int> too_early{0};
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([&] {
      auto key_values = KeyValueSpace::attach(fd, kRanks);
      for (int round = 1; round <= kRounds; ++round) {
        ++reached;
        key_values->barrier();
        if (reached < round * kRanks) ++too_early;
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(too_early, 0);
  close(fd);
}

}  // namespace
}  // namespace pilum::launcher
