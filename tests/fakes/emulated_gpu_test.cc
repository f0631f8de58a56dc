#include "tests/fakes/emulated_gpu.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/error.h"
#include "runtime/kernel/device/emit_device.h"
#include "runtime/kernel/ir/builder.h"

namespace pilum::fakes {
namespace {

using device::Event;
using device::Gpu;
using device::GpuFlag;
using device::GpuImage;
using device::Stream;
using testing::HasSubstr;

constexpr std::size_t kMemory = 1 << 20;

std::shared_ptr<const GpuImage> compile(const std::string& text) {
  return std::make_shared<const GpuImage>(make_emulated_compiler()->compile(text));
}

// cells[i] = cells[i] * 2 + 1
const std::shared_ptr<const GpuImage>& doubling() {
  static const auto image = compile(R"(
    struct Words { unsigned long w[2]; };
    extern "C" __global__ void __launch_bounds__(64) pilum_kernel(const Words words) {
      double* cells = (double*)words.w[0];
      const unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x;
      if (i < words.w[1]) cells[i] = cells[i] * 2 + 1;
    })");
  return image;
}

// sums[block] = sum of the block's cells, by halves; 64 threads a block. With `barrier` as the text for it.
std::string block_sums(const std::string& barrier) {
  return R"(
    struct Words { unsigned long w[2]; };
    extern "C" __global__ void pilum_kernel(const Words words) {
      const double* cells = (const double*)words.w[0];
      double* sums = (double*)words.w[1];
      __shared__ double part[64];
      const unsigned me = threadIdx.y * blockDim.x + threadIdx.x;
      part[me] = cells[blockIdx.x * 64 + me];
      for (unsigned half = 32; half; half /= 2) {
        )" +
         barrier + R"(
        if (me < half) part[me] += part[me + half];
      }
      if (me == 0) sums[blockIdx.x] = part[0];
    })";
}

struct Cells {
  double* data;
  std::size_t count;
  std::byte* bytes() const { return reinterpret_cast<std::byte*>(data); }
  std::uint64_t word() const { return reinterpret_cast<std::uint64_t>(data); }
};

Cells device_cells(Gpu& gpu, std::size_t count) {
  return {reinterpret_cast<double*>(gpu.allocate(count * sizeof(double))), count};
}

Cells pinned_cells(Gpu& gpu, std::size_t count, double first = 0) {
  const Cells cells{reinterpret_cast<double*>(gpu.allocate_pinned(count * sizeof(double))), count};
  std::iota(cells.data, cells.data + count, first);
  return cells;
}

void copy(Gpu& gpu, Stream stream, const Cells& to, const Cells& from) {
  gpu.copy(stream, {to.bytes(), from.bytes(), to.count * sizeof(double)});
}

void launch_doubling(Gpu& gpu, Stream stream, const Cells& cells) {
  const std::uint64_t words[] = {cells.word(), cells.count};
  gpu.launch(stream, {doubling(), {static_cast<std::uint32_t>((cells.count + 63) / 64), 1, 1}, {64, 1, 1}, words});
}

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const RuntimeError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(EmulatedGpu, RunsALaunchBetweenCopiesOfOneStream) {
  const auto gpu = make_emulated_gpu(0, 1, kMemory);
  const Cells host = pinned_cells(*gpu, 100), cells = device_cells(*gpu, 100);
  copy(*gpu, Stream::Compute, cells, host);
  launch_doubling(*gpu, Stream::Compute, cells);
  copy(*gpu, Stream::Compute, host, cells);
  EXPECT_EQ(host.data[99], 99) << "nothing runs at the call";
  const Event event = gpu->record_event(Stream::Compute);
  while (!gpu->completed(event)) {
  }
  EXPECT_TRUE(gpu->completed(event));
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(host.data[i], 2.0 * static_cast<double>(i) + 1);
  gpu->release(cells.bytes());
  gpu->release_pinned(host.bytes());
}

TEST(EmulatedGpu, ThreadsOfABlockMeetAtBarriers) {
  const auto image = compile(block_sums("__syncthreads();"));
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const auto gpu = make_emulated_gpu(0, seed, kMemory);
    const Cells cells = pinned_cells(*gpu, 640), sums = pinned_cells(*gpu, 10);
    const std::uint64_t words[] = {cells.word(), sums.word()};
    for (const std::array<std::uint32_t, 3> block : {std::array{64u, 1u, 1u}, std::array{16u, 4u, 1u}}) {
      gpu->launch(Stream::Compute, {image, {10, 1, 1}, block, words});
      gpu->finish();
      for (int i = 0; i < 10; ++i) EXPECT_EQ(sums.data[i], 64 * 64 * i + 63 * 32);
    }
  }
}

