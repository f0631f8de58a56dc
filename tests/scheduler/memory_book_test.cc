#include "scheduler/memory/memory_book.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

// Has `limit` bytes, and says who gave back what was not taken.
class LimitedSource final : public MemorySource {
 public:
  explicit LimitedSource(std::size_t limit) : limit_(limit) {}
  ~LimitedSource() override { EXPECT_TRUE(out_.empty()) << out_.size() << " blocks were not given back"; }
  std::byte* allocate(std::size_t bytes, std::size_t& taken) override {
    taken = bytes;
    if (taken_ + bytes > limit_) return nullptr;
    taken_ += bytes;
    next_ += 1 << 20;
    auto* data = reinterpret_cast<std::byte*>(next_);
    out_[data] = bytes;
    return data;
  }
  void release(std::byte* data, std::size_t bytes) override {
    EXPECT_EQ(out_.count(data), 1u);
    EXPECT_EQ(out_[data], bytes);
    taken_ -= bytes;
    out_.erase(data);
  }
  MemoryRoom room() const override { return {taken_, limit_}; }
  std::size_t taken() const { return taken_; }

 private:
  std::size_t limit_, taken_ = 0;
  std::uintptr_t next_ = 1 << 20;
  std::map<std::byte*, std::size_t> out_;
};

class MemoryBookTest : public testing::Test {
 protected:
  explicit MemoryBookTest(std::size_t limit = 1000000) : source_(limit) {}
  // An instruction that writes all of the block.
  void touch(Block* block, int by) {
    std::vector<InstructionId> after;
    block->log.write(Rect::of({0}, {10}), InstructionId{by}, done_, after);
  }
  void touch_cell(Block* block, int by) {
    std::vector<InstructionId> after;
    block->log.write(Rect::of({by}, {by + 1}), InstructionId{by}, done_, after);
  }
  LimitedSource source_;
  InstructionId done_{0};
  int waits_ = 0;
  MemoryBook book_{source_, [this] { return done_; },
                   [this] {
                     ++waits_;
                     done_ = InstructionId{1000};
                   }};
};

// Each that touches it would come after each of them: with six thousand on both sides a plan took 40 s.
TEST_F(MemoryBookTest, ABlockWithHundredsOfFormerUsersIsGivenAgainWhenTheyAreDone) {
  Block* first = book_.allocate(10000);
  for (int by = 0; by < 300; ++by) touch_cell(first, by);
  book_.free(first);
  Block* second = book_.allocate(10000);
  EXPECT_NE(second, first);
  done_ = InstructionId{300};
  EXPECT_EQ(book_.allocate(10000), first);
}

TEST_F(MemoryBookTest, ABlockWithHundredsOfFormerUsersIsGivenAgainWhereThereIsNoOther) {
  Block* first = book_.allocate(600000);
  for (int by = 0; by < 300; ++by) touch_cell(first, by);
  book_.free(first);
  EXPECT_EQ(book_.allocate(600000), first);
  EXPECT_EQ(waits_, 0);
}

TEST_F(MemoryBookTest, AFreedBlockServesTheNextRequestOfItsSize) {
  Block* first = book_.allocate(10000);
  std::byte* data = first->data;
  const AllocationId id = first->id;
  book_.free(first);
  Block* second = book_.allocate(10000);
  EXPECT_EQ(second->data, data);
  EXPECT_NE(second->id, id);
  EXPECT_EQ(book_.allocations(), 1);
}

TEST_F(MemoryBookTest, WhoGetsAFreedBlockComesAfterItsFormerUsers) {
  Block* first = book_.allocate(10000);
  touch(first, 7);
  book_.free(first);
  Block* second = book_.allocate(10000);
  std::vector<InstructionId> after;
  second->log.write(Rect::of({50}, {60}), InstructionId{8}, done_, after);
  EXPECT_EQ(after, (std::vector{InstructionId{7}}));
}

