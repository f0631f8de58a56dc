#include "runtime/base/record_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace pilum {
namespace {

struct PooledRecord {
  std::array<std::byte, 100> bytes;
};
using TestedPool = RecordPool<PooledRecord>;

TEST(RecordPool, GivesWhatItWasGivenTheLatestFirst) {
  std::thread([] {
    std::vector<void*> blocks;
    for (int i = 0; i < 10; ++i) blocks.push_back(i % 2 ? TestedPool::take() : TestedPool::try_take());
    EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), 10u);
    for (void* block : blocks) std::memset(block, 1, sizeof(PooledRecord));
    for (void* block : blocks) TestedPool::give(block);
#ifndef PILUM_SANITIZE
    EXPECT_EQ(TestedPool::count(), 10u);
    for (std::size_t i = blocks.size(); i-- > 0;)
      EXPECT_EQ(i % 2 ? TestedPool::take() : TestedPool::try_take(), blocks[i]);
    for (void* block : blocks) TestedPool::give(block);
#else
    EXPECT_EQ(TestedPool::count(), 0u);
#endif
  }).join();
}

TEST(RecordPool, KeepsNoMoreThanItMayAndNothingOfAnotherThread) {
  std::vector<void*> blocks(TestedPool::kMost + 10);
  for (void*& block : blocks) block = TestedPool::take();
  std::thread([&blocks] {
    EXPECT_EQ(TestedPool::count(), 0u);
    for (void* block : blocks) TestedPool::give(block);
    EXPECT_LE(TestedPool::count(), TestedPool::kMost);
  }).join();
  EXPECT_EQ(TestedPool::count(), 0u);
}

// A thread's own objects may end after the pool has given all back.
TEST(RecordPool, WhatComesAfterTheThreadsEndGoesToTheHeap) {
  struct Late {
    ~Late() { TestedPool::give(block); }
    void* block = TestedPool::take();
  };
  std::thread([] {
    static thread_local const Late late;
    EXPECT_NE(late.block, nullptr);
    TestedPool::give(TestedPool::take());
  }).join();
}

}  // namespace
}  // namespace pilum
