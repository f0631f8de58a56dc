#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/memory/pool.h"

namespace pilum::memory {
namespace {

struct Live {
  Allocation allocation;
  unsigned char mark = 0;
};

void mark_ends(const Live& live) {
  auto* data = static_cast<unsigned char*>(live.allocation.data());
  data[0] = data[live.allocation.bytes() - 1] = live.mark;
}

bool ends_are_marked(const Live& live) {
  const auto* data = static_cast<const unsigned char*>(live.allocation.data());
  return data[0] == live.mark && data[live.allocation.bytes() - 1] == live.mark;
}

bool any_overlap(std::vector<Live>& blocks) {
  std::sort(blocks.begin(), blocks.end(),
            [](const Live& a, const Live& b) { return a.allocation.data() < b.allocation.data(); });
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const char* end =
        static_cast<const char*>(blocks[i - 1].allocation.data()) + blocks[i - 1].allocation.block_bytes();
    if (end > blocks[i].allocation.data()) return true;
  }
  return false;
}

// Sizes of all magnitudes up to 8 MiB.
std::int64_t any_size(std::mt19937& random) {
  return 1 + static_cast<std::int64_t>(random() % (1u << (1 + random() % 23)));
}

TEST(PoolRandom, BlocksNeverOverlapAndCountersAddUp) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  constexpr std::int64_t kLimit = 64 << 20;
  for (std::int64_t limit : {std::int64_t{0}, kLimit}) {
    Pool pool(limit);
    std::vector<Live> blocks;
    std::int64_t most = 0;
    for (int step = 0; step < 3000; ++step) {
      if (random() % 100 < 55) {
        const std::int64_t bytes = any_size(random);
        const std::int64_t before = pool.in_use();
        if (auto allocation = pool.allocate(bytes)) {
          ASSERT_GE(allocation->block_bytes(), bytes);
          ASSERT_LE(allocation->block_bytes(), bytes >= 1 << 20 ? bytes + bytes / 4 : 2 * bytes + 128);
          blocks.push_back({std::move(*allocation), static_cast<unsigned char>(random())});
          mark_ends(blocks.back());
        } else {
          ASSERT_GT(limit, 0);
          ASSERT_GT(before + bytes + 4096, limit) << "refused without need";
        }
      } else if (!blocks.empty()) {
        std::swap(blocks[random() % blocks.size()], blocks.back());
        ASSERT_TRUE(ends_are_marked(blocks.back()));
        blocks.pop_back();
      }
      if (random() % 500 == 0) pool.trim(static_cast<std::int64_t>(random() % kLimit));
      std::int64_t sum = 0;
      for (const Live& live : blocks) sum += live.allocation.block_bytes();
      most = std::max(most, sum);
      ASSERT_EQ(pool.in_use(), sum);
      ASSERT_EQ(pool.peak(), most);
      ASSERT_GE(pool.reserved(), sum);
      ASSERT_TRUE(limit == 0 || pool.reserved() <= limit);
      ASSERT_FALSE(step % 100 == 0 && any_overlap(blocks));
    }
  }
}

TEST(PoolRandom, ThreadsTakeAndFreeEachOthersBlocks) {
  Pool pool(64 << 20);
  std::mutex mutex;
  std::vector<Live> shared;
  std::atomic<bool> damaged{false};
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int step = 0; step < 2000; ++step) {
        if (auto allocation = pool.allocate(any_size(random) % (1 << 16) + 1)) {
          Live live{std::move(*allocation), static_cast<unsigned char>(random())};
          mark_ends(live);
          const std::lock_guard lock(mutex);
          shared.push_back(std::move(live));
        }
        Live taken;
        {
          const std::lock_guard lock(mutex);
          if (shared.empty()) continue;
          std::swap(shared[random() % shared.size()], shared.back());
          taken = std::move(shared.back());
          shared.pop_back();
        }
        if (!ends_are_marked(taken)) damaged = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  shared.clear();
  EXPECT_FALSE(damaged);
  EXPECT_EQ(pool.in_use(), 0);
}

}  // namespace
}  // namespace pilum::memory
