#include "scheduler/session/mailboxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "scheduler/plan/mail.h"
#include "tests/fakes/emulated_gpu.h"

namespace pilum::scheduler {
namespace {

struct Node {
  std::vector<std::unique_ptr<fakes::EmulatedGpu>> gpus;  // by rank
  std::vector<Mailboxes> mail;
};

// `memory` is what each rank's GPU has.
Node open_on_all(const std::vector<int>& node_of, std::int64_t bytes, const std::vector<std::size_t>& memory) {
  Node node;
  for (std::size_t rank = 0; rank < memory.size(); ++rank)
    node.gpus.push_back(fakes::make_emulated_gpu(static_cast<int>(rank), rank + 1, memory[rank]));
  node.mail.resize(memory.size());
  std::vector<std::thread> threads;
  for (auto& communicator : comm::make_simulated_network(static_cast<int>(memory.size()), 1)) {
    threads.emplace_back([&, own = std::move(communicator)] {
      const auto rank = static_cast<std::size_t>(own->rank());
      node.mail[rank] = open_mailboxes(*own, *node.gpus[rank], node_of, bytes);
      own->finalize();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return node;
}

std::vector<std::size_t> enough_for(std::size_t ranks) {
  return std::vector<std::size_t>(ranks, 64 << 20);
}

TEST(Mailboxes, OfANodesRanksAreOneForEachPairAndWay) {
  std::mt19937 random(5);
  for (int round = 0; round < 30; ++round) {
    const std::size_t ranks = 2 + random() % 7;
    std::vector<int> node_of;
    for (std::size_t rank = 0; rank < ranks && round % 4; ++rank) node_of.push_back(static_cast<int>(random() % 3));
    const std::int64_t bytes = 150'000 + static_cast<std::int64_t>(random() % 3'000'000);
    SCOPED_TRACE(testing::Message() << "seed 5, round " << round << ", " << ranks << " ranks, " << bytes << " bytes");
    const Node node = open_on_all(node_of, bytes, enough_for(ranks));
    const auto near = [&](std::size_t a, std::size_t b) {
      return a != b && (node_of.empty() || node_of[a] == node_of[b]);
    };
    bool some = false;
    for (std::size_t a = 0; a < ranks; ++a) {
      for (std::size_t b = 0; b < ranks; ++b) some = some || near(a, b);
    }
    std::vector<std::byte*> boxes;
    for (std::size_t a = 0; a < ranks; ++a) {
      const Mailboxes& mail = node.mail[a];
      ASSERT_EQ(mail.out.size(), some ? ranks : 0);
      ASSERT_EQ(mail.in.size(), some ? ranks : 0);
      for (std::size_t b = 0; b < ranks && some; ++b) {
        ASSERT_EQ(mail.out[b] != nullptr, near(a, b)) << a << " -> " << b;
        ASSERT_EQ(mail.out[b], node.mail[b].in[a]) << a << " -> " << b;
        ASSERT_EQ(mail.box_bytes, node.mail[b].box_bytes);
        if (mail.out[b]) boxes.push_back(mail.out[b]);
      }
    }
    std::sort(boxes.begin(), boxes.end());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const std::int64_t size = node.mail[0].box_bytes;
      ASSERT_GT(size, MailBox::kHead);
      if (i > 0) {
        ASSERT_GE(boxes[i] - boxes[i - 1], size);
      }
      ASSERT_EQ(std::count(boxes[i], boxes[i] + MailBox::kHead, std::byte{0}), MailBox::kHead) << "flags are lowered";
    }
  }
}

TEST(Mailboxes, OfOneRankANodeAreNone) {
  const Node node = open_on_all({0, 1, 2}, 1 << 20, enough_for(3));
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(node.mail[rank].out.empty());
    EXPECT_EQ(node.gpus[rank]->used_bytes(), 0u);
  }
}

TEST(Mailboxes, ThatAreTooSmallForAnyMessageAreNone) {
  for (const Mailboxes& mail : open_on_all({}, 2 * MailBox::kHead, enough_for(3)).mail) EXPECT_TRUE(mail.out.empty());
}

TEST(Mailboxes, OfNoRankAreThereWhereOneGpuHasNoMemory) {
  for (std::size_t poor = 0; poor < 3; ++poor) {
    std::vector<std::size_t> memory = enough_for(3);
    memory[poor] = 4096;
    const Node node = open_on_all({}, 1 << 20, memory);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      EXPECT_TRUE(node.mail[rank].out.empty() && node.mail[rank].in.empty()) << rank;
      EXPECT_EQ(node.mail[rank].box_bytes, 0);
      EXPECT_EQ(node.gpus[rank]->used_bytes(), 0u) << "and none keeps memory for them";
    }
  }
}

}  // namespace
}  // namespace pilum::scheduler