TEST(EmulatedGpu, AForgottenBarrierShows) {
  const auto image = compile(block_sums(""));
  bool wrong = false;
  for (std::uint64_t seed = 1; seed <= 8 && !wrong; ++seed) {
    const auto gpu = make_emulated_gpu(0, seed, kMemory);
    const Cells cells = pinned_cells(*gpu, 128), sums = pinned_cells(*gpu, 2);
    const std::uint64_t words[] = {cells.word(), sums.word()};
    gpu->launch(Stream::Compute, {image, {2, 1, 1}, {64, 1, 1}, words});
    gpu->finish();
    wrong = sums.data[1] != 64 * 64 + 63 * 32;
  }
  EXPECT_TRUE(wrong);
}

TEST(EmulatedGpu, ABarrierThatSomeThreadsMissFailsForGood) {
  const auto image = compile(R"(
    struct Words { unsigned long w[1]; };
    extern "C" __global__ void pilum_kernel(const Words words) { if (threadIdx.x < 5) __syncthreads(); })");
  const auto gpu = make_emulated_gpu(3, 1, kMemory);
  gpu->launch(Stream::Compute, {image, {2, 1, 1}, {32, 1, 1}, {}});
  const auto what = HasSubstr("emulated GPU 3: 5 of 32 threads of block");
  EXPECT_THAT(message_of([&] { gpu->finish(); }), what);
  EXPECT_THAT(message_of([&] { (void)gpu->record_event(Stream::Boundaries); }), what);
}

TEST(EmulatedGpu, ABrokenTextsErrorShowsTheLine) {
  EXPECT_THAT(message_of([] { (void)compile("\nno_such_type x;\n"); }), HasSubstr("pilum_kernel.cu:2"));
}

// How often, of 40 seeds, the copy on another stream brings home what the launch made.
int right_results(bool ordered) {
  int right = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto gpu = make_emulated_gpu(0, seed, kMemory);
    const Cells host = pinned_cells(*gpu, 64, 1), cells = device_cells(*gpu, 64);
    copy(*gpu, Stream::Compute, cells, host);
    launch_doubling(*gpu, Stream::Compute, cells);
    if (ordered) gpu->wait(Stream::Copies, *gpu, gpu->record_event(Stream::Compute));
    copy(*gpu, Stream::Copies, host, cells);
    gpu->finish();
    right += host.data[0] == 3;
    gpu->release_pinned(host.bytes());
  }
  return right;
}

TEST(EmulatedGpu, StreamsRunInAnyOrderThatMarksAllow) {
  EXPECT_EQ(right_results(true), 40);
  EXPECT_LT(right_results(false), 40);
}

TEST(EmulatedGpu, TwoGpusWaitForEachOther) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto first = make_emulated_gpu(0, seed, kMemory), second = make_emulated_gpu(1, seed + 100, kMemory);
    EXPECT_TRUE(first->connect(*second));
    const Cells host = pinned_cells(*first, 8, 1), here = device_cells(*first, 8), there = device_cells(*second, 8);
    // Twice there and back, doubled on both sides: x → 16 x + 15.
    copy(*first, Stream::Compute, here, host);
    Event event = first->record_event(Stream::Compute);
    for (int round = 0; round < 2; ++round) {
      second->wait(Stream::Boundaries, *first, event);
      copy(*second, Stream::Boundaries, there, here);
      launch_doubling(*second, Stream::Boundaries, there);
      event = second->record_event(Stream::Boundaries);
      first->wait(Stream::Copies, *second, event);
      copy(*first, Stream::Copies, here, there);
      launch_doubling(*first, Stream::Copies, here);
      event = first->record_event(Stream::Copies);
    }
    copy(*first, Stream::Copies, host, here);
    event = first->record_event(Stream::Copies);
    while (!first->completed(event)) {
    }
    EXPECT_EQ(host.data[0], 31);
    EXPECT_EQ(host.data[7], 143);
    first->release_pinned(host.bytes());
  }
}

// Flags of a GPU, lowered, and what they say.
struct Flags {
  explicit Flags(Gpu& gpu) : data(gpu.allocate(4 * device::kFlagBytes)) {
    std::memset(data, 0, 4 * device::kFlagBytes);
  }
  std::byte* at(std::size_t number) const { return data + number * device::kFlagBytes; }
  GpuFlag raise(std::size_t number) const { return {at(number), /*waits=*/false}; }
  GpuFlag await(std::size_t number) const { return {at(number), /*waits=*/true}; }
  bool is_raised(std::size_t number) const { return *at(number) == std::byte{1}; }
  std::byte* data;
};

