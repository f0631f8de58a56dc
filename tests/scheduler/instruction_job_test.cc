#include "scheduler/execute/instruction_job.h"

#include "scheduler/record/instruction_facts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "runtime/kernel/ir/builder.h"
#include "tests/scheduler/instruction_of.h"

namespace pilum::scheduler {
namespace {

// Chunks may run in any order: here backwards.
void run_all(const Instruction& instruction) {
  for (std::int64_t chunk = count_chunks(instruction); chunk-- > 0;) run_chunk(instruction, chunk);
}

// A box somewhere in a buffer, its pitches padded or backwards.
struct BoxOfCells {
  std::vector<std::byte> memory;
  Strided strided;
};

BoxOfCells random_box(std::mt19937& random, int rank, const Extents& extent, std::size_t itemsize) {
  BoxOfCells box;
  std::int64_t pitch = static_cast<std::int64_t>(itemsize);
  std::int64_t origin = 0;
  for (int axis = rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (random() % 3 == 0) pitch *= 1 + static_cast<std::int64_t>(random() % 3);
    const bool backwards = random() % 4 == 0;
    box.strided.pitch[a] = backwards ? -pitch : pitch;
    if (backwards) origin += pitch * (extent[a] - 1);
    pitch *= extent[a];
  }
  box.memory.resize(static_cast<std::size_t>(pitch) + 64);
  for (std::byte& byte : box.memory) byte = static_cast<std::byte>(random());
  box.strided.data = box.memory.data() + origin;
  return box;
}

std::int64_t offset_of(const Strided& box, const Extents& point, int rank) {
  std::int64_t offset = 0;
  for (std::size_t a = 0; a < static_cast<std::size_t>(rank); ++a) offset += point[a] * box.pitch[a];
  return offset;
}

void for_each_point(const Extents& extent, int rank, const std::function<void(const Extents&)>& visit) {
  Extents point{};
  while (true) {
    visit(point);
    int axis = rank - 1;
    while (axis >= 0 && ++point[static_cast<std::size_t>(axis)] == extent[static_cast<std::size_t>(axis)])
      point[static_cast<std::size_t>(axis--)] = 0;
    if (axis < 0) return;
  }
}

class CopyJob : public testing::TestWithParam<unsigned> {};

TEST_P(CopyJob, MovesTheCellsOfTheBoxAndNoOthers) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  std::mt19937 random(GetParam());
  for (int round = 0; round < 100; ++round) {
    Copy copy;
    copy.rank = 1 + static_cast<int>(random() % 3);
    copy.itemsize = std::size_t{1} << random() % 4;
    for (std::size_t a = 0; a < static_cast<std::size_t>(copy.rank); ++a)
      copy.extent[a] = 1 + static_cast<std::int64_t>(random() % 7);
    const BoxOfCells from = random_box(random, copy.rank, copy.extent, copy.itemsize);
    BoxOfCells to = random_box(random, copy.rank, copy.extent, copy.itemsize);
    copy.from = from.strided;
    copy.to = to.strided;
    std::vector<std::byte> expected = to.memory;
    const std::ptrdiff_t origin = to.strided.data - to.memory.data();
    for_each_point(copy.extent, copy.rank, [&](const Extents& point) {
      std::memcpy(expected.data() + origin + offset_of(copy.to, point, copy.rank),
                  copy.from.data + offset_of(copy.from, point, copy.rank), copy.itemsize);
    });
    run_all(of(copy));
    ASSERT_EQ(to.memory, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CopyJob, testing::Values(1u, 2u, 3u, 4u));

TEST(CopyJob, ALargeCopyIsRunInChunksThatCoverIt) {
  std::vector<double> from(1000003), to(1000003, -1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i);
  Copy copy{
      {reinterpret_cast<std::byte*>(from.data()), {8}}, {reinterpret_cast<std::byte*>(to.data()), {8}}, 1, {1000003}};
  EXPECT_EQ(count_chunks(of(copy)), 7);
  run_all(of(copy));
  EXPECT_EQ(to, from);
}

TEST(CopyJob, AWideBoxOfOneRowIsOneChunk) {
  std::vector<double> from(400000, 1.0), to(400000);
  Copy copy{{reinterpret_cast<std::byte*>(from.data()), {3200000, 8}},
            {reinterpret_cast<std::byte*>(to.data()), {3200000, 8}},
            2,
            {1, 400000}};
  EXPECT_EQ(count_chunks(of(copy)), 1);
  run_all(of(copy));
  EXPECT_EQ(to, from);
}

TEST(CopyJob, CountsItsBytes) {
  Copy copy;
  copy.rank = 2;
  copy.extent = {3, 5};
  copy.itemsize = 4;
  EXPECT_EQ(copy.bytes(), 60);
}

template <class T>
std::vector<T> fold(kernel::Fold kind, bool start, std::vector<T> to, const std::vector<T>& parts) {
  FoldParts fold;
  fold.fold = kind;
  fold.dtype = dtype_of<T>;
  fold.start = start;
  fold.parts = reinterpret_cast<const std::byte*>(parts.data());
  fold.part_count = static_cast<std::int64_t>(parts.size() / to.size());
  fold.to = {reinterpret_cast<std::byte*>(to.data()), {static_cast<std::int64_t>(sizeof(T))}};
  fold.extent = {static_cast<std::int64_t>(to.size())};
  run_all(of(fold));
  return to;
}

TEST(FoldJob, FoldsPartsOntoWhatIsThere) {
  EXPECT_EQ(fold<std::int64_t>(kernel::Fold::Sum, false, {1, 2}, {10, 20, 100, 200}),
            (std::vector<std::int64_t>{111, 222}));
  EXPECT_EQ(fold<double>(kernel::Fold::Maximum, false, {5, 5}, {1, 9, 2, 3}), (std::vector<double>{5, 9}));
}

TEST(FoldJob, StartsFromTheIdentity) {
  EXPECT_EQ(fold<std::int32_t>(kernel::Fold::Product, true, {99}, {2, 3, 4}), (std::vector<std::int32_t>{24}));
  EXPECT_EQ(fold<double>(kernel::Fold::Minimum, true, {-99}, {2, 3}), (std::vector<double>{2}));
}

TEST(FoldJob, WithoutPartsGivesTheIdentity) {
  const std::vector<double> sum = fold<double>(kernel::Fold::Sum, true, {99.0}, {});
  EXPECT_EQ(sum[0], 0.0);
  EXPECT_TRUE(std::signbit(sum[0]));
  EXPECT_EQ(fold<float>(kernel::Fold::Maximum, true, {1}, {})[0], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(fold<std::int64_t>(kernel::Fold::Minimum, true, {1}, {})[0], std::numeric_limits<std::int64_t>::max());
}

TEST(FoldJob, GoesFromTheFirstPartToTheLast) {
  const double large = 1e16;  // 1e16 + 1 rounds to 1e16
  EXPECT_EQ(fold<double>(kernel::Fold::Sum, false, {large}, {1.0, 1.0})[0], large);
  EXPECT_EQ(fold<double>(kernel::Fold::Sum, false, {1.0}, {1.0, large})[0], large + 2);
}

TEST(FoldJob, IntegersWrap) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(fold<std::int64_t>(kernel::Fold::Sum, false, {kMost}, {1})[0], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(fold<std::int32_t>(kernel::Fold::Product, false, {1 << 30}, {4})[0], 0);
}

TEST(FoldJob, ANanStays) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto kind : {kernel::Fold::Minimum, kernel::Fold::Maximum}) {
    EXPECT_TRUE(std::isnan(fold<double>(kind, false, {nan}, {1.0, 2.0})[0]));
    EXPECT_TRUE(std::isnan(fold<double>(kind, false, {1.0}, {nan, 2.0})[0]));
    EXPECT_TRUE(std::isnan(fold<double>(kind, false, {1.0}, {2.0, nan})[0]));
  }
}

TEST(FoldJob, FoldsIntoABoxWithPaddedRows) {
  std::vector<double> to(2 * 5, 7.0);
  const std::vector<double> parts{1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60};
  FoldParts fold{kernel::Fold::Sum,
                 DType::Float64,
                 true,
                 reinterpret_cast<const std::byte*>(parts.data()),
                 2,
                 {reinterpret_cast<std::byte*>(to.data()), {40, 8}},
                 2,
                 {2, 3}};
  run_all(of(fold));
  EXPECT_EQ(to, (std::vector<double>{11, 22, 33, 7, 7, 44, 55, 66, 7, 7}));
}

// In place of a compiled kernel: adds 1 to each cell of its array, and marks the points it was called for.
class AddOne final : public jit::HostKernel {
 public:
  bool ready() const override { return true; }
  kernel::KernelFunction function() const override {
    return [](const kernel::KernelCall* call) {
      for (std::int64_t i = 0; i < call->extent[0]; ++i) {
        for (std::int64_t j = 0; j < call->extent[1]; ++j) {
          auto* cell = reinterpret_cast<double*>(call->arrays[0].base + i * call->arrays[0].stride[0] +
                                                 j * call->arrays[0].stride[1]);
          *cell += static_cast<double>(100 * (call->lo[0] + i) + call->lo[1] + j);
        }
      }
    };
  }
  const std::string& source() const override { return text_; }

