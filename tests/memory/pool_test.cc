#include "runtime/memory/pool.h"

#include <cstdint>
#include <cstring>
#include <optional>

#include <gtest/gtest.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace pilum::memory {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

std::uintptr_t address(const Allocation& allocation) {
  return reinterpret_cast<std::uintptr_t>(allocation.data());
}

TEST(Pool, SizesAreRoundedToEightAPowerOfTwo) {
  EXPECT_EQ(rounded_size(0), 64);
  EXPECT_EQ(rounded_size(1), 64);
  EXPECT_EQ(rounded_size(65), 128);
  EXPECT_EQ(rounded_size(1000), 1024);
  EXPECT_EQ(rounded_size(1025), 1152);
  EXPECT_EQ(rounded_size(kMiB), kMiB);
  EXPECT_EQ(rounded_size(kMiB + 1), kMiB + kMiB / 8);
  EXPECT_EQ(rounded_size(50 * kMiB), 52 * kMiB);
  EXPECT_EQ(rounded_size(100 * kMiB + 1), 101 * kMiB);
}

TEST(Pool, RoundingWastesAnEighthAtMost) {
  for (std::int64_t bytes = 1024; bytes < 64 * kMiB; bytes = bytes * 9 / 8 + 7) {
    EXPECT_GE(rounded_size(bytes), bytes);
    EXPECT_LE(rounded_size(bytes), bytes + bytes / 8 + 64);
  }
}

TEST(Pool, BlocksAreAlignedAndWritable) {
  Pool pool;
  for (std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000}, kMiB - 1, kMiB, 5 * kMiB + 8}) {
    const auto allocation = pool.allocate(bytes);
    ASSERT_TRUE(allocation);
    EXPECT_EQ(allocation->bytes(), bytes);
    EXPECT_EQ(address(*allocation) % (bytes >= kMiB ? 2u << 20 : 64u), 0u);
    std::memset(allocation->data(), 1, static_cast<std::size_t>(bytes));
  }
}

TEST(Pool, CountersFollowTheBlocks) {
  Pool pool;
  {
    const auto a = pool.allocate(kMiB);
    const auto b = pool.allocate(2 * kMiB);
    EXPECT_EQ(pool.in_use(), 3 * kMiB);
    EXPECT_EQ(pool.reserved(), 3 * kMiB);
  }
  EXPECT_EQ(pool.in_use(), 0);
  EXPECT_EQ(pool.reserved(), 3 * kMiB);
  EXPECT_EQ(pool.peak(), 3 * kMiB);
  pool.trim();
  EXPECT_EQ(pool.reserved(), 0);
  EXPECT_EQ(pool.peak(), 3 * kMiB);
}

TEST(Pool, AFreedBlockIsUsedAgainByARequestOfNearlyItsSize) {
  Pool pool;
  const void* data = pool.allocate(10 * kMiB)->data();
  EXPECT_EQ(pool.allocate(10 * kMiB)->data(), data);
  EXPECT_EQ(pool.allocate(8 * kMiB)->data(), data);
  EXPECT_EQ(pool.reserved(), 10 * kMiB);
}

TEST(Pool, AFreedBlockIsNotUsedForMuchLess) {
  Pool pool;
  (void)pool.allocate(10 * kMiB);
  const auto small = pool.allocate(7 * kMiB);
  EXPECT_EQ(small->block_bytes(), 7 * kMiB);
}

TEST(Pool, TheSmallestBlockThatFitsAndOfThoseTheLatestFreedIsTaken) {
  Pool pool;
  auto a = pool.allocate(10 * kMiB), b = pool.allocate(9 * kMiB), c = pool.allocate(9 * kMiB);
  const void* latest = b->data();
  a.reset(), c.reset(), b.reset();
  EXPECT_EQ(pool.allocate(9 * kMiB - 5)->data(), latest);
}