TEST_F(MemoryBookTest, SmallBlocksAreNotGivenAgainWhileTheyAreKeptApart) {
  Block *first = nullptr, *second = nullptr;
  {
    const MemoryBook::SmallApart apart(book_);
    first = book_.allocate(8);
    book_.free(first);
    second = book_.allocate(8);
    EXPECT_NE(second, first);
    book_.free(second);
    Block* large = book_.allocate(10000);
    book_.free(large);
    EXPECT_EQ(book_.allocate(10000), large);
  }
  // In the order in which they were given: plans that are alike find them in the same places.
  EXPECT_EQ(book_.allocate(8), first);
  EXPECT_EQ(book_.allocate(8), second);
}

TEST_F(MemoryBookTest, SmallBlocksThatAreKeptApartAreGivenAgainWhereThereIsNoOther) {
  const MemoryBook::SmallApart apart(book_);
  Block* first = book_.allocate(64);
  book_.free(first);
  Block* all = book_.allocate(1000000 - 64);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(book_.allocate(64), first);
}

TEST_F(MemoryBookTest, ABlockMuchTooLargeIsNotGivenAway) {
  Block* large = book_.allocate(100000);
  book_.free(large);
  Block* small = book_.allocate(10000);
  EXPECT_NE(small->data, large->data);
  EXPECT_EQ(book_.reserved(), 110000u);
}

TEST_F(MemoryBookTest, ABlockALittleTooLargeIs) {
  Block* block = book_.allocate(11000);
  std::byte* data = block->data;
  book_.free(block);
  EXPECT_EQ(book_.allocate(10000)->data, data);
}

TEST_F(MemoryBookTest, ABlockTooSmallIsNeverGivenAway) {
  book_.free(book_.allocate(9999));
  EXPECT_GE(book_.allocate(10000)->bytes, 10000u);
}

TEST_F(MemoryBookTest, TheBestFitIsTaken) {
  Block* wide = book_.allocate(12000);
  Block* tight = book_.allocate(10100);
  std::byte* data = tight->data;
  book_.free(tight);
  book_.free(wide);
  EXPECT_EQ(book_.allocate(10000)->data, data);
}

TEST_F(MemoryBookTest, TrimGivesBackWhatNoInstructionUses) {
  Block* busy = book_.allocate(10000);
  Block* idle = book_.allocate(20000);
  touch(busy, 5);
  touch(idle, 3);
  book_.free(busy);
  book_.free(idle);
  done_ = InstructionId{4};
  book_.trim();
  EXPECT_EQ(source_.taken(), 10000u);
  EXPECT_EQ(book_.reserved(), 10000u);
  done_ = InstructionId{6};
  book_.trim();
  EXPECT_EQ(book_.reserved(), 0u);
}

TEST_F(MemoryBookTest, CountsWhatIsInUseHeldAndThePeak) {
  Block* a = book_.allocate(10000);
  Block* b = book_.allocate(20000);
  EXPECT_EQ(book_.in_use(), 30000u);
  book_.free(a);
  EXPECT_EQ(book_.in_use(), 20000u);
  EXPECT_EQ(book_.reserved(), 30000u);
  book_.free(b);
  book_.trim();
  EXPECT_EQ(book_.reserved(), 0u);
  EXPECT_EQ(book_.peak(), 30000u);
}

TEST_F(MemoryBookTest, ManyFreedBlocksAreNotKept) {
  std::vector<Block*> blocks;
  for (int i = 0; i < 200; ++i) blocks.push_back(book_.allocate(100 + static_cast<std::size_t>(i) * 10));
  for (Block* block : blocks) book_.free(block);
  EXPECT_LT(book_.reserved(), 64u * 2100u + 1);
  EXPECT_EQ(book_.in_use(), 0u);
  EXPECT_EQ(waits_, 0);
}

TEST_F(MemoryBookTest, WhereThereIsNoneLeftFreedBlocksGoFirst) {
  book_.free(book_.allocate(900000));  // much larger than what follows
  EXPECT_NE(book_.allocate(200000), nullptr);
  EXPECT_EQ(waits_, 0);  // nobody used it
  EXPECT_EQ(book_.reserved(), 200000u);
}

TEST_F(MemoryBookTest, WhereFreedBlocksAreStillInUseTheWorkIsWaitedFor) {
  Block* large = book_.allocate(900000);
  touch(large, 5);
  book_.free(large);
  EXPECT_NE(book_.allocate(200000), nullptr);
  EXPECT_EQ(waits_, 1);
}

