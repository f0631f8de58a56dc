// What every transport promises. Linked with each of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "pilum/error.h"
#include "runtime/comm/wait.h"
#include "tests/comm/pattern.h"
#include "tests/ranks/rank_runner.h"

namespace pilum::comm {
namespace {

using test::make_pattern;
using test::run_on_ranks;

int next_of(const Communicator& ranks) {
  return (ranks.rank() + 1) % ranks.size();
}
int previous_of(const Communicator& ranks) {
  return (ranks.rank() + ranks.size() - 1) % ranks.size();
}

std::span<const std::byte> bytes_of(const int& value) {
  return std::as_bytes(std::span(&value, 1));
}

int int_in(std::span<const std::byte> bytes) {
  int value = 0;
  EXPECT_EQ(bytes.size(), sizeof(value));
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof(value)));
  return value;
}

ControlMessage wait_control(Communicator& ranks) {
  std::optional<ControlMessage> message;
  wait_until(ranks, [&] { return (message = ranks.poll_control()).has_value(); });
  return *message;
}

void wait_all(Communicator& ranks, const std::vector<Request>& requests) {
  for (const Request request : requests) wait(ranks, request);
}

TEST(Contract, RanksAreNumberedFromZero) {
  run_on_ranks([](Communicator& ranks) {
    EXPECT_GE(ranks.rank(), 0);
    EXPECT_LT(ranks.rank(), ranks.size());
    EXPECT_FALSE(ranks.name().empty());
  });
}

TEST(Contract, AllGatherIsByRank) {
  run_on_ranks([](Communicator& ranks) {
    const int mine = 100 + ranks.rank();
    const auto all = ranks.all_gather(bytes_of(mine));
    ASSERT_EQ(all.size(), ranks.size() * sizeof(int));
    for (int rank = 0; rank < ranks.size(); ++rank) {
      EXPECT_EQ(int_in(std::span(all).subspan(rank * sizeof(int), sizeof(int))), 100 + rank);
    }
  });
}

// One machine, one clock.
TEST(Contract, NobodyPassesABarrierBeforeTheLast) {
  run_on_ranks([](Communicator& ranks) {
    const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch().count(); };
    if (ranks.rank() == ranks.size() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto entered = now();
    ranks.barrier();
    const auto left = now();
    const auto all = ranks.all_gather(std::as_bytes(std::span(&entered, 1)));
    for (int rank = 0; rank < ranks.size(); ++rank) {
      auto other = entered;
      std::memcpy(&other, all.data() + rank * sizeof(other), sizeof(other));
      EXPECT_GE(left, other) << "rank " << rank << " was not there yet";
    }
  });
}

class MessageOf : public testing::TestWithParam<std::size_t> {};

TEST_P(MessageOf, ThisManyBytesGoesRoundTheRing) {
  run_on_ranks([](Communicator& ranks) {
    const std::size_t bytes = GetParam();
    const auto sent = make_pattern(ranks.rank(), bytes);
    std::vector<std::byte> received(bytes);
    const Request receive = ranks.receive(previous_of(ranks), {7, 3}, received);
    const Request send = ranks.send(next_of(ranks), {7, 3}, sent);
    wait_all(ranks, {send, receive});
    EXPECT_TRUE(received == make_pattern(previous_of(ranks), bytes));
  });
}

TEST_P(MessageOf, ThisManyBytesIsKeptUntilItsReceiveIsPosted) {
  run_on_ranks([](Communicator& ranks) {
    const std::size_t bytes = GetParam();
    const auto sent = make_pattern(ranks.rank(), bytes);
    const Request send = ranks.send(next_of(ranks), {7, 4}, sent);
    ranks.barrier();
    for (int i = 0; i < 300; ++i) ranks.progress();
    std::vector<std::byte> received(bytes);
    const Request receive = ranks.receive(previous_of(ranks), {7, 4}, received);
    wait_all(ranks, {send, receive});
    EXPECT_TRUE(received == make_pattern(previous_of(ranks), bytes));
  });
}

INSTANTIATE_TEST_SUITE_P(Contract, MessageOf,
                         testing::Values(0, 1, 8, 127, 2047, 2048, 2049, 4096, 4097, 8191, 8256, 8257, 65'537,
                                         1'000'003, 8 << 20));

TEST(Contract, TransfersMatchByTagWhateverTheOrderOfPosting) {
  run_on_ranks([](Communicator& ranks) {
    constexpr int kCount = 200;
    std::vector<int> sent(kCount);
    std::vector<int> received(kCount, -1);
    std::vector<Request> requests;
    for (int i = 0; i < kCount; ++i) {
      sent[i] = 1000 * ranks.rank() + i;
      const Tag tag{static_cast<std::uint32_t>(i % 3), static_cast<std::uint32_t>(i)};
      requests.push_back(ranks.send(next_of(ranks), tag, bytes_of(sent[i])));
    }
    for (int i = kCount; i-- > 0;) {
      const Tag tag{static_cast<std::uint32_t>(i % 3), static_cast<std::uint32_t>(i)};
      requests.push_back(ranks.receive(previous_of(ranks), tag, std::as_writable_bytes(std::span(&received[i], 1))));
    }
    wait_all(ranks, requests);
    for (int i = 0; i < kCount; ++i) EXPECT_EQ(received[i], 1000 * previous_of(ranks) + i);
  });
}

