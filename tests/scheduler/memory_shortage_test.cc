#include "scheduler/memory/memory_shortage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/memory/memory_sources.h"

namespace pilum::scheduler {
namespace {

using testing::HasSubstr;
using testing::Not;

class MemoryShortage : public testing::Test {
 protected:
  std::size_t left() const { return static_cast<std::size_t>(pool_.limit() - pool_.in_use()); }

  memory::Pool pool_{1 << 20};
  std::unique_ptr<MemorySource> source_ = make_pool_source(pool_);
  MemoryBook book_{*source_, [] { return InstructionId{1000}; }, [] {}};
};

// The arrays' own bytes leave room enough, and what their blocks are rounded up to does not.
TEST_F(MemoryShortage, WhatRoundingTakesIsNotLeft) {
  constexpr std::size_t kArray = 33000;  // in a block of 36,864
  for (int k = 0; k < 25; ++k) ASSERT_NE(book_.allocate(kArray), nullptr);
  constexpr std::size_t kMore = 150000;
  ASSERT_GT((1 << 20) - book_.in_use(), kMore) << "the arrays alone would leave enough";
  ASSERT_EQ(book_.allocate(kMore), nullptr);
  ASSERT_LT(left(), kMore);
  const std::string text = describe_shortage(book_, kMore);
  EXPECT_THAT(text, HasSubstr(human_bytes(25 * kArray) + " are in use, "));
  EXPECT_THAT(text,
              HasSubstr(human_bytes((1 << 20) - left() - 25 * kArray) + " more are lost to the rounding of sizes"));
  EXPECT_THAT(text, HasSubstr("and " + human_bytes(left()) + " of 1024.0 KiB are left"));
  EXPECT_THAT(text, Not(HasSubstr("messages")));
}

TEST_F(MemoryShortage, WhatMessagesStillReadIsNotLeft) {
  Block* sent = book_.allocate(384 << 10);
  const MemoryBook::NoReuse hold(book_);
  book_.free(sent);
  ASSERT_EQ(book_.allocate(700 << 10), nullptr);
  const std::string text = describe_shortage(book_, 700 << 10);
  EXPECT_THAT(text, HasSubstr("0 bytes are in use, 384.0 KiB more are freed but still read by messages in flight"));
  EXPECT_THAT(text, HasSubstr("and 640.0 KiB of 1024.0 KiB are left"));
}

TEST_F(MemoryShortage, BytesAreToldWhereRoundedFiguresWouldSayThatItFits) {
  ASSERT_NE(book_.allocate(512 << 10), nullptr);
  const std::size_t more = (512 << 10) + 1;
  ASSERT_EQ(book_.allocate(more), nullptr);
  EXPECT_THAT(describe_shortage(book_, more), HasSubstr("and 524288 bytes of 1024.0 KiB are left (524289 are needed)"));
}

// As under ulimit -v.
TEST_F(MemoryShortage, WhereEnoughIsLeftTheSystemGivesNoMore) {
  EXPECT_THAT(describe_shortage(book_, 1000), HasSubstr("0 bytes are in use; 1024.0 KiB of 1024.0 KiB are left, "
                                                        "but the system refuses to give more (ulimit -v"));
}

TEST_F(MemoryShortage, WithoutALimitThereIsNoMore) {
  memory::Pool pool;
  const std::unique_ptr<MemorySource> source = make_pool_source(pool);
  MemoryBook book(*source, [] { return InstructionId{0}; }, [] {});
  Block* block = book.allocate(20480);
  EXPECT_EQ(describe_shortage(book, 1000), "20.0 KiB are in use, and there is no more");
  book.free(block);
}

TEST(HumanBytes, TakesTheNextUnitFromTenOfItOn) {
  constexpr std::size_t kKibi = 1024, kMebi = kKibi * kKibi, kGibi = kMebi * kKibi;
  const std::pair<std::size_t, const char*> texts[] = {{0, "0 bytes"},
                                                       {1, "1 bytes"},
                                                       {10 * kKibi - 1, "10239 bytes"},
                                                       {10 * kKibi, "10.0 KiB"},
                                                       {117 * kKibi + 40, "117.0 KiB"},
                                                       {10 * kMebi - 1, "10240.0 KiB"},
                                                       {10 * kMebi, "10.0 MiB"},
                                                       {12 * kMebi + kMebi / 2, "12.5 MiB"},
                                                       {10 * kGibi, "10.0 GiB"},
                                                       {std::size_t{1} << 62, "4294967296.0 GiB"}};
  for (const auto& [bytes, text] : texts) EXPECT_EQ(human_bytes(bytes), text);
}

}  // namespace
}  // namespace pilum::scheduler