TEST_F(MemoryBookTest, NothingIsGivenWhenNothingIsLeft) {
  Block* large = book_.allocate(900000);
  EXPECT_EQ(book_.allocate(200000), nullptr);
  EXPECT_EQ(book_.in_use(), 900000u);
  book_.free(large);
  EXPECT_NE(book_.allocate(200000), nullptr);
}

TEST_F(MemoryBookTest, SmallRequestsAreServedByBlocksOfAPageHoweverLarge) {
  Block* page = book_.allocate(4096);
  std::byte* const data = page->data;
  book_.free(page);
  EXPECT_EQ(book_.allocate(1)->data, data);
  EXPECT_EQ(book_.in_use(), 4096u) << "the block's bytes, not those asked for";
  Block* more = book_.allocate(4097);
  book_.free(more);
  EXPECT_NE(book_.allocate(64)->data, more->data) << "of more than a page waste matters";
}

TEST_F(MemoryBookTest, NoBytesAreServedLikeSixtyFour) {
  EXPECT_EQ(book_.allocate(0)->bytes, 64u);
  EXPECT_EQ(book_.in_use(), 64u);
}

// --- holds

TEST_F(MemoryBookTest, WhatIsFreedInAHoldIsGivenOutAfterItsEnd) {
  Block* sent = book_.allocate(10000);
  std::byte* const data = sent->data;
  {
    const MemoryBook::NoReuse outer(book_);
    {
      const MemoryBook::NoReuse inner(book_);
      book_.free(sent);
      EXPECT_NE(book_.allocate(10000)->data, data);
    }
    EXPECT_NE(book_.allocate(10000)->data, data) << "the outer one still lives";
    EXPECT_EQ(book_.in_use(), 20000u);
    EXPECT_EQ(book_.reserved(), 30000u);
  }
  EXPECT_EQ(book_.allocate(10000)->data, data);
}

TEST_F(MemoryBookTest, AHoldKeepsNothingThatWasFreedBefore) {
  Block* before = book_.allocate(10000);
  std::byte* const data = before->data;
  book_.free(before);
  const MemoryBook::NoReuse hold(book_);
  EXPECT_EQ(book_.allocate(10000)->data, data);
}

// --- blocks that leave the book

TEST_F(MemoryBookTest, ADetachedBlocksBytesStayCountedUntilItComesBackAndIsFreed) {
  Block* first = book_.allocate(10000);
  Block* second = book_.allocate(20000);
  std::byte* const data = first->data;
  const std::size_t taken = first->taken;
  book_.detach(first);
  EXPECT_EQ(book_.in_use(), 30000u);
  EXPECT_EQ(book_.reserved(), 30000u);
  book_.free(second);  // it took the other one's place in the list
  book_.trim();
  EXPECT_EQ(book_.reserved(), 10000u);
  Block* back = book_.adopt(data, 10000, taken);
  EXPECT_EQ(back->book, &book_);
  EXPECT_EQ(book_.in_use(), 10000u);
  book_.free(back);
  book_.trim();
  EXPECT_EQ(book_.reserved(), 0u);
  EXPECT_EQ(source_.taken(), 0u);
}

// --- plans that are undone

TEST_F(MemoryBookTest, WhatAPlanThatMayBeUndoneFreesIsNotGivenBack) {
  Block* old = book_.allocate(10000);
  book_.keep_freed(true);
  book_.free(old);
  EXPECT_EQ(book_.freed_in_plan(), 10000u);
  book_.trim();
  EXPECT_EQ(book_.reserved(), 10000u);
  EXPECT_EQ(book_.allocate(995000), nullptr) << "not for a larger one either";
  book_.keep_freed(false);
  EXPECT_EQ(book_.freed_in_plan(), 0u);
  EXPECT_NE(book_.allocate(995000), nullptr);
}

