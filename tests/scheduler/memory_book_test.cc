#include "scheduler/memory/memory_book.h"

#include <gtest/gtest.h>

#include <map>

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
  LimitedSource source_;
  InstructionId done_{0};
  int waits_ = 0;
  MemoryBook book_{source_, [this] { return done_; },
                   [this] {
                     ++waits_;
                     done_ = InstructionId{1000};
                   }};
};

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

TEST_F(MemoryBookTest, ABlockMuchTooLargeIsNotGivenAway) {
  Block* large = book_.allocate(100000);
  book_.free(large);
  Block* small = book_.allocate(10000);
  EXPECT_NE(small->data, large->data);
  EXPECT_EQ(book_.held(), 110000u);
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
  EXPECT_EQ(book_.held(), 10000u);
  done_ = InstructionId{6};
  book_.trim();
  EXPECT_EQ(book_.held(), 0u);
}

TEST_F(MemoryBookTest, CountsWhatIsInUseHeldAndThePeak) {
  Block* a = book_.allocate(10000);
  Block* b = book_.allocate(20000);
  EXPECT_EQ(book_.in_use(), 30000u);
  book_.free(a);
  EXPECT_EQ(book_.in_use(), 20000u);
  EXPECT_EQ(book_.held(), 30000u);
  book_.free(b);
  book_.trim();
  EXPECT_EQ(book_.held(), 0u);
  EXPECT_EQ(book_.peak(), 30000u);
}

TEST_F(MemoryBookTest, ManyFreedBlocksAreNotKept) {
  std::vector<Block*> blocks;
  for (int i = 0; i < 200; ++i) blocks.push_back(book_.allocate(100 + static_cast<std::size_t>(i) * 10));
  for (Block* block : blocks) book_.free(block);
  EXPECT_LT(book_.held(), 64u * 2100u + 1);
  EXPECT_EQ(book_.in_use(), 0u);
  EXPECT_EQ(waits_, 0);
}

TEST_F(MemoryBookTest, WhereThereIsNoneLeftFreedBlocksGoFirst) {
  book_.free(book_.allocate(900000));  // much larger than what follows
  EXPECT_NE(book_.allocate(200000), nullptr);
  EXPECT_EQ(waits_, 0);  // nobody used it
  EXPECT_EQ(book_.held(), 200000u);
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

}  // namespace
}  // namespace pilum::scheduler
