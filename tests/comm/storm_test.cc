// Random messages between all ranks, everything at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "runtime/comm/wait.h"
#include "tests/comm/pattern.h"
#include "tests/ranks/rank_runner.h"

namespace pilum::comm {
namespace {

#ifdef PILUM_SANITIZE
constexpr std::size_t kLargestBytes = 2 << 20;
#else
constexpr std::size_t kLargestBytes = 16 << 20;
#endif
constexpr std::size_t kTotalBytes = 8 * kLargestBytes;

struct Message {
  int from;
  int to;
  Tag tag;
  std::size_t bytes;
};

std::size_t draw_size(std::mt19937_64& random) {
  const double exponent = std::uniform_real_distribution(0.0, std::log2(static_cast<double>(kLargestBytes)))(random);
  return random() % 20 == 0 ? 0 : static_cast<std::size_t>(std::exp2(exponent));
}

// The same on every rank.
std::vector<Message> draw_messages(std::uint64_t seed, int size) {
  std::mt19937_64 random(seed);
  std::vector<Message> messages;
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  const auto first_window = static_cast<std::uint32_t>(random());
  for (std::size_t total = 0; total < kTotalBytes && messages.size() < 3000;) {
    const int from = static_cast<int>(random() % size);
    const int to = static_cast<int>(random() % size);
    const std::uint32_t count = counts[from * size + to]++;
    messages.push_back({from, to, {first_window + count / 16, count % 16}, draw_size(random)});
    total += messages.back().bytes;
  }
  return messages;
}

// Rank 0's, so that one printed number repeats a run: PILUM_TEST_SEED.
std::uint64_t agree_on_seed(Communicator& ranks) {
  const char* text = std::getenv("PILUM_TEST_SEED");
  const std::uint64_t mine = text ? std::strtoull(text, nullptr, 10) : std::random_device()();
  const auto all = ranks.all_gather(std::as_bytes(std::span(&mine, 1)));
  std::uint64_t seed = 0;
  std::memcpy(&seed, all.data(), sizeof(seed));
  return seed;
}

// One rank's part: posts its sends and receives in an order of its own, with control messages between them.
class Storm {
 public:
  Storm(Communicator& ranks, std::uint64_t seed)
      : ranks_(ranks), random_(seed * 31 + ranks.rank()), messages_(draw_messages(seed, ranks.size())) {}

  void run() {
    post_all();
    while (!is_over()) {
      idle_.rest(ranks_.progress());
      listen();
      std::erase_if(open_, [&](Request request) { return ranks_.test(request); });
    }
    check();
  }

 private:
  struct Buffer {
    std::size_t message;
    bool is_receive;
    std::vector<std::byte> bytes;
  };

  void post_all() {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i].from == ranks_.rank()) buffers_.push_back({i, false, test::make_pattern(i, messages_[i].bytes)});
      if (messages_[i].to == ranks_.rank()) buffers_.push_back({i, true, std::vector<std::byte>(messages_[i].bytes)});
    }
    std::shuffle(buffers_.begin(), buffers_.end(), random_);
    controls_left_ = ranks_.size() * kControlsEach;
    std::vector<int> to_tell;
    for (int i = 0; i < controls_left_; ++i) to_tell.push_back(i / kControlsEach);
    std::shuffle(to_tell.begin(), to_tell.end(), random_);
    heard_.resize(ranks_.size());
    told_.resize(ranks_.size());

    for (Buffer& buffer : buffers_) {
      post(buffer);
      if (!to_tell.empty()) tell(to_tell);
      for (auto calls = random_() % 8; calls-- > 0;) ranks_.progress();
    }
    while (!to_tell.empty()) tell(to_tell);
  }

  void post(Buffer& buffer) {
    const Message& message = messages_[buffer.message];
    open_.push_back(buffer.is_receive ? ranks_.receive(message.from, message.tag, buffer.bytes)
                                      : ranks_.send(message.to, message.tag, buffer.bytes));
  }

  void tell(std::vector<int>& to_tell) {
    const int to = to_tell.back();
    to_tell.pop_back();
    const int count = told_[to]++;
    ranks_.send_control(to, std::as_bytes(std::span(&count, 1)));
  }

  void listen() {
    while (const auto message = ranks_.poll_control()) {
      int count = 0;
      ASSERT_EQ(message->bytes.size(), sizeof(count));
      std::memcpy(&count, message->bytes.data(), sizeof(count));
      ASSERT_EQ(count, heard_[message->from]++) << "control messages from rank " << message->from;
      --controls_left_;
    }
  }

  bool is_over() const { return (open_.empty() && controls_left_ == 0) || testing::Test::HasFatalFailure(); }

  void check() const {
    for (const Buffer& buffer : buffers_) {
      if (!buffer.is_receive) continue;
      const Message& message = messages_[buffer.message];
      EXPECT_TRUE(buffer.bytes == test::make_pattern(buffer.message, message.bytes))
          << message.bytes << " bytes from rank " << message.from;
    }
  }

  static constexpr int kControlsEach = 20;
  Communicator& ranks_;
  std::mt19937_64 random_;
  std::vector<Message> messages_;
  std::vector<Buffer> buffers_;
  std::vector<Request> open_;
  std::vector<int> told_;
  std::vector<int> heard_;
  int controls_left_ = 0;
  IdleSpin idle_;
};

TEST(Storm, EveryMessageArrivesWhole) {
  test::run_on_ranks([](Communicator& ranks) {
    const std::uint64_t seed = agree_on_seed(ranks);
    for (std::uint64_t round = 0; round < 3; ++round) {
      if (ranks.rank() == 0) std::printf("PILUM_TEST_SEED=%lu, round %lu\n", seed, round);
      Storm(ranks, seed + round).run();
      ASSERT_FALSE(testing::Test::HasFailure()) << "PILUM_TEST_SEED=" << seed;
      ranks.barrier();  // control messages of two rounds would mix
    }
  });
}

}  // namespace
}  // namespace pilum::comm
