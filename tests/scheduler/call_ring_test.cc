// Calls come out in the order in which they went in, however often the ring has gone round.
#include "scheduler/watch/call_ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace pilum::scheduler {
namespace {

TEST(CallRing, IsAQueueWhateverIsAppendedAndDropped) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  CallRing<int> ring;
  std::deque<int> oracle;
  int next = 0;
  for (int round = 0; round < 200; ++round) {
    for (std::uint64_t more = random() % 1000; more > 0; --more, ++next) {
      ring.append() = next;
      oracle.push_back(next);
    }
    const std::size_t dropped = random() % (oracle.size() + 1);
    ring.drop_first(dropped);
    oracle.erase(oracle.begin(), oracle.begin() + static_cast<std::ptrdiff_t>(dropped));
    ASSERT_EQ(ring.size(), oracle.size());
    for (std::size_t i = 0; i < oracle.size(); ++i) ASSERT_EQ(ring[i], oracle[i]);
  }
}

TEST(CallRing, GrowsWhereItGoesRoundAndForgetsNothing) {
  CallRing<int> ring;
  for (int i = 0; i < 2048; ++i) ring.append() = i;
  ring.drop_first(2000);
  for (int i = 2048; i < 6000; ++i) ring.append() = i;  // from the middle of the block, over its end, and further
  ASSERT_EQ(ring.size(), 4000u);
  const CallRing<int>& same = ring;
  for (std::size_t i = 0; i < ring.size(); ++i) ASSERT_EQ(same[i], static_cast<int>(i) + 2000);
}

TEST(CallRing, EmptiedItIsNewButForItsMemory) {
  CallRing<int> ring;
  EXPECT_EQ(ring.size(), 0u);
  for (int i = 0; i < 3000; ++i) ring.append() = i;
  ring.drop_first(3000);
  EXPECT_EQ(ring.size(), 0u);
  ring.append() = 7;
  EXPECT_EQ(ring[0], 7);
  const int* const place = &ring[0];
  for (int i = 0; i < 4000; ++i) ring.append() = i;
  EXPECT_EQ(&ring[0], place) << "4096 fit already";
}

}  // namespace
}  // namespace pilum::scheduler
