#include "launcher/board.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace pilum::launcher {
namespace {

TEST(Board, WhatOneRankPutsAllFind) {
  const int fd = Board::make(3);
  ASSERT_GE(fd, 0);
  auto first = Board::attach(fd, 3), second = Board::attach(fd, 3);
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

TEST(Board, ARankThatPutsTooMuchIsRefused) {
  const int fd = Board::make(1);
  auto board = Board::attach(fd, 1);
  int put = 0;
  while (put < 1000 && board->put(0, std::to_string(put), std::string(10'000, 'x'))) ++put;
  EXPECT_GT(put, 90);
  EXPECT_LT(put, 110);
  EXPECT_TRUE(board->find(std::to_string(put - 1)));
  close(fd);
}

TEST(Board, WhatIsNoBoardIsRefused) {
  const int fd = Board::make(2);
  EXPECT_FALSE(Board::attach(fd, 3));
  EXPECT_FALSE(Board::attach(-1, 2));
  EXPECT_FALSE(Board::attach(0, 2));
  close(fd);
}

TEST(Board, NobodyLeavesABarrierBeforeAllAreThere) {
  constexpr int kRanks = 4, kRounds = 2000;
  const int fd = Board::make(kRanks);
  std::atomic<int> reached{0};
  std::atomic<int> too_early{0};
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([&] {
      auto board = Board::attach(fd, kRanks);
      for (int round = 1; round <= kRounds; ++round) {
        ++reached;
        board->barrier();
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
