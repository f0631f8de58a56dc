#include "scheduler/record/instruction_facts.h"

#include <gtest/gtest.h>

#include <array>

#include "scheduler/record/device_body.h"
#include "scheduler/record/host_body.h"
#include "tests/scheduler/instruction_of.h"

namespace pilum::scheduler {
namespace {

Copy copy_of(std::vector<std::int64_t> extents, std::size_t itemsize) {
  Copy copy;
  copy.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), copy.extent.begin());
  copy.itemsize = itemsize;
  return copy;
}

Launch launch_of(std::vector<std::int64_t> extents, std::vector<std::int64_t> chunk) {
  Launch launch;
  launch.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), launch.extent.begin());
  std::copy(chunk.begin(), chunk.end(), launch.chunk.begin());
  return launch;
}

struct ChunkCase {
  std::vector<std::int64_t> extent, chunk;
  std::int64_t count;
};

class CountChunks : public testing::TestWithParam<ChunkCase> {};

TEST_P(CountChunks, OfALaunchIsTheGridOfChunksRoundedUpAlongEachAxis) {
  EXPECT_EQ(count_chunks(of(launch_of(GetParam().extent, GetParam().chunk))), GetParam().count);
}

INSTANTIATE_TEST_SUITE_P(
    Grids, CountChunks,
    testing::Values(ChunkCase{{10}, {10}, 1}, ChunkCase{{10}, {11}, 1}, ChunkCase{{10}, {3}, 4}, ChunkCase{{1}, {1}, 1},
                    ChunkCase{{0}, {5}, 0}, ChunkCase{{10, 7}, {5, 7}, 2}, ChunkCase{{10, 7}, {3, 2}, 16},
                    ChunkCase{{2, 2, 2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1}, 256},
                    ChunkCase{{std::int64_t{1} << 61}, {std::int64_t{1} << 30}, std::int64_t{1} << 31},
                    ChunkCase{{(std::int64_t{1} << 61) + 1}, {std::int64_t{1} << 30}, (std::int64_t{1} << 31) + 1}));

TEST(CountChunks, OfACopyIsOneAMebibyteAndAtMostOneARow) {
  constexpr std::int64_t kMebibyte = 1 << 20;
  EXPECT_EQ(count_chunks(copy_of({100}, 8)), 1);
  EXPECT_EQ(count_chunks(copy_of({2 * kMebibyte - 1}, 1)), 1) << "no part of one";
  EXPECT_EQ(count_chunks(copy_of({2 * kMebibyte}, 1)), 2);
  EXPECT_EQ(count_chunks(copy_of({64, kMebibyte}, 8)), 64) << "512 MiB of 64 rows";
  EXPECT_EQ(count_chunks(copy_of({1000, kMebibyte / 100}, 1)), 9);
  EXPECT_EQ(count_chunks(copy_of({1, 1000 * kMebibyte}, 1)), 1) << "rows are not cut";
  EXPECT_EQ(count_chunks(copy_of({0, 7}, 8)), 1);
  EXPECT_EQ(count_chunks(of(copy_of({64, kMebibyte}, 8))), 64);
}

TEST(CountChunks, OfWhatHasNoneIsOne) {
  for (const Instruction& instruction :
       {of(Send{}), of(Receive{}), of(FoldParts{}), of(Reshape{}), of(HostCall{}), of(Allocate{}), of(Free{})})
    EXPECT_EQ(count_chunks(instruction), 1);
}

TEST(CopyBytes, AreTheBoxesCells) {
  EXPECT_EQ(copy_of({3, 5}, 4).bytes(), 60);
  EXPECT_EQ(copy_of({3, 0}, 4).bytes(), 0);
  EXPECT_EQ(copy_of({std::int64_t{1} << 58}, 8).bytes(), std::int64_t{1} << 61);
}

TEST(BytesTouched, OfACopyAreReadAndWritten) {
  EXPECT_EQ(bytes_touched(of(copy_of({3, 5}, 4))), 120);
}

TEST(BytesTouched, OfALaunchAreEachArraysCellForEachPoint) {
  Launch launch = launch_of({10, 6}, {10, 6});
  auto kernel = std::make_shared<kernel::Kernel>();
  kernel->arrays = {{.dtype = DType::Float64}, {.dtype = DType::Float32}, {.dtype = DType::Bool}};
  launch.code = KernelCode{.kernel = kernel};
  EXPECT_EQ(bytes_touched(of(launch)), 60 * (8 + 4 + 1));
  launch.rank = 1;
  EXPECT_EQ(bytes_touched(of(launch)), 10 * 13) << "axes beyond the rank do not count";
}

TEST(BytesTouched, OfWhatUsersWroteAreMuch) {
  Launch launch = launch_of({4}, {4});
  launch.code = std::make_shared<const HostBody>();
  EXPECT_GE(bytes_touched(of(launch)), std::int64_t{1} << 30);
  EXPECT_EQ(bytes_touched(of(HostCall{})), bytes_touched(of(launch)));
}

