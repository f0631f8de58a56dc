#include "scheduler/watch/control_channel.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

// So many ranks of a simulated network, all of this thread.
class Channels {
 public:
  explicit Channels(int ranks, std::uint64_t seed = 1) : network_(comm::make_simulated_network(ranks, seed)) {
    for (const auto& communicator : network_) {
      executors_.push_back(std::make_unique<Executor>(*communicator, profile_));
      channels_.push_back(std::make_unique<ControlChannel>(*executors_.back()));
    }
  }
  ControlChannel& operator[](int rank) { return *channels_[static_cast<std::size_t>(rank)]; }
  Executor& executor(int rank) { return *executors_[static_cast<std::size_t>(rank)]; }
  comm::Communicator& communicator(int rank) { return *network_[static_cast<std::size_t>(rank)]; }
  void send(int from, int to, Addressee addressee, const std::string& words) {
    (*this)[from].send(to, addressee, std::as_bytes(std::span(words)));
  }
  // "0: words" from rank 0; messages take their time.
  std::string take(int rank, Addressee addressee) {
    for (int tries = 0; tries < 100000; ++tries) {
      const auto message = (*this)[rank].take(addressee);
      if (!message) continue;
      const auto* text = reinterpret_cast<const char*>(message->bytes.data());
      return std::to_string(message->from) + ": " + std::string(text, message->bytes.size());
    }
    return "nothing";
  }

 private:
  std::vector<std::unique_ptr<comm::Communicator>> network_;
  profile::Recorder profile_{false};
  std::vector<std::unique_ptr<Executor>> executors_;
  std::vector<std::unique_ptr<ControlChannel>> channels_;
};

TEST(ControlChannel, AMessageIsItsAddresseesWhoeverLooksFirst) {
  Channels channels(2);
  channels.send(0, 1, Addressee::Stall, "who waits?");
  channels.send(0, 1, Addressee::Watch, "1024 calls");
  EXPECT_EQ(channels.take(1, Addressee::Watch), "0: 1024 calls") << "though the other one came first";
  EXPECT_EQ(channels.take(1, Addressee::Stall), "0: who waits?");
  EXPECT_FALSE(channels[1].take(Addressee::Watch));
  EXPECT_FALSE(channels[1].take(Addressee::Stall));
  EXPECT_FALSE(channels[0].take(Addressee::Watch)) << "nothing came back";
}

TEST(ControlChannel, AnEmptyMessageAndALargeOneArriveAsTheyAre) {
  Channels channels(2);
  const std::string large(4000, 'x');
  channels.send(1, 0, Addressee::Watch, "");
  channels.send(1, 0, Addressee::Watch, large);
  EXPECT_EQ(channels.take(0, Addressee::Watch), "1: ");
  EXPECT_EQ(channels.take(0, Addressee::Watch), "1: " + large);
}

TEST(ControlChannel, MessagesBetweenTwoRanksArriveInOrderForEachAddressee) {
  for_each_seed(5, [](std::uint64_t seed) {
    constexpr int kRanks = 3, kMessages = 20;
    Channels channels(kRanks, seed);
    for (int number = 0; number < kMessages; ++number) {
      for (int from = 1; from < kRanks; ++from) {
        channels.send(from, 0, Addressee::Watch, "w" + std::to_string(number));
        channels.send(from, 0, Addressee::Stall, "s" + std::to_string(number));
      }
    }
    for (const auto& [addressee, letter] : {std::pair(Addressee::Stall, "s"), std::pair(Addressee::Watch, "w")}) {
      std::vector<int> next(kRanks, 0);
      for (int taken = 0; taken < (kRanks - 1) * kMessages; ++taken) {
        const std::string words = channels.take(0, addressee);
        int& number = next[static_cast<std::size_t>(words[0] - '0')];
        ASSERT_EQ(words.substr(1), ": " + (letter + std::to_string(number)));
        ++number;
      }
    }
  });
}

TEST(ControlChannel, LooksMoveDataToo) {
  Channels channels(2);
  std::vector<std::byte> sent(100, std::byte{7}), received(100);
  const comm::Request request = channels.communicator(1).receive(0, {3, 1}, received);
  const comm::Request send = channels.communicator(0).send(1, {3, 1}, sent);
  bool here = false, gone = false;
  for (int tries = 0; tries < 100000 && !(here && gone); ++tries) {
    EXPECT_FALSE(channels[1].take(Addressee::Watch));
    EXPECT_FALSE(channels[0].take(Addressee::Watch));
    here = here || channels.communicator(1).test(request);
    gone = gone || channels.communicator(0).test(send);
  }
  EXPECT_TRUE(here && gone);
  EXPECT_EQ(received, sent);
}

// What tells more comes by this channel: which calls differ.
TEST(ControlChannel, AMessageOfTheWrongSizeIsASuspicionAndNoError) {
  Channels channels(2);
  std::vector<std::byte> sent(100), received(90);
  const comm::Request request = channels.communicator(1).receive(0, {3, 1}, received);
  const comm::Request send = channels.communicator(0).send(1, {3, 1}, sent);
  EXPECT_NE(request + send, 0u);
  channels.send(0, 1, Addressee::Watch, "my calls");
  EXPECT_EQ(channels.take(1, Addressee::Watch), "0: my calls");
  for (int tries = 0; tries < 100000 && !channels.executor(1).is_suspicious(); ++tries)
    EXPECT_NO_THROW(static_cast<void>(channels[1].take(Addressee::Watch)));
  EXPECT_TRUE(channels.executor(1).is_suspicious());
  EXPECT_FALSE(channels.executor(1).failed());
  EXPECT_FALSE(channels.executor(0).is_suspicious());
}

TEST(ControlChannel, WhatWasSentIsOutSoonerOrLater) {
  Channels channels(2);
  channels.send(0, 1, Addressee::Watch, "the last word");
  bool out = false;
  for (int tries = 0; tries < 1000 && !out; ++tries) out = channels[0].is_out();
  EXPECT_TRUE(out);
}

}  // namespace
}  // namespace pilum::scheduler
