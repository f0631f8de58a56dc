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
  const MemoryBook::Hold hold(book_);
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

}  // namespace
}  // namespace pilum::scheduler
