#include "runtime/device/chunk_dealer.h"

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace pilum::device {
namespace {

std::vector<std::int64_t> take_all(ChunkDealer& dealer, int participant) {
  std::vector<std::int64_t> chunks;
  for (std::int64_t chunk; (chunk = dealer.take(participant)) != ChunkDealer::kNone;) chunks.push_back(chunk);
  return chunks;
}

TEST(ChunkDealer, APlayerTakesItsSliceThenTheBacksOfTheOthers) {
  ChunkDealer dealer(3);
  dealer.reset(9);
  EXPECT_EQ(take_all(dealer, 1), (std::vector<std::int64_t>{3, 4, 5, 8, 7, 6, 2, 1, 0}));
  EXPECT_TRUE(dealer.exhausted());
}

TEST(ChunkDealer, PlayersAtOneSpeedGetTheSameChunksEachTime) {
  ChunkDealer dealer(2);
  for (int round = 0; round < 3; ++round) {
    dealer.reset(6);
    for (std::int64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(dealer.take(1), 3 + i);
      EXPECT_EQ(dealer.take(0), i);
    }
    EXPECT_EQ(dealer.take(0), ChunkDealer::kNone);
  }
}

TEST(ChunkDealer, FewChunksReachEveryPlayer) {
  ChunkDealer dealer(8);
  for (int participant = 0; participant < 8; ++participant) {
    dealer.reset(1);
    EXPECT_FALSE(dealer.exhausted());
    EXPECT_EQ(take_all(dealer, participant), (std::vector<std::int64_t>{0}));
    dealer.reset(3);
    EXPECT_EQ(take_all(dealer, participant).size(), 3u);
  }
}

TEST(ChunkDealer, ThreadsGetEachChunkOnce) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    const int participants = 1 + static_cast<int>(random() % 5);
    const std::int64_t chunks = 1 + static_cast<std::int64_t>(random() % 2000);
    ChunkDealer dealer(participants);
    dealer.reset(chunks);
    std::vector<std::atomic<int>> taken(static_cast<std::size_t>(chunks));
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&, participant = t % participants] {
        for (const std::int64_t chunk : take_all(dealer, participant)) ++taken[static_cast<std::size_t>(chunk)];
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& count : taken) ASSERT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace pilum::device
