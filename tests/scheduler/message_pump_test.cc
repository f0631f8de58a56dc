#include "scheduler/execute/message_pump.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <thread>

#include "tests/scheduler/failure_text.h"
#include "tests/scheduler/handmade_plan.h"

namespace pilum::scheduler {
namespace {

using Node = ReadyGraph::Node;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// A rank with its pump and the transfers that it was given.
struct Rank {
  explicit Rank(std::unique_ptr<comm::Communicator> own) : communicator(std::move(own)), pump(*communicator, failure) {}

  Node& post(decltype(Instruction::what) what) {
    Node& node = make(std::move(what));
    pump.post(node);
    return node;
  }
  Node& make(decltype(Instruction::what) what) {
    Instruction& instruction = instructions.emplace_back();
    instruction.what = std::move(what);
    instruction.name = "transfer";
    Node& node = nodes.emplace_back();
    node.instruction = &instruction;
    return node;
  }
  bool poll() {
    return pump.poll([this](const MessagePump::Transfer& transfer) {
      ++arrivals[transfer.node];
      if (transfer.run) items.push_back(transfer.batch);
    });
  }
  // How often the node was handed out.
  int count(const Node& node) const {
    const auto found = arrivals.find(&node);
    return found == arrivals.end() ? 0 : found->second;
  }
  std::string what() { return text_of(failure); }