 private:
  std::string text_;
};

TEST(LaunchJob, ChunksCoverEachPointOnce) {
  for (const Extents chunk : {Extents{1, 1}, Extents{2, 3}, Extents{5, 2}, Extents{7, 9}, Extents{3, 9}}) {
    std::vector<double> cells(7 * 12, 0.0);
    Launch launch;
    launch.code = KernelCode{.compiled = std::make_shared<AddOne>()};
    launch.rank = 2;
    launch.lo = {3, 4};
    launch.extent = {7, 9};
    launch.chunk = chunk;
    kernel::BoundArray array{};
    array.base = reinterpret_cast<char*>(cells.data());
    array.stride[0] = 12 * 8;
    array.stride[1] = 8;
    launch.arrays.push_back(array);
    launch.scalars = std::make_shared<const std::vector<std::uint64_t>>();
    run_all(of(launch));
    for (int i = 0; i < 7; ++i) {
      for (int j = 0; j < 12; ++j)
        EXPECT_EQ(cells[static_cast<std::size_t>(i * 12 + j)], j < 9 ? 100 * (3 + i) + 4 + j : 0);
    }
  }
}

TEST(LaunchJob, PartialResultsLieChunkAfterChunk) {
  std::vector<double> parts(4, 0.0);
  Launch launch;
  launch.code = KernelCode{.compiled = std::make_shared<AddOne>()};
  launch.rank = 2;
  launch.extent = {4, 1};
  launch.chunk = {1, 1};
  kernel::BoundArray array{};
  array.base = reinterpret_cast<char*>(parts.data());
  launch.arrays.push_back(array);
  launch.chunk_step = {8};
  launch.scalars = std::make_shared<const std::vector<std::uint64_t>>();
  run_all(of(launch));
  EXPECT_EQ(parts, (std::vector<double>{0, 100, 200, 300}));
}

// In place of a kernel that takes several calls: leaves of each how many stand in the same call, and its first point.
class NoteCalls final : public jit::HostKernel {
 public:
  bool ready() const override { return true; }
  kernel::KernelFunction function() const override {
    return [](const kernel::KernelCall* call) {
      for (std::int64_t c = 0; c <= call->more; ++c)
        *reinterpret_cast<double*>(call[c].arrays[0].base) =
            static_cast<double>(100 * (1 + call->more) + call[c].lo[0]);
    };
  }
  const std::string& source() const override { return text_; }

 private:
  std::string text_;
};

TEST(LaunchJob, OneCallTakesSeveralChunksAndTheLastOneWhatIsLeft) {
  std::vector<double> parts(7, 0.0);
  Launch launch;
  launch.code = KernelCode{.compiled = std::make_shared<NoteCalls>()};
  launch.rank = 1;
  launch.lo = {5};
  launch.extent = {13};
  launch.chunk = {2};
  launch.together = 4;
  kernel::BoundArray array{};
  array.base = reinterpret_cast<char*>(parts.data());
  launch.arrays.push_back(array);
  launch.chunk_step = {8};
  launch.scalars = std::make_shared<const std::vector<std::uint64_t>>();
  EXPECT_EQ(count_chunks(of(launch)), 2);
  run_all(of(launch));
  EXPECT_EQ(parts, (std::vector<double>{405, 407, 409, 411, 313, 315, 317}));
}

}  // namespace
}  // namespace pilum::scheduler