TEST_F(MemoryBookTest, FreedInAPlanIsWhatInstructionsStillTouch) {
  Block* busy = book_.allocate(10000);
  Block* idle = book_.allocate(20000);
  touch(busy, 5);
  book_.free(busy);
  book_.free(idle);
  EXPECT_EQ(book_.freed_in_plan(), 10000u);
  done_ = InstructionId{6};
  EXPECT_EQ(book_.freed_in_plan(), 0u);
}

TEST_F(MemoryBookTest, UndoneTheSameBlocksAreInUseAndNobodyTouchesThem) {
  Block* kept = book_.allocate(10000);
  Block* freed = book_.allocate(20000);
  const std::unordered_set<const Block*> before{kept, freed};
  book_.keep_freed(true);
  touch(kept, 7);
  book_.free(freed);
  Block* made = book_.allocate(30000);
  std::byte* const data = made->data;
  {
    const MemoryBook::NoReuse hold(book_);
    book_.free(book_.allocate(40000));
  }
  book_.keep_freed(false);
  book_.undo(before);
  EXPECT_EQ(book_.in_use(), 30000u);
  EXPECT_TRUE(kept->log.idle(InstructionId{0}));
  EXPECT_EQ(book_.allocate(30000)->data, data) << "what the plan had taken is free";
  book_.free(freed);
  book_.free(kept);
  EXPECT_EQ(book_.in_use(), 30000u);
}

// --- a long life, beside a list of what is out

TEST(MemoryBookRandom, CountsWhatIsOutAndGivesNoMemoryTwice) {
  for_each_seed(30, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
    LimitedSource source(300000);
    std::int64_t now = 0, done = 0;
    MemoryBook book(source, [&] { return InstructionId{done}; }, [&] { done = now; });
    std::vector<Block*> out;
    std::map<std::byte*, std::size_t> detached;
    std::size_t peak = 0;
    for (int step = 0; step < 400; ++step) {
      switch (pick(8)) {
        case 0:
        case 1:
        case 2: {
          const std::size_t bytes = pick(2) ? pick(200) : pick(60000);
          Block* block = book.allocate(bytes);
          if (!block) {
            EXPECT_GT(book.in_use() + std::max<std::size_t>(bytes, 64), 300000u - 60000u);
            break;
          }
          EXPECT_GE(block->bytes, std::max<std::size_t>(bytes, 64));
          EXPECT_TRUE(block->bytes <= 4096 || static_cast<double>(block->bytes) <= 1.25 * static_cast<double>(bytes));
          for (const Block* other : out) ASSERT_NE(other->data, block->data);
          ASSERT_FALSE(detached.contains(block->data));
          out.push_back(block);
          std::vector<InstructionId> after;
          block->log.write(Rect::of({0}, {1}), InstructionId{now++}, InstructionId{done}, after);
          break;
        }
        case 3:
        case 4:
        case 5: {
          if (out.empty()) break;
          const std::size_t which = pick(out.size());
          book.free(out[which]);
          out.erase(out.begin() + static_cast<std::ptrdiff_t>(which));
          break;
        }
        case 6: {
          done = static_cast<std::int64_t>(pick(static_cast<std::size_t>(now) + 1));
          book.trim();
          break;
        }
        default:
          if (!detached.empty()) {
            const auto [data, bytes] = *detached.begin();
            detached.erase(detached.begin());
            out.push_back(book.adopt(data, bytes, bytes));
          } else if (!out.empty()) {
            detached[out.back()->data] = out.back()->bytes;
            book.detach(out.back());
            out.pop_back();
          }
      }
      std::size_t in_use = 0;
      for (const Block* block : out) in_use += block->bytes;
      for (const auto& [data, bytes] : detached) in_use += bytes;
      peak = std::max(peak, source.taken());
      ASSERT_EQ(book.in_use(), in_use);
      ASSERT_EQ(book.reserved(), source.taken());
      ASSERT_EQ(book.peak(), peak);
    }
    for (const auto& [data, bytes] : detached) out.push_back(book.adopt(data, bytes, bytes));
    for (Block* block : out) book.free(block);
    EXPECT_EQ(book.in_use(), 0u);
    done = now;
    book.trim();
    EXPECT_EQ(source.taken(), 0u);
  });
}

}  // namespace
}  // namespace pilum::scheduler