  std::unique_ptr<comm::Communicator> communicator;
  Failure failure;
  MessagePump pump;
  std::deque<Instruction> instructions;
  std::deque<Node> nodes;
  std::map<const Node*, int> arrivals;
  std::vector<int> items;
};

std::deque<Rank> make_ranks(int count, std::uint64_t seed) {
  std::deque<Rank> ranks;
  for (auto& communicator : comm::make_simulated_network(count, seed)) ranks.emplace_back(std::move(communicator));
  return ranks;
}
// Until nothing is under way, or `most` rounds are over.
void drive(std::deque<Rank>& ranks, int most = 100'000) {
  const auto idle = [](const Rank& rank) { return rank.pump.idle(); };
  for (int i = 0; i < most && !std::ranges::all_of(ranks, idle); ++i) {
    for (Rank& rank : ranks) rank.poll();
  }
}
void finalize(std::deque<Rank>& ranks) {
  for (Rank& rank : ranks) rank.communicator->finalize();
}

Send send_of(int to, comm::Tag tag, const Bytes& bytes, bool shared = false) {
  return {to, tag, bytes.data(), bytes.size(), StoreId{0}, shared};
}
Receive receive_of(int from, comm::Tag tag, Bytes& bytes, bool shared = false) {
  return {from, tag, bytes.data(), bytes.size(), StoreId{0}, shared};
}

TEST(MessagePump, HandsEachTransferOutOnceItIsDone) {
  auto ranks = make_ranks(2, 3);
  const Bytes sent = bytes_of(100'000, 1);
  Bytes received(sent.size());
  const Node& send = ranks[0].post(send_of(1, {5, 0}, sent));
  EXPECT_FALSE(ranks[0].pump.idle());
  drive(ranks, 100);
  EXPECT_EQ(ranks[0].count(send), 0);  // too large to be kept elsewhere
  const Node& receive = ranks[1].post(receive_of(0, {5, 0}, received));
  drive(ranks);
  EXPECT_EQ(ranks[0].count(send), 1);
  EXPECT_EQ(ranks[1].count(receive), 1);
  EXPECT_EQ(received, sent);
  EXPECT_FALSE(ranks[0].poll());
  finalize(ranks);
}

TEST(MessagePump, OfCountedItemsTakesThoseThatTheRangeSays) {
  auto ranks = make_ranks(2, 3);
  const Bytes sent = bytes_of(800, 1);
  Bytes received(sent.size());
  const std::int64_t range[] = {20, 5};
  Send send = send_of(1, {5, 0}, sent);
  Receive receive = receive_of(0, {5, 0}, received);
  send.items = receive.items = {range, 8};
  ranks[0].post(send);
  ranks[1].post(receive);
  drive(ranks);
  Bytes expected(sent.size());
  std::copy_n(sent.begin() + 160, 40, expected.begin() + 160);
  EXPECT_EQ(received, expected);
  finalize(ranks);
}

TEST(MessagePump, IsIdleWhereNothingIsUnderWay) {
  auto ranks = make_ranks(1, 3);
  EXPECT_TRUE(ranks[0].pump.idle());
  EXPECT_FALSE(ranks[0].poll());
  EXPECT_EQ(ranks[0].pump.describe_activity().text, "");
  finalize(ranks);
}

TEST(MessagePump, WhoComesWhileAnotherIsInsideGoesAway) {
  auto ranks = make_ranks(2, 3);
  const Bytes sent = bytes_of(8, 1);
  ranks[0].post(send_of(1, {0, 0}, sent));
  ranks[0].pump.lock().lock();
  EXPECT_FALSE(ranks[0].poll());
  ranks[0].pump.lock().unlock();
  Bytes received(8);
  ranks[1].post(receive_of(0, {0, 0}, received));
  drive(ranks);
  EXPECT_EQ(received, sent);
  finalize(ranks);
}

TEST(MessagePump, WhatArrivesMayBeFollowedByAnotherTransfer) {
  auto ranks = make_ranks(2, 4);
  std::vector<Bytes> received(20, Bytes(8));
  const Bytes sent = bytes_of(8, 1);
  for (std::uint32_t i = 0; i < received.size(); ++i) ranks[0].post(send_of(1, {0, i}, sent));
  std::uint32_t next = 0;
  const auto post_next = [&] {
    if (next == received.size()) return;
    Bytes& place = received[next];
    ranks[1].post(receive_of(0, {0, next++}, place));
  };
  post_next();
  for (int i = 0; i < 100'000 && !(next == received.size() && ranks[1].pump.idle()); ++i) {
    ranks[0].poll();
    ranks[1].pump.poll([&](const MessagePump::Transfer&) {
      post_next();
      ranks[1].pump.poll([&](const MessagePump::Transfer&) { post_next(); });  // as what follows may wait
    });
  }
  drive(ranks);
  EXPECT_TRUE(std::ranges::all_of(received, [&](const Bytes& bytes) { return bytes == sent; }));
  finalize(ranks);
}

TEST(MessagePump, OfARunSmallSendsAreGoneAtOnce) {
  auto ranks = make_ranks(2, 8);
  test::HandmadePlan plan(64 * 8);
  for (std::uint32_t i = 0; i < 32; ++i) plan.add(Send{1, {0, i}, plan.data(std::size_t{8} * i), 8, StoreId{0}});
  for (std::uint32_t i = 0; i < 32; ++i) plan.add(Receive{1, {0, i}, plan.data(256 + 8 * i), 8, StoreId{0}});
  const std::shared_ptr<BoundPlan> run = plan.make(1);
  plan.bind(*run, 9);
  std::vector<int> done;
  for (int item = 0; item < 64; ++item) {
    if (ranks[0].pump.post(*run, item)) done.push_back(item);
  }
  EXPECT_GT(done.size(), 10u);  // most of the sends
  EXPECT_LT(done.size(), 33u);  // no receive
  std::vector<Bytes> echoes(32, Bytes(8));
  for (std::uint32_t i = 0; i < 32; ++i) {
    ranks[1].post(receive_of(0, {9, i}, echoes[i]));  // of the window that it is bound to
    ranks[1].post(send_of(0, {9, i}, echoes[i]));
  }
  drive(ranks);
  std::vector<int>& items = ranks[0].items;
  items.insert(items.end(), done.begin(), done.end());
  std::ranges::sort(items);
  ASSERT_EQ(items.size(), 64u);
  for (int item = 0; item < 64; ++item) EXPECT_EQ(items[static_cast<std::size_t>(item)], item);
  finalize(ranks);
}

TEST(MessagePump, AnOfferIsDoneWhenItsDataAreTaken) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    auto ranks = make_ranks(2, seed);
    const Bytes data = bytes_of(24, 1);
    Bytes place(24);
    Node& send = ranks[0].make(send_of(1, {2, 6}, data, /*shared=*/true));
    send.message = std::make_unique<SharedMessage>();
    send.message->offer.bytes = 24;
    send.message->offer.share.bytes[3] = std::byte{77};
    ranks[0].pump.post(send);
    const Node& receive = ranks[1].post(receive_of(0, {2, 6}, place, /*shared=*/true));
    for (int i = 0; i < 1000; ++i) {
      ranks[0].poll();
      ranks[1].poll();
    }
    ASSERT_EQ(ranks[1].count(receive), 1);
    ASSERT_TRUE(receive.message && receive.message->is_receive);
    EXPECT_EQ(receive.message->offer.bytes, 24u);
    EXPECT_EQ(receive.message->offer.share, send.message->offer.share);
    EXPECT_EQ(place, Bytes(24)) << "the data themselves are not sent";
    EXPECT_EQ(ranks[0].count(send), 0);
    ranks[1].pump.acknowledge(std::get<Receive>(receive.instruction->what));
    drive(ranks);
    EXPECT_EQ(ranks[0].count(send), 1);
    EXPECT_EQ(send.message->taken, std::byte{1});
    EXPECT_TRUE(ranks[0].pump.idle() && ranks[1].pump.idle());
    finalize(ranks);
  }
}

// The communicator tells at the receive, or when the message comes, whichever is later.
TEST(MessagePump, AWrongSizeIsASuspicionAndTheOthersGoOn) {
  for (const bool receive_first : {false, true}) {
    SCOPED_TRACE(receive_first ? "receive first" : "send first");
    auto ranks = make_ranks(2, 5);
    const Bytes sent = bytes_of(8, 1);
    Bytes small(4), right(8);
    const auto post_receives = [&] {
      ranks[1].post(receive_of(0, {0, 0}, small));
      ranks[1].post(receive_of(0, {0, 1}, right));
    };
    if (receive_first) post_receives();
    ranks[0].post(send_of(1, {0, 0}, sent));
    ranks[0].post(send_of(1, {0, 1}, sent));
    if (!receive_first) {
      ranks[1].communicator->progress();
      for (int i = 0; i < 500; ++i) ranks[1].communicator->progress();
      post_receives();
    }
    drive(ranks, 1000);
    EXPECT_TRUE(ranks[1].failure.is_suspicious());
    EXPECT_FALSE(ranks[1].failure.failed());
    EXPECT_EQ(ranks[1].count(ranks[1].nodes[0]), 0);
    EXPECT_EQ(ranks[1].count(ranks[1].nodes[1]), 1);
    EXPECT_EQ(right, sent);
    ranks[1].failure.fail_suspicion();
    EXPECT_EQ(ranks[1].what().rfind("[transfer] ", 0), 0u) << ranks[1].what();
    EXPECT_NE(ranks[1].what().find("Recorded at "), std::string::npos);
  }
}

TEST(MessagePump, AfterAFailureNothingIsPostedOrHandedOut) {
  auto ranks = make_ranks(2, 5);
  Bytes received(8);
  const Node& before = ranks[1].post(receive_of(0, {0, 0}, received));
  const Bytes sent = bytes_of(8, 1);
  ranks[0].post(send_of(1, {0, 0}, sent));
  ranks[1].failure.fail(std::make_exception_ptr(RuntimeError("it broke")));
  drive(ranks, 500);
  EXPECT_EQ(ranks[1].count(before), 0);
  const std::string activity = ranks[1].pump.describe_activity().text;
  ranks[1].post(receive_of(0, {0, 1}, received));
  EXPECT_EQ(ranks[1].pump.describe_activity().text, activity);
  EXPECT_EQ(ranks[1].what(), "it broke");
  EXPECT_EQ(ranks[1].what(), "[Runtime] this runtime failed earlier and cannot go on: it broke");
}

TEST(MessagePump, APeerThatIsGoneIsAFailure) {
  auto ranks = make_ranks(2, 5);
  Bytes received(8);
  ranks[0].post(receive_of(1, {0, 0}, received));
  ranks.pop_back();
  ranks[0].poll();
  EXPECT_TRUE(ranks[0].failure.failed());
  EXPECT_NE(ranks[0].what().find("rank 1"), std::string::npos);
}

TEST(MessagePump, TellsOfAReceiveFirst) {
  auto ranks = make_ranks(3, 5);
  const Bytes sent = bytes_of(100'000, 1);
  Bytes received(8);
  ranks[0].post(send_of(1, {3, 4}, sent));
  Activity activity = ranks[0].pump.describe_activity();
  EXPECT_EQ(activity.waits_for, 1);
  EXPECT_EQ(activity.text.rfind("waits for rank 1 to take message 4 of window 3, for [transfer] at ", 0), 0u)
      << activity.text;
  ranks[0].post(receive_of(2, {3, 0}, received));
  activity = ranks[0].pump.describe_activity();
  EXPECT_EQ(activity.waits_for, 2);
  EXPECT_EQ(activity.text.rfind("waits for message 0 of window 3 from rank 2, for [transfer] at ", 0), 0u)
      << activity.text;
}

class RandomMessages : public testing::TestWithParam<unsigned> {};

// Messages of all ranks to all, posted in random order, their sizes random: each arrives once, whole.
TEST_P(RandomMessages, ArriveOnceAndWhole) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  std::mt19937 random(GetParam());
  const int count = 1 + static_cast<int>(random() % 4);
  auto ranks = make_ranks(count, GetParam());
  struct Message {
    int from, to;
    comm::Tag tag;
    Bytes sent, received;
  };
  std::vector<Message> messages;
  std::map<std::pair<int, int>, std::uint32_t> numbers;
  for (unsigned i = 0; i < 200; ++i) {
    const int from = static_cast<int>(random() % static_cast<unsigned>(count));
    const int to = static_cast<int>(random() % static_cast<unsigned>(count));
    const std::size_t bytes = random() % 8 == 0 ? random() % 60'000 : random() % 100;
    messages.push_back({from, to, {7, numbers[{from, to}]++}, bytes_of(bytes, i), Bytes(bytes)});
  }
  std::vector<std::pair<std::size_t, bool>> posts;
  for (std::size_t i = 0; i < messages.size(); ++i) posts.insert(posts.end(), {{i, false}, {i, true}});
  std::shuffle(posts.begin(), posts.end(), random);
  for (const auto& [i, receives] : posts) {
    Message& message = messages[i];
    if (receives) {
      ranks[static_cast<std::size_t>(message.to)].post(receive_of(message.from, message.tag, message.received));
    } else {
      ranks[static_cast<std::size_t>(message.from)].post(send_of(message.to, message.tag, message.sent));
    }
    if (random() % 4 == 0) ranks[random() % ranks.size()].poll();
  }
  drive(ranks);
  for (const Message& message : messages) EXPECT_EQ(message.received, message.sent);
  for (const Rank& rank : ranks) {
    for (const Node& node : rank.nodes) EXPECT_EQ(rank.count(node), 1);
  }
  finalize(ranks);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMessages, testing::Range(1u, 13u));

TEST(MessagePump, ThreadsThatPollTogetherShareTheArrivals) {
  constexpr std::size_t kMessages = 500;
  auto ranks = make_ranks(1, 6);  // to itself
  Rank& rank = ranks.front();
  std::vector<std::int64_t> sent(kMessages), received(kMessages, -1);
  std::vector<Node*> nodes;
  for (std::size_t i = 0; i < kMessages; ++i) {
    sent[i] = static_cast<std::int64_t>(i);
    const comm::Tag tag{0, static_cast<std::uint32_t>(i)};
    nodes.push_back(&rank.make(Send{0, tag, reinterpret_cast<const std::byte*>(&sent[i]), 8, StoreId{0}}));
    nodes.push_back(&rank.make(Receive{0, tag, reinterpret_cast<std::byte*>(&received[i]), 8, StoreId{0}}));
  }
  std::vector<std::atomic<int>> handed_out(nodes.size());
  std::map<const Node*, std::size_t> number_of;
  for (std::size_t i = 0; i < nodes.size(); ++i) number_of[nodes[i]] = i;
  std::atomic<std::size_t> all{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < nodes.size(); i += 3) rank.pump.post(*nodes[i]);
      while (all < nodes.size() && !rank.failure.failed()) {
        rank.pump.poll([&](const MessagePump::Transfer& transfer) {
          ++handed_out[number_of.at(transfer.node)];
          ++all;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(std::ranges::all_of(handed_out, [](const auto& times) { return times == 1; }));
  EXPECT_EQ(received, sent);
  EXPECT_TRUE(rank.pump.idle());
  finalize(ranks);
}

// A worker that had seen a message under way came to the communicator after the last was handed out, while it ended.
TEST(MessagePump, ThreadsThatPollLeaveTheCommunicatorBeforeItEnds) {
  for (std::uint64_t round = 0; round < 200; ++round) {
    auto ranks = make_ranks(1, round);
    Rank& rank = ranks.front();
    const Bytes sent = bytes_of(8, 1);
    Bytes received(8);
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    rank.post(send_of(0, {0, 1}, sent));
    rank.post(receive_of(0, {0, 1}, received));
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&] {
        while (!is_over) rank.pump.poll([](const MessagePump::Transfer&) {});
      });
    }
    while (!rank.pump.idle()) rank.pump.poll([](const MessagePump::Transfer&) {});
    rank.pump.wait_until_left();
    rank.communicator->finalize();
    rank.communicator.reset();
    is_over = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(received, sent);
  }
}

}  // namespace
}  // namespace pilum::scheduler