TEST(EmulatedGpu, AFlagKeepsAStreamUntilItIsRaisedAndIsLoweredThen) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto one = make_emulated_gpu(0, seed, kMemory), other = make_emulated_gpu(1, seed + 100, kMemory);
    const Flags flags(*one);
    const Cells from = pinned_cells(*one, 8, 1), to = pinned_cells(*one, 8);
    one->tell(Stream::Copies, flags.await(0));
    copy(*one, Stream::Copies, to, from);
    copy(*one, Stream::Compute, from, from);
    const Event beside = one->record_event(Stream::Compute), behind = one->record_event(Stream::Copies);
    while (!one->completed(beside)) {
    }
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(one->completed(behind));
    EXPECT_EQ(to.data[0], 0);
    other->tell(Stream::Boundaries, flags.raise(0));
    one->finish();
    EXPECT_EQ(to.data[0], 1);
    EXPECT_FALSE(flags.is_raised(0));
    EXPECT_EQ(one->counts().flags, 1);
    EXPECT_EQ(other->records().front().kind, EmulatedCall::Flag);
    one->release_pinned(from.bytes());
    one->release_pinned(to.bytes());
  }
}

TEST(EmulatedGpu, AFlagOfAnotherThreadIsWaitedFor) {
  const auto one = make_emulated_gpu(0, 1, kMemory), other = make_emulated_gpu(1, 2, kMemory);
  const Flags flags(*one);
  one->tell(Stream::Copies, flags.await(0));
  one->tell(Stream::Copies, flags.raise(1));
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    other->tell(Stream::Copies, flags.raise(0));
    other->finish();
  });
  one->finish();
  EXPECT_TRUE(flags.is_raised(1));
  later.join();
}

TEST(EmulatedGpu, AFlagThatIsRaisedTwiceOrLiesNowhereShows) {
  const auto gpu = make_emulated_gpu(0, 1, kMemory);
  const Flags flags(*gpu);
  std::byte elsewhere[device::kFlagBytes];
  EXPECT_THAT(message_of([&] { gpu->tell(Stream::Copies, {elsewhere, false}); }), HasSubstr("in no GPU's memory"));
  gpu->tell(Stream::Copies, flags.raise(0));
  gpu->tell(Stream::Copies, flags.raise(0));
  EXPECT_THAT(message_of([&] { gpu->finish(); }), HasSubstr("raised twice"));
}

TEST(EmulatedGpu, AFlagThatIsGivenUpEndsTheGpu) {
  const auto gpu = make_emulated_gpu(0, 1, kMemory);
  const Flags flags(*gpu);
  gpu->tell(Stream::Copies, flags.await(0));
  gpu->tell(Stream::Copies, flags.raise(1));
  gpu->give_up_flags();
  EXPECT_THAT(message_of([&] { gpu->finish(); }), HasSubstr("was given up"));
  EXPECT_FALSE(flags.is_raised(1));
}

// Of a graph what waits for no flag runs beside it, or with what is behind it, by chance.
TEST(EmulatedGpu, AFlagMayHoldUpWhatDoesNotFollowItInAGraph) {
  int beside = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto gpu = make_emulated_gpu(0, seed, kMemory);
    const Flags flags(*gpu);
    const auto graph = gpu->make_graph();
    const int asked = graph->add(*gpu, Stream::Copies, flags.await(0), {});
    graph->add(*gpu, Stream::Copies, flags.raise(1), {});
    graph->add(*gpu, Stream::Copies, flags.raise(2), std::vector<int>{asked});
    gpu->launch(Stream::Compute, *graph);
    const Event end = gpu->record_event(Stream::Compute);
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(gpu->completed(end));
    beside += flags.is_raised(1);
    EXPECT_FALSE(flags.is_raised(2));
    gpu->tell(Stream::Copies, flags.raise(0));
    gpu->finish();
    EXPECT_TRUE(flags.is_raised(1) && flags.is_raised(2));
    EXPECT_FALSE(flags.is_raised(0));
    EXPECT_EQ(gpu->counts().graph_items, 3);
  }
  EXPECT_GT(beside, 0);
  EXPECT_LT(beside, 40);
}

TEST(EmulatedGpu, MemoryEndsAtTheLimit) {
  const auto gpu = make_emulated_gpu(0, 1, 1000);
  std::byte* const first = gpu->allocate(600);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 256, 0u);
  EXPECT_EQ(gpu->free_bytes(), 400);
  EXPECT_EQ(gpu->allocate(401), nullptr);
  gpu->release(first);
  EXPECT_NE(gpu->allocate(1000), nullptr);
  EXPECT_EQ(gpu->most_used_bytes(), 1000u);
}

TEST(EmulatedGpu, FreshMemoryIsNan) {
  const auto gpu = make_emulated_gpu(0, 1, kMemory);
  EXPECT_TRUE(std::isnan(device_cells(*gpu, 3).data[2]));
}

TEST(EmulatedGpu, WritingBeyondAnAllocationIsFoundAtItsRelease) {
  const auto gpu = make_emulated_gpu(0, 1, kMemory);
  const Cells cells = device_cells(*gpu, 8);
  launch_doubling(*gpu, Stream::Compute, {cells.data, 9});
  EXPECT_THAT(message_of([&] { gpu->release(cells.bytes()); }), HasSubstr("before or after an allocation"));
}

