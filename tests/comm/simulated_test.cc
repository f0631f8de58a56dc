// What the simulated network does beyond the contract.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "pilum/error.h"
#include "runtime/comm/wait.h"
#include "tests/comm/pattern.h"

namespace pilum::comm {
namespace {

constexpr int kMessages = 64;
constexpr std::chrono::hours kNoLimit{1};  // how late a message may be, on a machine that is busy with other things

// The order in which rank 1's receives finish, when one thread steps both ranks.
std::vector<int> order_of_arrival(std::uint64_t seed) {
  const auto ranks = make_simulated_network(2, seed, kNoLimit);
  std::vector<std::vector<std::byte>> sent;
  std::vector<std::vector<std::byte>> received;
  std::vector<Request> sends;
  std::vector<Request> receives;
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    sent.push_back(test::make_pattern(i, 100));
    received.emplace_back(100);
    receives.push_back(ranks[1]->receive(0, {0, i}, received[i]));
    sends.push_back(ranks[0]->send(1, {0, i}, sent[i]));
  }
  std::vector<int> order;
  std::vector<bool> seen(kMessages);
  while (order.size() < kMessages) {
    ranks[1]->progress();
    for (int i = 0; i < kMessages; ++i) {
      if (seen[i] || !ranks[1]->test(receives[i])) continue;
      seen[i] = true;
      order.push_back(i);
    }
  }
  for (const Request send : sends) wait(*ranks[0], send);
  EXPECT_EQ(sent, received);
  for (const auto& rank : ranks) rank->finalize();
  return order;
}

TEST(Simulated, MessagesArriveOutOfOrder) {
  const auto order = order_of_arrival(1);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST(Simulated, TheSeedAloneDecidesTheOrder) {
  EXPECT_EQ(order_of_arrival(42), order_of_arrival(42));
  EXPECT_NE(order_of_arrival(42), order_of_arrival(43));
}

TEST(Simulated, ASendOfManyBytesIsNotDoneBeforeItsReceive) {
  const auto ranks = make_simulated_network(2, 7);
  const auto sent = test::make_pattern(1, 100'000);
  std::vector<std::byte> received(sent.size());
  const Request send = ranks[0]->send(1, {0, 0}, sent);
  for (int i = 0; i < 1000; ++i) {
    ranks[0]->progress();
    ranks[1]->progress();
  }
  EXPECT_FALSE(ranks[0]->test(send));
  wait(*ranks[1], ranks[1]->receive(0, {0, 0}, received));
  wait(*ranks[0], send);
  EXPECT_EQ(sent, received);
}

TEST(Simulated, AbortIsSeenByEveryRankAtItsNextCall) {
  const auto ranks = make_simulated_network(3, 7);
  EXPECT_THROW(ranks[1]->abort(9), RuntimeError);
  for (const int other : {0, 2}) {
    try {
      ranks[other]->progress();
      ADD_FAILURE() << "rank " << other << " went on";
    } catch (const RuntimeError& error) {
      EXPECT_STREQ(error.what(), "[abort] rank 1 ended the job with status 9.");
    }
    EXPECT_THROW(ranks[other]->send_control(0, {}), RuntimeError);
    EXPECT_THROW(ranks[other]->barrier(), RuntimeError);
  }
}

TEST(Simulated, AbortEndsAWaitOfAnotherThread) {
  const auto ranks = make_simulated_network(2, 7);
  std::thread waiting([&] { EXPECT_THROW(ranks[0]->barrier(), RuntimeError); });
  EXPECT_THROW(ranks[1]->abort(1), RuntimeError);
  waiting.join();
}

TEST(Simulated, ARankDestroyedBeforeItLeftIsNamed) {
  auto ranks = make_simulated_network(2, 7);
  ranks[1].reset();
  try {
    ranks[0]->progress();
    ADD_FAILURE() << "rank 0 went on";
  } catch (const RuntimeError& error) {
    EXPECT_NE(std::strstr(error.what(), "rank 1 is gone"), nullptr) << error.what();
  }
}

TEST(Simulated, AnotherSizeThrowsWithBothSizes) {
  const auto ranks = make_simulated_network(2, 7);
  std::vector<std::byte> small(10);
  std::vector<std::byte> large(20);
  static_cast<void>(ranks[0]->send(1, {3, 4}, large));
  try {
    wait(*ranks[1], ranks[1]->receive(0, {3, 4}, small));
    ADD_FAILURE() << "the sizes differ";
  } catch (const RuntimeError& error) {
    EXPECT_NE(std::strstr(error.what(), "message 4 of window 3 from rank 0 has 20 bytes where 10 were expected"),
              nullptr)
        << error.what();
  }
}

TEST(Simulated, HundredsOfRanksTalkInOneThread) {
  constexpr int kRanks = 300;
  const auto ranks = make_simulated_network(kRanks, 5);
  std::vector<int> values(kRanks);
  std::vector<int> received(kRanks, -1);
  std::vector<Request> sends;
  std::vector<Request> receives;
  for (int i = 0; i < kRanks; ++i) {
    values[i] = i;
    const int to = (i * 7 + 1) % kRanks;
    sends.push_back(ranks[i]->send(to, {0, 0}, std::as_bytes(std::span(&values[i], 1))));
    receives.push_back(ranks[to]->receive(i, {0, 0}, std::as_writable_bytes(std::span(&received[i], 1))));
  }
  for (int round = 0; round < 250; ++round) {
    for (const auto& rank : ranks) rank->progress();
  }
  for (int i = 0; i < kRanks; ++i) {
    EXPECT_TRUE(ranks[i]->test(sends[i]));
    EXPECT_TRUE(ranks[(i * 7 + 1) % kRanks]->test(receives[i]));
  }
  EXPECT_EQ(received, values);
  for (const auto& rank : ranks) rank->finalize();
}

}  // namespace
}  // namespace pilum::comm