TEST(Contract, WindowsAroundTheWrapDoNotMix) {
  run_on_ranks([](Communicator& ranks) {
    const std::vector<std::uint32_t> windows{0xffff'ffff, 0, 1, 0xffff'fffe, 2};
    std::vector<int> sent(windows.size());
    std::vector<int> received(windows.size());
    std::vector<Request> requests;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      sent[i] = static_cast<int>(i) + 10;
      requests.push_back(ranks.send(next_of(ranks), {windows[i], 5}, bytes_of(sent[i])));
    }
    for (std::size_t i = windows.size(); i-- > 0;) {
      const auto into = std::as_writable_bytes(std::span(&received[i], 1));
      requests.push_back(ranks.receive(previous_of(ranks), {windows[i], 5}, into));
    }
    wait_all(ranks, requests);
    EXPECT_EQ(received, sent);
  });
}

TEST(Contract, EqualTagsOfDifferentSendersDoNotMix) {
  run_on_ranks([](Communicator& ranks) {
    std::vector<int> received(ranks.size(), -1);
    const int mine = ranks.rank() + 1;
    std::vector<Request> requests;
    for (int peer = ranks.size(); peer-- > 0;) {  // itself included
      requests.push_back(ranks.receive(peer, {1, 1}, std::as_writable_bytes(std::span(&received[peer], 1))));
    }
    for (int peer = 0; peer < ranks.size(); ++peer) requests.push_back(ranks.send(peer, {1, 1}, bytes_of(mine)));
    wait_all(ranks, requests);
    for (int peer = 0; peer < ranks.size(); ++peer) EXPECT_EQ(received[peer], peer + 1);
  });
}

TEST(Contract, ThousandsOfMessagesOfAWindowMayBeUnderWay) {
  run_on_ranks([](Communicator& ranks) {
    constexpr int kCount = 20'000;
    std::vector<int> sent(kCount);
    std::vector<int> received(kCount);
    std::vector<Request> requests;
    for (int i = 0; i < kCount; ++i) {
      sent[i] = i;
      requests.push_back(ranks.send(next_of(ranks), {9, static_cast<std::uint32_t>(i)}, bytes_of(sent[i])));
    }
    for (int i = kCount; i-- > 0;) {
      const auto into = std::as_writable_bytes(std::span(&received[i], 1));
      requests.push_back(ranks.receive(previous_of(ranks), {9, static_cast<std::uint32_t>(i)}, into));
    }
    wait_all(ranks, requests);
    EXPECT_TRUE(received == sent);
  });
}

TEST(Contract, ATagMayBeUsedAgainOnceItsMessageIsThere) {
  run_on_ranks([](Communicator& ranks) {
    for (int round = 0; round < 100; ++round) {
      int received = -1;
      const Request receive =
          ranks.receive(previous_of(ranks), {4, 4}, std::as_writable_bytes(std::span(&received, 1)));
      const Request send = ranks.send(next_of(ranks), {4, 4}, bytes_of(round));
      wait_all(ranks, {receive, send});
      ASSERT_EQ(received, round);
    }
  });
}

TEST(Contract, ControlMessagesKeepTheirOrderBesideData) {
  run_on_ranks([](Communicator& ranks) {
    constexpr int kCount = 500;
    const auto data = make_pattern(ranks.rank(), 100'000);
    std::vector<std::byte> received(data.size());
    const Request send = ranks.send(next_of(ranks), {2, 0}, data);
    for (int i = 0; i < kCount; ++i) {
      std::vector<std::byte> content(sizeof(int) + i * 8 % 4000);
      std::memcpy(content.data(), &i, sizeof(i));
      ranks.send_control(next_of(ranks), content);
      ranks.progress();
    }
    for (int i = 0; i < kCount; ++i) {
      const ControlMessage message = wait_control(ranks);
      ASSERT_EQ(message.from, previous_of(ranks));
      ASSERT_EQ(message.bytes.size(), sizeof(int) + i * 8 % 4000);
      ASSERT_EQ(int_in(std::span(message.bytes).first(sizeof(int))), i);
    }
    const Request receive = ranks.receive(previous_of(ranks), {2, 0}, received);
    wait_all(ranks, {send, receive});
    EXPECT_TRUE(received == make_pattern(previous_of(ranks), received.size()));
    EXPECT_FALSE(ranks.poll_control());
  });
}

TEST(Contract, ControlMessagesOfAnySizeUpToFourKibibytes) {
  run_on_ranks([](Communicator& ranks) {
    for (const std::size_t bytes : {0, 1, 63, 1024, 4095, 4096}) {
      ranks.send_control(next_of(ranks), make_pattern(ranks.rank(), bytes));
      const ControlMessage message = wait_control(ranks);
      EXPECT_TRUE(message.bytes == make_pattern(previous_of(ranks), bytes)) << bytes;
    }
  });
}

TEST(Contract, ControlMessagesReachEveryRank) {
  run_on_ranks([](Communicator& ranks) {
    const int mine = ranks.rank();
    for (int peer = 0; peer < ranks.size(); ++peer) ranks.send_control(peer, bytes_of(mine));
    std::vector<int> heard;
    for (int i = 0; i < ranks.size(); ++i) {
      const ControlMessage message = wait_control(ranks);
      EXPECT_EQ(message.from, int_in(message.bytes));
      heard.push_back(message.from);
    }
    std::sort(heard.begin(), heard.end());
    for (int rank = 0; rank < ranks.size(); ++rank) EXPECT_EQ(heard[rank], rank);
  });
}

}  // namespace
}  // namespace pilum::comm
