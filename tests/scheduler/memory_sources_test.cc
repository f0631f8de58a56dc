#include "scheduler/memory/memory_sources.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/fakes/emulated_gpu.h"

namespace pilum::scheduler {
namespace {

constexpr std::size_t kMebibyte = 1 << 20;

struct Given {
  std::byte* data = nullptr;
  std::size_t taken = 0;
};
Given take(MemorySource& source, std::size_t bytes) {
  Given given;
  given.data = source.allocate(bytes, given.taken);
  return given;
}

// --- of the host's pool

TEST(PoolSource, CountsWhatBlocksReallyTake) {
  memory::Pool pool;
  const std::unique_ptr<MemorySource> source = make_pool_source(pool);
  const Given given = take(*source, 33000);
  ASSERT_NE(given.data, nullptr);
  EXPECT_EQ(given.taken, 36864u) << "an eighth of a power of two";
  EXPECT_EQ(source->room().taken, 36864u);
  EXPECT_EQ(source->room().limit, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(given.data) % 64, 0u);
  source->release(given.data, given.taken);
  EXPECT_EQ(source->room().taken, 0u);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST(PoolSource, GivesNothingBeyondItsLimitAndGoesOn) {
  memory::Pool pool(kMebibyte);
  const std::unique_ptr<MemorySource> source = make_pool_source(pool);
  const Given first = take(*source, 800000);
  ASSERT_NE(first.data, nullptr);
  EXPECT_EQ(take(*source, 400000).data, nullptr);
  const Given second = take(*source, 1000);
  EXPECT_NE(second.data, nullptr);
  EXPECT_EQ(source->room().limit, kMebibyte);
  source->release(first.data, first.taken);
  source->release(second.data, second.taken);
  EXPECT_EQ(source->room().taken, 0u);
}

// --- of GPUs

class GpuSources : public testing::Test {
 protected:
  static std::unique_ptr<fakes::EmulatedGpu> make_gpu(std::size_t memory) {
    fakes::EmulatedGpuOptions options;
    options.run = false;
    options.memory_limit = memory;
    return fakes::make_emulated_gpu(options);
  }
  std::unique_ptr<fakes::EmulatedGpu> gpu_ = make_gpu(8 * kMebibyte);
};

TEST_F(GpuSources, TheLimitIsOfWhatIsTakenAtOnce) {
  const std::unique_ptr<MemorySource> source = make_gpu_source(*gpu_, 3000);
  const Given first = take(*source, 2000);
  ASSERT_NE(first.data, nullptr);
  EXPECT_EQ(first.taken, 2000u);
  EXPECT_EQ(take(*source, 1001).data, nullptr);
  const Given second = take(*source, 1000);
  EXPECT_NE(second.data, nullptr) << "to the last byte";
  EXPECT_EQ(source->room().taken, 3000u);
  EXPECT_EQ(source->room().limit, 3000u);
  EXPECT_EQ(gpu_->used_bytes(), 3000u);
  source->release(first.data, first.taken);
  EXPECT_EQ(source->room().taken, 1000u);
  const Given third = take(*source, 2000);
  EXPECT_NE(third.data, nullptr);
  source->release(second.data, second.taken);
  source->release(third.data, third.taken);
  EXPECT_EQ(source->room().taken, 0u);
  EXPECT_NE(take(*source, 3000).data, nullptr) << "what is kept goes";
}

TEST_F(GpuSources, WhatIsGivenBackServesThoseWhoWantAlmostAsMuch) {
  {
    const std::unique_ptr<MemorySource> source = make_gpu_source(*gpu_, 0);
    const Given first = take(*source, 1000), second = take(*source, 600);
    source->release(first.data, first.taken);
    source->release(second.data, second.taken);
    const Given more = take(*source, 900);
    EXPECT_EQ(more.data, first.data);
    EXPECT_EQ(more.taken, 1000u);
    const Given less = take(*source, 470);  // 600 is more than a quarter more
    EXPECT_EQ(less.taken, 470u);            // the address may be the same, given back and taken anew
    EXPECT_LE(gpu_->used_bytes(), 1600u) << "never more than was in use at once";
    source->release(more.data, more.taken);
    source->release(less.data, less.taken);
  }
  EXPECT_EQ(gpu_->used_bytes(), 0u);
}

TEST_F(GpuSources, AFullGpuTakesBackWhatIsKept) {
  const std::unique_ptr<MemorySource> source = make_gpu_source(*gpu_, 0);
  const Given first = take(*source, 3 * kMebibyte), second = take(*source, 4 * kMebibyte);
  source->release(first.data, first.taken);
  source->release(second.data, second.taken);
  const Given whole = take(*source, 8 * kMebibyte);
  EXPECT_NE(whole.data, nullptr);
  source->release(whole.data, whole.taken);
}

TEST_F(GpuSources, RoundsOfTheSameSizesMakeTheirMemoryOnce) {
  const std::unique_ptr<MemorySource> source = make_gpu_source(*gpu_, 0);
  std::set<std::byte*> all;
  for (int round = 0; round < 5; ++round) {
    std::vector<Given> given;
    for (std::size_t i = 0; i < 100; ++i) given.push_back(take(*source, 1000 + 10 * i));
    for (const Given& one : given) all.insert(one.data);
    for (const Given& one : given) source->release(one.data, one.taken);
  }
  EXPECT_EQ(all.size(), 100u);
}

TEST_F(GpuSources, WithoutALimitTheGpuSaysWhenItIsFull) {
  const std::unique_ptr<MemorySource> source = make_gpu_source(*gpu_, 0);
  EXPECT_EQ(source->room().limit, 0u);
  EXPECT_EQ(take(*source, 9 * kMebibyte).data, nullptr);
  EXPECT_EQ(source->room().taken, 0u) << "what was refused is not taken";
  const Given given = take(*source, 7 * kMebibyte);
  EXPECT_NE(given.data, nullptr);
  source->release(given.data, given.taken);
}

TEST_F(GpuSources, PinnedMemoryIsNotTheGpus) {
  const std::unique_ptr<MemorySource> source = make_pinned_source(*gpu_, 5000);
  const Given given = take(*source, 4000);
  ASSERT_NE(given.data, nullptr);
  given.data[3999] = std::byte{7};  // of the host
  EXPECT_EQ(gpu_->used_bytes(), 0u);
  EXPECT_EQ(take(*source, 1001).data, nullptr);
  source->release(given.data, given.taken);
  EXPECT_EQ(source->room().taken, 0u);
}

TEST_F(GpuSources, WhatOtherProcessesMayHaveOpenStaysAndIsUsedAgainForItsSize) {
  const std::unique_ptr<MemorySource> source = make_shared_source(*gpu_);
  const Given small = take(*source, 100), large = take(*source, 3 * kMebibyte);
  ASSERT_TRUE(small.data && large.data);
  EXPECT_EQ(small.taken, 100u);
  EXPECT_EQ(source->room().taken, 2 * kMebibyte + 4 * kMebibyte) << "whole mappings";
  source->release(small.data, small.taken);
  source->release(large.data, large.taken);
  EXPECT_EQ(source->room().taken, 6 * kMebibyte) << "still there";
  EXPECT_EQ(gpu_->used_bytes(), 6 * kMebibyte);
  EXPECT_EQ(take(*source, 2 * kMebibyte + 1).data, large.data);
  EXPECT_EQ(take(*source, 2 * kMebibyte).data, small.data);
  EXPECT_EQ(source->room().taken, 6 * kMebibyte);
  const Given more = take(*source, 1);
  EXPECT_NE(more.data, nullptr);
  EXPECT_EQ(source->room().taken, 8 * kMebibyte);
  EXPECT_EQ(take(*source, 1).data, nullptr);
  EXPECT_EQ(source->room().taken, 8 * kMebibyte);
  for (std::byte* data : {large.data, small.data, more.data}) gpu_->release(data);  // as the GPU's end does
}

// --- of nobody's

TEST(LentSource, HasNone) {
  const std::unique_ptr<MemorySource> source = make_lent_source();
  EXPECT_EQ(take(*source, 1).data, nullptr);
  EXPECT_EQ(source->room().taken + source->room().limit, 0u);
  std::byte mine;
  source->release(&mine, 1);  // the program's own: nobody frees it
}

TEST(ImaginarySource, GivesAddressesThatDoNotMeetAndAreNeverGivenAgain) {
  const std::unique_ptr<MemorySource> source = make_imaginary_source(0);
  std::uintptr_t end = 0;
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{4096}, std::size_t{4097}, std::size_t{0}, std::size_t{1} << 45, std::size_t{64}}) {
    const Given given = take(*source, bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(given.data);
    ASSERT_NE(given.data, nullptr);
    EXPECT_EQ(given.taken, bytes);
    EXPECT_EQ(address % 4096, 0u);
    EXPECT_GE(address, end);
    end = address + bytes;
    source->release(given.data, given.taken);
  }
  EXPECT_EQ(source->room().limit, 0u);
}

TEST(ImaginarySource, OfTwoRanksGiveTheSameAddressesToTheSameRequests) {
  const std::unique_ptr<MemorySource> one = make_imaginary_source(0), other = make_imaginary_source(0);
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{5000}, std::size_t{9}})
    EXPECT_EQ(take(*one, bytes).data, take(*other, bytes).data);
}

}  // namespace
}  // namespace pilum::scheduler
