#include "scheduler/session/copy_speed.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <vector>

#include "runtime/kernel/ir/builder.h"
#include "runtime/memory/system_memory.h"

namespace pilum::scheduler {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kArrayBytes = std::int64_t{96} << 20;  // of each of the two arrays of a lane
constexpr std::int64_t kChunkBytes = 1 << 20;
constexpr std::int64_t kGpuArrayBytes = std::int64_t{256} << 20;
constexpr auto kEnough = std::chrono::milliseconds(60);
constexpr int kMinCopies = 3, kMaxCopies = 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Memory as the arrays of programs have it; none where the system refuses.
class Buffer {
 public:
  Buffer() : data_(static_cast<char*>(memory::map_block(kArrayBytes))) {}
  ~Buffer() {
    if (data_) memory::unmap_block(data_, kArrayBytes);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  char* data() const { return data_; }

 private:
  char* data_;
};

// A lane's two arrays, and what is done to each chunk of them.
class ChunkJob final : public device::Job {
 public:
  ChunkJob(std::function<void(std::int64_t)> run, std::atomic<int>& left) : run_(std::move(run)), left_(left) {}
  std::int64_t chunks() const override { return kArrayBytes / kChunkBytes; }
  void run(std::int64_t chunk) override { run_(chunk * kChunkBytes); }
  void done() override { left_.fetch_sub(1, std::memory_order_release); }

 private:
  std::function<void(std::int64_t)> run_;
  std::atomic<int>& left_;
};

kernel::Kernel make_copy_kernel() {
  kernel::Builder builder(1);
  builder.add_array({DType::Float64, kernel::Access::Read, kernel::Inner::Contiguous, 1});
  const int to = builder.add_array({DType::Float64, kernel::Access::Write, kernel::Inner::Contiguous, 1});
  builder.store(to, builder.load(0));
  return builder.finish();
}

void copy_chunk(const jit::HostKernel& kernel, char* from, char* to) {
  std::array<kernel::BoundArray, 2> arrays{};
  arrays[0].base = from;
  arrays[1].base = to;
  for (kernel::BoundArray& array : arrays) array.stride[0] = array.pitch[0] = sizeof(double);
  kernel::KernelCall call{};
  call.extent[0] = kChunkBytes / static_cast<std::int64_t>(sizeof(double));
  call.arrays = arrays.data();
  kernel.function()(&call);
}

// All lanes' chunks, each with its lane's number; this thread helps.
void run_on_lanes(std::span<const std::unique_ptr<device::HostLane>> lanes,
                  const std::function<void(std::size_t, std::int64_t)>& run) {
  std::atomic<int> left{static_cast<int>(lanes.size())};
  std::vector<std::shared_ptr<ChunkJob>> jobs;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    jobs.push_back(std::make_shared<ChunkJob>([&run, lane](std::int64_t at) { run(lane, at); }, left));
    lanes[lane]->submit(jobs.back());
  }
  while (left.load(std::memory_order_acquire) > 0) {
    for (const auto& lane : lanes) lane->help();
  }
}

}  // namespace

double measure_copy_speed(std::span<const std::unique_ptr<device::HostLane>> lanes, jit::Jit& jit) {
  std::vector<std::unique_ptr<Buffer>> from, to;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    from.push_back(std::make_unique<Buffer>());
    to.push_back(std::make_unique<Buffer>());
    if (!from.back()->data() || !to.back()->data()) return 0;
  }
  const std::shared_ptr<const jit::HostKernel> kernel = jit.get_host(make_copy_kernel(), {.streaming = true});
  // Numbers, as zeros are faster than others; the pages are made by those who use them.
  run_on_lanes(lanes, [&](std::size_t lane, std::int64_t at) {
    for (const Buffer* buffer : {from[lane].get(), to[lane].get()}) {
      auto* const cells = reinterpret_cast<double*>(buffer->data() + at);
      std::fill_n(cells, kChunkBytes / static_cast<std::int64_t>(sizeof(double)), 0.25);
    }
  });
  const Clock::time_point start = Clock::now();
  double best = 0;
  for (int copies = 0; copies < kMinCopies || (copies < kMaxCopies && Clock::now() - start < kEnough); ++copies) {
    const Clock::time_point begin = Clock::now();
    run_on_lanes(lanes, [&](std::size_t lane, std::int64_t at) {
      copy_chunk(*kernel, from[lane]->data() + at, to[lane]->data() + at);
    });
    best =
        std::max(best, 2 * static_cast<double>(kArrayBytes) * static_cast<double>(lanes.size()) / seconds_since(begin));
  }
  return best;
}

double measure_copy_speed(std::span<const std::unique_ptr<device::Gpu>> gpus) {
  struct Arrays {
    device::Gpu& gpu;
    std::byte *from, *to;
  };
  std::vector<Arrays> all;
  bool found_room = true;
  for (const auto& gpu : gpus) {
    all.push_back({*gpu, gpu->allocate(kGpuArrayBytes), gpu->allocate(kGpuArrayBytes)});
    found_room = found_room && all.back().from && all.back().to;
  }
  const auto copy = [&all](int times) {
    for (int i = 0; i < times; ++i) {
      for (const Arrays& one : all)
        one.gpu.copy(device::Stream::Compute, {one.to, one.from, static_cast<std::size_t>(kGpuArrayBytes)});
    }
    for (const Arrays& one : all) one.gpu.finish();
  };
  double speed = 0;
  if (found_room) {
    copy(kMinCopies);
    const Clock::time_point start = Clock::now();
    copy(kMaxCopies);
    speed =
        2 * static_cast<double>(kGpuArrayBytes) * kMaxCopies * static_cast<double>(gpus.size()) / seconds_since(start);
  }
  for (const Arrays& one : all) {
    if (one.from) one.gpu.release(one.from);
    if (one.to) one.gpu.release(one.to);
  }
  return speed;
}

}  // namespace pilum::scheduler