TEST(EmulatedGpu, CopiesStayInsideTheMemoryOfGpus) {
  const auto gpu = make_emulated_gpu(0, 1, kMemory);
  const Cells cells = device_cells(*gpu, 8);
  std::vector<double> pageable(8);
  EXPECT_THAT(message_of([&] { copy(*gpu, Stream::Copies, cells, {pageable.data(), 8}); }), HasSubstr("not pinned"));
  EXPECT_THAT(message_of([&] { copy(*gpu, Stream::Copies, {cells.data + 1, 8}, cells); }), HasSubstr("copy to"));
}

TEST(EmulatedGpu, RowsAreCopiedByTheirPitches) {
  const auto gpu = make_emulated_gpu(0, 1, kMemory);
  const Cells from = pinned_cells(*gpu, 12), to = pinned_cells(*gpu, 4);
  gpu->copy(Stream::Copies, {to.bytes(), from.bytes() + 8, 16, 2, 16, 48});
  gpu->finish();
  EXPECT_THAT(std::vector<double>(to.data, to.data + 4), testing::ElementsAre(1, 2, 7, 8));
}

TEST(EmulatedGpu, RecordsWhatWasIssued) {
  const auto gpu = make_emulated_gpu({.run = false});
  const Cells cells = device_cells(*gpu, 100), host = pinned_cells(*gpu, 100);
  launch_doubling(*gpu, Stream::Boundaries, cells);
  copy(*gpu, Stream::Copies, host, cells);
  const Event event = gpu->record_event(Stream::Copies);
  EXPECT_TRUE(gpu->completed(event)) << "a null GPU has done everything";
  gpu->wait(Stream::Compute, *gpu, event);
  gpu->finish();
  EXPECT_EQ(host.data[99], 99) << "and nothing";
  EXPECT_THAT(gpu->records(),
              testing::ElementsAre(EmulatedRecord{EmulatedCall::Launch, Stream::Boundaries, {2, 1, 1}, {64, 1, 1}, 0},
                                   EmulatedRecord{EmulatedCall::Copy, Stream::Copies, {}, {}, 800},
                                   EmulatedRecord{EmulatedCall::Event, Stream::Copies, {}, {}, 0},
                                   EmulatedRecord{EmulatedCall::Wait, Stream::Compute, {}, {}, 0}));
  EXPECT_EQ(gpu->counts().launches, 1);
  EXPECT_EQ(gpu->counts().copied_bytes, 800u);
  gpu->clear_records();
  EXPECT_TRUE(gpu->records().empty());
}

TEST(EmulatedGpu, PeersMayBeRefused) {
  const auto first = make_emulated_gpu({.ordinal = 0}), second = make_emulated_gpu({.ordinal = 1, .peers = false});
  EXPECT_FALSE(first->connect(*second));
}

TEST(EmulatedGpu, RunsWhatTheEmitterWrites) {
  kernel::Builder builder(1);
  const int x = builder.add_array({DType::Float64, kernel::Access::Read, kernel::Inner::Contiguous, 1});
  const int y = builder.add_array({DType::Float64, kernel::Access::Write, kernel::Inner::Contiguous, 1});
  builder.store(y, builder.unary(kernel::Op::Exp, builder.load(x)));
  const kernel::Kernel kernel = builder.finish();
  kernel::DeviceOptions options;
  options.phase = {kernel::DeviceOptions::kUnaligned, kernel::DeviceOptions::kUnaligned};
  const auto image = compile(kernel::emit_device(kernel, options));

  const auto gpu = make_emulated_gpu(0, 1, kMemory);
  const Cells from = pinned_cells(*gpu, 200), to = pinned_cells(*gpu, 200);
  kernel::BoundArray arrays[2] = {};
  arrays[0].base = reinterpret_cast<char*>(from.data);
  arrays[1].base = reinterpret_cast<char*>(to.data);
  arrays[0].stride[0] = arrays[1].stride[0] = arrays[0].pitch[0] = arrays[1].pitch[0] = sizeof(double);
  const std::int64_t lo[] = {0}, extent[] = {200};
  const kernel::DeviceCall call{kernel, options, lo, extent, extent, arrays, {}, {}};
  std::vector<std::uint64_t> words;
  kernel::pack_device_call(call, words);
  const kernel::DeviceShape shape = kernel::shape_of(call);
  gpu->launch(Stream::Compute, {image, shape.grid, shape.block, words});
  gpu->finish();
  for (std::size_t i = 0; i < 200; ++i) EXPECT_DOUBLE_EQ(to.data[i], std::exp(static_cast<double>(i)));
}

}  // namespace
}  // namespace pilum::fakes