TEST(BytesTouched, OfAFoldAreItsPartsAndItsResult) {
  FoldParts fold;
  fold.dtype = DType::Int32;
  fold.rank = 2;
  fold.extent = {3, 5};
  fold.part_count = 7;
  EXPECT_EQ(bytes_touched(of(fold)), 8 * 15 * 4);
  fold.part_count = 0;
  EXPECT_EQ(bytes_touched(of(fold)), 15 * 4) << "it only starts the cells";
}

TEST(BytesTouched, OfAReshapeAreThePointsThatItMovesTwice) {
  Reshape reshape;
  reshape.to_rank = 2;
  reshape.to_extent = {10, 10};
  reshape.lo = {2, 0};
  reshape.hi = {4, 7};
  reshape.itemsize = 8;
  EXPECT_EQ(bytes_touched(of(reshape)), 2 * 14 * 8);
}

TEST(BytesTouched, OfMessagesAndOfMemoryAreNone) {
  for (const Instruction& instruction :
       {of(Send{.bytes = 100}), of(Receive{.bytes = 100}), of(Allocate{AllocationId{1}, 4096, StoreId{1}}), of(Free{})})
    EXPECT_EQ(bytes_touched(instruction), 0);
}

TEST(RunsOnGpu, IsTrueOfKernelsCopiesFoldsAndReshapesAndOfBodiesThatGpusHave) {
  EXPECT_TRUE(runs_on_gpu(of(Launch{})));
  EXPECT_TRUE(runs_on_gpu(of(Copy{})));
  EXPECT_TRUE(runs_on_gpu(of(FoldParts{})));
  EXPECT_TRUE(runs_on_gpu(of(Reshape{})));
  for (const bool on_gpu : {false, true}) {
    Launch launch;
    launch.code = std::make_shared<const HostBody>();
    if (on_gpu) launch.code = std::make_shared<const DeviceBody>();
    EXPECT_EQ(runs_on_gpu(of(launch)), on_gpu);
  }
  for (const Instruction& instruction :
       {of(Send{}), of(Receive{}), of(HostCall{}), of(Allocate{}), of(Free{}), of(ReplayedPlan{})})
    EXPECT_FALSE(runs_on_gpu(instruction));
}

TEST(CountedItems, AreWhatTheRangeSaysWhenTheMessageIsPosted) {
  std::array<std::byte, 80> data{};
  std::array<std::int64_t, 2> range{3, 2};
  const Send send{1, {}, data.data(), data.size(), StoreId{0}, false, {range.data(), 8}};
  const Receive receive{1, {}, data.data(), data.size(), StoreId{0}, false, {range.data(), 4}};
  EXPECT_EQ(content_of(send).data(), data.data() + 24);
  EXPECT_EQ(content_of(send).size(), 16u);
  EXPECT_EQ(content_of(receive).data(), data.data() + 12);
  EXPECT_EQ(content_of(receive).size(), 8u);
  EXPECT_FALSE(has_no_items(of(send)));
  InstructionTotals planned, posted;
  count(of(send), planned);
  EXPECT_EQ(planned.messages_sent, 0);
  count_posted(of(send), posted);
  count_posted(of(receive), posted);
  EXPECT_EQ(posted.messages_sent, 1);
  EXPECT_EQ(posted.bytes_sent, 16);
  EXPECT_EQ(posted.bytes_received, 8);
  range[1] = 0;
  EXPECT_TRUE(has_no_items(of(send)));
  EXPECT_TRUE(has_no_items(of(receive)));
  count_posted(of(send), posted);
  EXPECT_EQ(posted.messages_sent, 1);
}

TEST(CountedItems, OfOtherMessagesAllBytesGo) {
  std::array<std::byte, 80> data{};
  const Send send{1, {}, data.data(), data.size(), StoreId{0}};
  EXPECT_EQ(content_of(send).size(), 80u);
  EXPECT_FALSE(has_no_items(of(send)));
  EXPECT_FALSE(has_no_items(of(Copy{})));
  InstructionTotals posted;
  count_posted(of(send), posted);
  EXPECT_EQ(posted.messages_sent, 0);
}

TEST(Plan, FindsItsInstructionsByKindInOrder) {
  Plan plan;
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{16}}) {
    plan.instructions.push_back(of(Send{.bytes = bytes}));
    plan.instructions.push_back(of(Copy{}));
  }
  ASSERT_EQ(plan.count<Send>(), 2u);
  EXPECT_EQ(plan.all<Send>()[0]->bytes, 8u);
  EXPECT_EQ(plan.all<Send>()[1]->bytes, 16u);
  EXPECT_EQ(plan.count<Receive>(), 0u);
  EXPECT_TRUE(Plan().all<Copy>().empty());
}

}  // namespace
}  // namespace pilum::scheduler