TEST(Pool, BeyondTheLimitNothingIsGiven) {
  Pool pool(10 * kMiB);
  auto a = pool.allocate(6 * kMiB);
  ASSERT_TRUE(a);
  EXPECT_FALSE(pool.allocate(5 * kMiB));
  EXPECT_TRUE(pool.allocate(4 * kMiB));
  a.reset();
  EXPECT_TRUE(pool.allocate(10 * kMiB));
}

TEST(Pool, UnusedBlocksGiveWayToTheLimit) {
  Pool pool(10 * kMiB);
  {
    const auto a = pool.allocate(4 * kMiB), b = pool.allocate(6 * kMiB);
  }
  EXPECT_EQ(pool.reserved(), 10 * kMiB);
  const auto c = pool.allocate(8 * kMiB);
  ASSERT_TRUE(c);
  EXPECT_LE(pool.reserved(), 10 * kMiB);
}

TEST(Pool, NearTheLimitBlocksAreCutTight) {
  Pool pool(17 * kMiB);
  const auto a = pool.allocate(17 * kMiB);  // 18 MiB, rounded
  ASSERT_TRUE(a);
  EXPECT_EQ(a->block_bytes(), 17 * kMiB);
}

TEST(Pool, KeptBlocksNeverExceedThePeakOfUse) {
  Pool pool;
  for (std::int64_t size = kMiB; size < 64 * kMiB; size *= 2) {
    (void)pool.allocate(size);
    EXPECT_LE(pool.reserved(), 2 * pool.peak());
  }
  const auto kept = pool.allocate(kMiB / 2);
  EXPECT_LE(pool.reserved() - pool.in_use(), pool.peak());
}

TEST(Pool, TrimLeavesTheLatestFreed) {
  Pool pool;
  auto a = pool.allocate(kMiB), b = pool.allocate(2 * kMiB);
  const void* latest = b->data();
  a.reset(), b.reset();
  pool.trim(2 * kMiB);
  EXPECT_EQ(pool.reserved(), 2 * kMiB);
  EXPECT_EQ(pool.allocate(2 * kMiB)->data(), latest);
}

TEST(Pool, AbsurdRequestsGetNothing) {
  Pool pool;
  EXPECT_FALSE(pool.allocate(std::int64_t{1} << 62));
  EXPECT_FALSE(pool.allocate(std::int64_t{1} << 55));  // more addresses than there are
  EXPECT_EQ(pool.reserved(), 0);
}

TEST(Pool, AnAllocationMovesItsOwnership) {
  Pool pool;
  Allocation a = *pool.allocate(100);
  Allocation b = std::move(a);
  EXPECT_FALSE(a);  // NOLINT(bugprone-use-after-move): it has none from then on
  EXPECT_EQ(pool.in_use(), 128);
  b = Allocation();
  EXPECT_EQ(pool.in_use(), 0);
}

TEST(PoolDeathTest, AnAllocationThatOutlivesItsPoolIsABug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        std::optional<Allocation> allocation;
        Pool pool;
        allocation = pool.allocate(1);
        pool.~Pool();
      },
      "still in use");
}

#ifdef __SANITIZE_ADDRESS__
TEST(Pool, SanitizersSeeFreedBlocksAndTails) {
  Pool pool;
  for (std::int64_t bytes : {std::int64_t{1000}, 3 * kMiB - 100}) {
    auto allocation = pool.allocate(bytes);
    char* data = static_cast<char*>(allocation->data());
    EXPECT_FALSE(__asan_address_is_poisoned(data + bytes - 1));
    EXPECT_TRUE(__asan_address_is_poisoned(data + allocation->block_bytes() - 1));
    allocation.reset();
    EXPECT_TRUE(__asan_address_is_poisoned(data));
    allocation = pool.allocate(bytes - 10);
    ASSERT_EQ(allocation->data(), data);
    EXPECT_FALSE(__asan_address_is_poisoned(data));
  }
}
#endif

}  // namespace
}  // namespace pilum::memory
