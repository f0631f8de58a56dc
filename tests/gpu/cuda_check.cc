// Every call of device/gpu.h on the GPUs of this machine, and what the calls cost. A line a check: "ok", or what was
// wrong. Exit status 0: all well, 1: a check failed, 77: no GPU.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pilum/error.h"
#include "runtime/device/gpu.h"
#include "runtime/jit/device_compiler.h"

namespace pilum::device {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int failures = 0;

void expect(bool holds, const std::string& otherwise) {
  if (!holds) throw std::runtime_error(otherwise);
}

void check(const std::string& name, const std::function<void()>& body) {
  std::string result = "ok";
  try {
    body();
  } catch (const std::exception& error) {
    result = std::string("FAILED: ") + error.what();
    ++failures;
  }
  std::printf("%-58s %s\n", name.c_str(), result.c_str());
  std::fflush(stdout);
}

void figure(const std::string& name, double value, const char* unit) {
  std::printf("%-58s %.4g %s\n", name.c_str(), value, unit);
  std::fflush(stdout);
}

// Memory that goes back by itself.
struct Block {
  Gpu& gpu;
  std::byte* data;
  bool pinned;
  Block(Gpu& gpu, std::size_t bytes, bool pinned = false)
      : gpu(gpu), data(pinned ? gpu.allocate_pinned(bytes) : gpu.allocate(bytes)), pinned(pinned) {
    expect(data != nullptr, "no memory for " + std::to_string(bytes) + " bytes");
  }
  ~Block() {
    try {
      pinned ? gpu.release_pinned(data) : gpu.release(data);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  std::uint64_t word() const { return reinterpret_cast<std::uint64_t>(data); }
};

Block pinned(Gpu& gpu, std::size_t bytes) {
  return {gpu, bytes, /*pinned=*/true};
}

const std::string kHead =
    "struct Words { unsigned long long word[4]; };\n"
    "extern \"C\" __global__ void pilum_kernel(const Words words) {\n";
// to, from, count, addend: to[i] = from[i] + addend.
const std::string kAdd = kHead +
                         "  const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;\n"
                         "  if (i < words.word[2]) ((unsigned*)words.word[0])[i] = ((const unsigned*)words.word[1])[i] "
                         "+ (unsigned)words.word[3];\n"
                         "}\n";
// to, value, nanoseconds: *to = value, after that time.
const std::string kSlow =
    kHead +
    "  unsigned long long start, now;\n"
    "  asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(start));\n"
    "  do { asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(now)); } while (now - start < words.word[2]);\n"
    "  *(volatile unsigned*)words.word[0] = (unsigned)words.word[1];\n"
    "}\n";
const std::string kNothing = kHead + "}\n";

constexpr std::uint64_t kSlowNanoseconds = 30'000'000;

struct Images {
  std::shared_ptr<const GpuImage> add, slow, nothing;
};

std::shared_ptr<const GpuImage> compile(jit::DeviceCompiler& compiler, const std::string& text) {
  return std::make_shared<const GpuImage>(GpuImage{compiler.compile(text)});
}

// One GPU and what its checks share.
struct Bench {
  Gpu& gpu;
  Images images;

  void add(Stream stream, std::uint64_t to, std::uint64_t from, std::uint64_t count, std::uint64_t addend) const {
    const std::uint64_t words[] = {to, from, count, addend};
    const auto blocks = static_cast<std::uint32_t>((count + 255) / 256);
    gpu.launch(stream, {.image = images.add, .grid = {blocks, 1, 1}, .block = {256, 1, 1}, .words = words});
  }
  void slow(Stream stream, std::uint64_t to, std::uint64_t value) const {
    const std::uint64_t words[] = {to, value, kSlowNanoseconds, 0};
    gpu.launch(stream, {.image = images.slow, .words = words});
  }
  void nothing(Stream stream) const {
    const std::uint64_t words[4] = {};
    gpu.launch(stream, {.image = images.nothing, .words = words});
  }
  void copy(Stream stream, std::byte* to, const std::byte* from, std::size_t bytes) const {
    gpu.copy(stream, {.to = to, .from = from, .width = bytes, .to_pitch = bytes, .from_pitch = bytes});
  }
};

void wait_for(Gpu& gpu, Event event) {
  const auto start = Clock::now();
  while (!gpu.completed(event)) expect(seconds_since(start) < 20, "a event was not reached in 20 s");
}

void fill(std::uint32_t* data, std::size_t count, std::uint32_t seed) {
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<std::uint32_t>(i * 2654435761u + seed);
}

void expect_same(const std::uint32_t* seen, const std::uint32_t* wanted, std::size_t count, std::uint32_t addend = 0) {
  for (std::size_t i = 0; i < count; ++i) {
    expect(seen[i] == wanted[i] + addend, "at " + std::to_string(i) + " stands " + std::to_string(seen[i]) + ", not " +
                                              std::to_string(wanted[i] + addend));
  }
}

void check_memory(Gpu& gpu) {
  check("allocate gives aligned memory, release takes it back", [&] {
    const std::int64_t before = gpu.free_bytes();
    constexpr std::size_t kBytes = std::size_t{256} << 20;
    {
      const Block block(gpu, kBytes);
      expect(block.word() % 256 == 0, "not aligned to 256 bytes");
      const std::int64_t taken = before - gpu.free_bytes();
      expect(taken >= std::int64_t{kBytes}, "free_bytes() went down by " + std::to_string(taken));
    }
    expect(gpu.free_bytes() > before - (16 << 20), "free_bytes() did not come back");
  });
  check("allocate gives null when there is no memory left", [&] {
    expect(gpu.allocate(static_cast<std::size_t>(gpu.info().memory_bytes) * 2) == nullptr, "it was not null");
    const Block block(gpu, 1 << 20);  // and works afterwards
  });
  check("pinned memory is the host's", [&] {
    const Block block = pinned(gpu, 1 << 20);
    fill(block.as<std::uint32_t>(), 1 << 18, 1);
  });
}

void check_copies(const Bench& bench) {
  Gpu& gpu = bench.gpu;
  check("copies in one dimension: host, device, device, host", [&] {
    constexpr std::size_t kCount = 1'000'003;
    const Block from = pinned(gpu, kCount * 4), to = pinned(gpu, kCount * 4);
    const Block a(gpu, kCount * 4), b(gpu, kCount * 4);
    fill(from.as<std::uint32_t>(), kCount, 7);
    bench.copy(Stream::Copies, a.data, from.data, kCount * 4);
    bench.copy(Stream::Copies, b.data, a.data, kCount * 4);
    bench.copy(Stream::Copies, to.data, b.data, kCount * 4);
    gpu.finish();
    expect_same(to.as<std::uint32_t>(), from.as<std::uint32_t>(), kCount);
  });
  check("copies of rows with pitches", [&] {
    constexpr std::size_t kWidth = 100, kRows = 50, kHost = 100, kFirst = 512, kSecond = 4100;
    const Block from = pinned(gpu, kHost * kRows), to = pinned(gpu, kHost * kRows);
    const Block a(gpu, kFirst * kRows), b(gpu, kSecond * kRows);
    fill(from.as<std::uint32_t>(), kHost * kRows / 4, 3);
    const auto copy = [&](std::byte* target, std::size_t target_pitch, const std::byte* source,
                          std::size_t source_pitch) {
      gpu.copy(Stream::Boundaries, {.to = target,
                                    .from = source,
                                    .width = kWidth,
                                    .rows = kRows,
                                    .to_pitch = target_pitch,
                                    .from_pitch = source_pitch});
    };
    copy(a.data, kFirst, from.data, kHost);
    copy(b.data + 4, kSecond, a.data, kFirst);
    copy(to.data, kHost, b.data + 4, kSecond);
    gpu.finish();
    expect_same(to.as<std::uint32_t>(), from.as<std::uint32_t>(), kHost * kRows / 4);
  });
  check("copies of rows further apart than 2 GiB", [&] {
    constexpr std::size_t kPitch = (std::size_t{1} << 31) + 4096;
    if (gpu.free_bytes() < static_cast<std::int64_t>(4 * kPitch)) return;
    const Block rows(gpu, kPitch * 2 + 8), pair = pinned(gpu, 32);
    fill(pair.as<std::uint32_t>(), 4, 5);
    gpu.copy(Stream::Copies,
             {.to = rows.data, .from = pair.data, .width = 8, .rows = 2, .to_pitch = kPitch, .from_pitch = 8});
    gpu.copy(Stream::Copies,
             {.to = pair.data + 16, .from = rows.data, .width = 8, .rows = 2, .to_pitch = 8, .from_pitch = kPitch});
    gpu.finish();
    expect_same(pair.as<std::uint32_t>() + 4, pair.as<std::uint32_t>(), 4);
  });
  check("a copy of nothing does nothing", [&] {
    gpu.copy(Stream::Copies, {.width = 0, .rows = 5});
    gpu.copy(Stream::Copies, {.width = 5, .rows = 0});
    gpu.finish();
  });
}

void check_launches(const Bench& bench) {
  Gpu& gpu = bench.gpu;
  check("a compiled kernel computes", [&] {
    constexpr std::size_t kCount = 1'000'003;
    const Block from = pinned(gpu, kCount * 4), to = pinned(gpu, kCount * 4), data(gpu, kCount * 4);
    fill(from.as<std::uint32_t>(), kCount, 11);
    bench.copy(Stream::Compute, data.data, from.data, kCount * 4);
    bench.add(Stream::Compute, data.word(), data.word(), kCount, 5);
    bench.add(Stream::Compute, to.word(), data.word(), kCount, 6);  // pinned memory at the host's address
    gpu.finish();
    expect_same(to.as<std::uint32_t>(), from.as<std::uint32_t>(), kCount, 11);
  });
  check("a multiprocessor holds as many blocks as it has threads for", [&] {
    const int few = gpu.occupancy(bench.images.add, 128), many = gpu.occupancy(bench.images.add, 256);
    expect(many >= 4 && few == 2 * many, std::to_string(few) + " of 128, " + std::to_string(many) + " of 256 threads");
    expect(gpu.occupancy(bench.images.add, 128) == few, "asked again, it is another number");
  });
  check("an image that is none is refused, and work goes on", [&] {
    const auto image = std::make_shared<const GpuImage>(GpuImage{std::string(4096, 'x')});
    const std::uint64_t words[4] = {};
    bool refused = false;
    try {
      gpu.launch(Stream::Compute, {.image = image, .words = words});
    } catch (const RuntimeError& error) {
      refused = std::string(error.what()).find(gpu.info().name) != std::string::npos;
      expect(refused, error.what());
    }
    expect(refused, "it was taken");
    bench.nothing(Stream::Compute);
    gpu.finish();
  });
}

void check_marks(const Bench& bench) {
  Gpu& gpu = bench.gpu;
  check("a event is reached after the work before it, not earlier", [&] {
    const Block seen = pinned(gpu, 4);
    volatile std::uint32_t& value = *seen.as<std::uint32_t>();
    value = 1;
    bench.slow(Stream::Compute, seen.word(), 2);
    const Event event = gpu.record_event(Stream::Compute);
    expect(!gpu.completed(event), "it was reached at once");
    expect(value == 1, "the launch waited");
    wait_for(gpu, event);
    expect(value == 2, "the work was not done");
    expect(gpu.completed(event), "asked again, it was not reached");
  });
  check("numbers of a stream's events grow, a later one says it for all", [&] {
    std::vector<Event> events;
    for (int i = 0; i < 100; ++i) events.push_back(gpu.record_event(Stream::Boundaries));
    for (std::size_t i = 1; i < events.size(); ++i) expect(events[i - 1].number < events[i].number, "they do not");
    wait_for(gpu, events.back());
    for (const Event& event : events) expect(gpu.completed(event), "an earlier one is not reached");
  });
  for (Stream waiting : {Stream::Boundaries, Stream::Copies}) {
    check(waiting == Stream::Boundaries ? "edges wait for computing" : "copies wait for computing", [&] {
      const Block value(gpu, 4), seen = pinned(gpu, 4);
      bench.slow(Stream::Compute, value.word(), 3);
      gpu.wait(waiting, gpu, gpu.record_event(Stream::Compute));
      bench.copy(waiting, seen.data, value.data, 4);
      wait_for(gpu, gpu.record_event(waiting));
      expect(*seen.as<std::uint32_t>() == 3, "the copy did not wait");
    });
  }
  check("streams that do not wait overtake one another", [&] {
    const Block value(gpu, 4), other(gpu, 4), seen = pinned(gpu, 4);
    bench.slow(Stream::Compute, value.word(), 3);
    const Event slow = gpu.record_event(Stream::Compute);
    bench.copy(Stream::Copies, seen.data, other.data, 4);
    wait_for(gpu, gpu.record_event(Stream::Copies));
    expect(!gpu.completed(slow), "the copy came after the kernel");
    gpu.finish();
    expect(gpu.completed(slow), "finish() did not wait");
  });
  check("a chain of 20,000 events and waits over the streams", [&] {
    constexpr int kRounds = 10'000;
    const Block count(gpu, 4), zero = pinned(gpu, 4);
    *zero.as<std::uint32_t>() = 0;
    bench.copy(Stream::Compute, count.data, zero.data, 4);
    for (int i = 0; i < kRounds; ++i) {
      bench.add(Stream::Compute, count.word(), count.word(), 1, 1);
      gpu.wait(Stream::Boundaries, gpu, gpu.record_event(Stream::Compute));
      bench.add(Stream::Boundaries, count.word(), count.word(), 1, 1);
      gpu.wait(Stream::Compute, gpu, gpu.record_event(Stream::Boundaries));
    }
    bench.copy(Stream::Compute, zero.data, count.data, 4);
    gpu.finish();
    expect(*zero.as<std::uint32_t>() == 2 * kRounds, "counted " + std::to_string(*zero.as<std::uint32_t>()));
  });
  check("another thread goes on where this one stopped", [&] {
    const Block seen = pinned(gpu, 4);
    bench.slow(Stream::Compute, seen.word(), 4);
    std::string trouble;
    std::thread([&] {
      try {
        wait_for(gpu, gpu.record_event(Stream::Compute));
        const Block more(gpu, 4096);
      } catch (const std::exception& error) {
        trouble = error.what();
      }
    }).join();
    expect(trouble.empty(), trouble);
    expect(*seen.as<std::uint32_t>() == 4, "the work was not done");
  });
  check("release waits for work that uses the memory", [&] {
    const Block seen = pinned(gpu, 4);
    *seen.as<std::uint32_t>() = 0;
    {
      const Block used(gpu, 4);
      bench.slow(Stream::Compute, used.word(), 5);
      bench.copy(Stream::Compute, seen.data, used.data, 4);
    }
    expect(*seen.as<std::uint32_t>() == 5, "it did not");
  });
  check("ranges for profilers", [&] {
    gpu.push_range("cuda_check");
    gpu.pop_range();
  });
}

// A stream that the program made, and that the GPU knows by its handle alone.
void check_program_streams(const Bench& bench) {
  Gpu& gpu = bench.gpu;
  // As a program has them: of the driver, without its header.
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto make = reinterpret_cast<int (*)(void**, unsigned)>(dlsym(driver, "cuStreamCreate"));
  const auto copy =
      reinterpret_cast<int (*)(std::uint64_t, std::uint64_t, std::size_t, void*)>(dlsym(driver, "cuMemcpyAsync"));
  const auto finish = reinterpret_cast<int (*)(void*)>(dlsym(driver, "cuStreamSynchronize"));
  const auto destroy = reinterpret_cast<int (*)(void*)>(dlsym(driver, "cuStreamDestroy_v2"));
  gpu.finish();  // its context is this thread's now
  void* stream = nullptr;
  expect(make(&stream, /*CU_STREAM_NON_BLOCKING=*/1) == 0, "no stream can be made");
  for (Stream ours : {Stream::Compute, Stream::Boundaries, Stream::Copies}) {
    check("a program's stream waits for ours " + std::to_string(static_cast<int>(ours)), [&] {
      const Block value(gpu, 4), seen = pinned(gpu, 4);
      *seen.as<std::uint32_t>() = 0;
      bench.slow(ours, value.word(), 5);
      gpu.make_program_wait(stream);
      expect(copy(seen.word(), value.word(), 4, stream) == 0, "no copy");
      expect(finish(stream) == 0, "the stream failed");
      expect(*seen.as<std::uint32_t>() == 5, "the copy did not wait");
    });
    check("ours waits for a program's stream " + std::to_string(static_cast<int>(ours)), [&] {
      const Block value(gpu, 4), copied(gpu, 4), seen = pinned(gpu, 4);
      bench.slow(Stream::Compute, value.word(), 6);
      gpu.make_program_wait(stream);  // so that the program's stream is busy, for a while
      expect(copy(copied.word(), value.word(), 4, stream) == 0, "no copy");
      gpu.wait_for_program(stream);
      bench.copy(ours, seen.data, copied.data, 4);
      wait_for(gpu, gpu.record_event(ours));
      expect(*seen.as<std::uint32_t>() == 6, "the copy did not wait");
    });
  }
  expect(destroy(stream) == 0, "the stream was not destroyed");
}

void check_pair(const Bench& first, const Bench& second) {
  Gpu &a = first.gpu, &b = second.gpu;
  bool connected = false;
  const std::string pair = " (" + std::to_string(a.info().ordinal) + ", " + std::to_string(b.info().ordinal) + ")";
  check("GPUs connect, and may be asked again" + pair, [&] {
    connected = a.connect(b);
    expect(a.connect(b) == connected && b.connect(a) == connected, "the answers differ");
    std::printf("%-58s %s\n", "  they read each other's memory:", connected ? "yes" : "no");
  });
  constexpr std::size_t kCount = 1 << 20;
  check("a copy to another GPU, after its maker's event" + pair, [&] {
    const Block from = pinned(a, kCount * 4), to = pinned(a, kCount * 4), there(a, kCount * 4), here(b, kCount * 4);
    fill(from.as<std::uint32_t>(), kCount, 17);
    first.copy(Stream::Compute, there.data, from.data, kCount * 4);
    first.slow(Stream::Compute, there.word(), 99);
    b.wait(Stream::Copies, a, a.record_event(Stream::Compute));
    second.copy(Stream::Copies, here.data, there.data, kCount * 4);
    second.copy(Stream::Copies, to.data, here.data, kCount * 4);
    b.finish();
    *from.as<std::uint32_t>() = 99;
    expect_same(to.as<std::uint32_t>(), from.as<std::uint32_t>(), kCount);
  });
  check("rows copied to another GPU" + pair, [&] {
    constexpr std::size_t kRows = 1000, kPitch = 4096;
    const Block from = pinned(a, kRows * 8), to = pinned(a, kRows * 8), there(a, kRows * kPitch),
                here(b, kRows * kPitch / 2);
    fill(from.as<std::uint32_t>(), kRows * 2, 23);
    a.copy(Stream::Copies,
           {.to = there.data + 8, .from = from.data, .width = 8, .rows = kRows, .to_pitch = kPitch, .from_pitch = 8});
    b.wait(Stream::Boundaries, a, a.record_event(Stream::Copies));
    b.copy(Stream::Boundaries, {.to = here.data,
                                .from = there.data + 8,
                                .width = 8,
                                .rows = kRows,
                                .to_pitch = kPitch / 2,
                                .from_pitch = kPitch});
    b.copy(Stream::Boundaries,
           {.to = to.data, .from = here.data, .width = 8, .rows = kRows, .to_pitch = 8, .from_pitch = kPitch / 2});
    b.finish();
    expect_same(to.as<std::uint32_t>(), from.as<std::uint32_t>(), kRows * 2);
  });
  if (!connected) return;
  check("a kernel reads another GPU's memory" + pair, [&] {
    const Block from = pinned(a, kCount * 4), to = pinned(a, kCount * 4), there(b, kCount * 4);
    fill(from.as<std::uint32_t>(), kCount, 29);
    second.copy(Stream::Copies, there.data, from.data, kCount * 4);
    a.wait(Stream::Compute, b, b.record_event(Stream::Copies));
    first.add(Stream::Compute, to.word(), there.word(), kCount, 1);
    a.finish();
    expect_same(to.as<std::uint32_t>(), from.as<std::uint32_t>(), kCount, 1);
  });
}

// Microseconds a call takes on the host: the median of batches that fit into the stream's queue.
double cost_of(Gpu& gpu, const std::function<void()>& call) {
  constexpr int kBatches = 21, kCalls = 200;
  std::vector<double> batches;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto start = Clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    batches.push_back(seconds_since(start) * 1e6 / kCalls);
    gpu.finish();
  }
  std::sort(batches.begin(), batches.end());
  return batches[kBatches / 2];
}

void measure_calls(const Bench& bench) {
  Gpu& gpu = bench.gpu;
  const Block data(gpu, 64 << 20), host = pinned(gpu, 1 << 20);
  const Event old = gpu.record_event(Stream::Compute);
  gpu.finish();
  figure("launch", cost_of(gpu, [&] { bench.nothing(Stream::Compute); }), "us");
  figure("launch and event",
         cost_of(gpu,
                 [&] {
                   bench.nothing(Stream::Compute);
                   static_cast<void>(gpu.record_event(Stream::Compute));
                 }),
         "us");
  figure("event and reached",
         cost_of(gpu, [&] { static_cast<void>(gpu.completed(gpu.record_event(Stream::Compute))); }), "us");
  figure("reached, of a event known to be", cost_of(gpu, [&] { static_cast<void>(gpu.completed(old)); }), "us");
  figure("launch, event, another stream's wait",
         cost_of(gpu,
                 [&] {
                   bench.nothing(Stream::Compute);
                   gpu.wait(Stream::Boundaries, gpu, gpu.record_event(Stream::Compute));
                 }),
         "us");
  figure("copy of 8 bytes, device to device",
         cost_of(gpu, [&] { bench.copy(Stream::Copies, data.data + 64, data.data, 8); }), "us");
  figure("launch, event and wait until reached",
         cost_of(gpu,
                 [&] {
                   bench.nothing(Stream::Compute);
                   wait_for(gpu, gpu.record_event(Stream::Compute));
                 }),
         "us");
  figure("copy of 8 bytes to the host, and wait until reached",
         cost_of(gpu,
                 [&] {
                   bench.copy(Stream::Copies, host.data, data.data, 8);
                   wait_for(gpu, gpu.record_event(Stream::Copies));
                 }),
         "us");
  figure("allocate and release 1 MiB", cost_of(gpu, [&] { gpu.release(gpu.allocate(1 << 20)); }), "us");
}

// Seconds that one of some calls in a row takes on the device, the best of five.
double time_of(Gpu& gpu, int calls, const std::function<void()>& call) {
  double best = 1e9;
  call();
  gpu.finish();
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    for (int j = 0; j < calls; ++j) call();
    gpu.finish();
    best = std::min(best, seconds_since(start) / calls);
  }
  return best;
}

void measure_copies(const Bench& bench) {
  Gpu& gpu = bench.gpu;
  constexpr std::size_t kBytes = std::size_t{1} << 30, kHostBytes = std::size_t{64} << 20;
  const Block a(gpu, kBytes), b(gpu, kBytes), host = pinned(gpu, kHostBytes);
  const auto copy = [&](std::byte* to, const std::byte* from, std::size_t bytes) {
    return time_of(gpu, 5, [&, to, from, bytes] { bench.copy(Stream::Copies, to, from, bytes); });
  };
  figure("device to device, read and written", 2 * kBytes / copy(b.data, a.data, kBytes) / 1e9, "GB/s");
  if (gpu.info().memory_bandwidth > 0) figure("  of the bandwidth stated", gpu.info().memory_bandwidth / 1e9, "GB/s");
  figure("pinned to device", kHostBytes / copy(a.data, host.data, kHostBytes) / 1e9, "GB/s");
  figure("device to pinned", kHostBytes / copy(host.data, a.data, kHostBytes) / 1e9, "GB/s");
  const GpuCopy column{.to = b.data, .from = a.data, .width = 8, .rows = 8192, .to_pitch = 8, .from_pitch = 8192 * 8};
  figure("a column of 8192 float64 of rows of 64 KiB",
         time_of(gpu, 20, [&] { gpu.copy(Stream::Copies, column); }) * 1e6, "us");
}

void measure_pair(const Bench& first, const Bench& second) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  const Block there(first.gpu, kBytes), here(second.gpu, kBytes);
  const double time = time_of(second.gpu, 5, [&] { second.copy(Stream::Copies, here.data, there.data, kBytes); });
  figure("from one GPU to another", kBytes / time / 1e9, "GB/s");
}

// Two products, the second one added to the first, of matrices in rows of 40 cells.
void check_products(const Bench& bench) {
  check("products of matrices", [&] {
    Gpu& gpu = bench.gpu;
    const std::string trouble = gpu.find_trouble(GpuSkill::Products);
    expect(trouble.empty(), trouble);
    constexpr std::int64_t kRows = 31, kColumns = 17, kDepth = 23, kPitch = 40, kBatches = 3, kStep = kPitch * kPitch;
    constexpr std::size_t kBytes = kStep * kBatches * sizeof(double);
    const Block a(gpu, kBytes), b(gpu, kBytes), c(gpu, kBytes);
    const Block host = pinned(gpu, 3 * kBytes);
    double* const cells = host.as<double>();
    for (std::int64_t i = 0; i < 3 * kStep * kBatches; ++i) cells[i] = static_cast<double>(i * 7 % 11 - 5);
    const std::vector<double> before(cells, cells + 3 * kStep * kBatches);
    const auto part = [&](const Block& block, std::size_t number, bool back) {
      std::byte* const there = host.data + number * kBytes;
      gpu.copy(Stream::Compute, {back ? there : block.data, back ? block.data : there, kBytes});
    };
    part(a, 0, false);
    part(b, 1, false);
    GpuProduct product{DType::Float64,
                       kRows,
                       kColumns,
                       kDepth,
                       kBatches,
                       {a.data, kPitch, true, kStep},
                       {b.data, kPitch, false, kStep},
                       {c.data, kPitch, false, kStep}};
    gpu.multiply(Stream::Compute, product);
    product.adds = true;
    gpu.multiply(Stream::Compute, product);
    part(c, 2, true);
    gpu.finish();
    for (std::int64_t batch = 0; batch < kBatches; ++batch) {
      for (std::int64_t i = 0; i < kRows; ++i) {
        for (std::int64_t j = 0; j < kColumns; ++j) {
          double sum = 0;
          for (std::int64_t k = 0; k < kDepth; ++k) {
            sum += before[static_cast<std::size_t>(batch * kStep + k * kPitch + i)] *
                   before[static_cast<std::size_t>((kBatches + batch) * kStep + k * kPitch + j)];
          }
          const double found = cells[(2 * kBatches + batch) * kStep + i * kPitch + j];
          expect(found == 2 * sum, "cell " + std::to_string(i) + ", " + std::to_string(j) + " of matrix " +
                                       std::to_string(batch) + " is " + std::to_string(found) + ", not " +
                                       std::to_string(2 * sum));
        }
      }
    }
  });
}

// Columns of 10 real numbers, of which there are 3 side by side, to rows and back.
void check_transforms(const Bench& bench) {
  check("Fourier transforms of lines", [&] {
    Gpu& gpu = bench.gpu;
    const std::string trouble = gpu.find_trouble(GpuSkill::Transforms);
    expect(trouble.empty(), trouble);
    constexpr std::int64_t kCount = 10, kLines = 3, kHalf = kCount / 2 + 1;
    const GpuTransform there{TransformKind::ToComplex, true, kCount, kLines, {kLines, 1}, {1, kHalf}};
    const GpuTransform back{TransformKind::ToReal, true, kCount, kLines, {1, kHalf}, {kLines, 1}};
    const std::size_t work_bytes = std::max(gpu.transform_bytes(there), gpu.transform_bytes(back));
    const Block real(gpu, kCount * kLines * 8), complex(gpu, kHalf * kLines * 16),
        work(gpu, std::max<std::size_t>(work_bytes, 16)), host = pinned(gpu, kCount * kLines * 8);
    double* const cells = host.as<double>();
    for (std::int64_t i = 0; i < kCount * kLines; ++i) cells[i] = static_cast<double>(i * 7 % 11 - 5);
    const std::vector<double> before(cells, cells + kCount * kLines);
    gpu.copy(Stream::Compute, {real.data, host.data, before.size() * 8});
    gpu.transform(Stream::Compute, there, real.data, complex.data, work.data);
    gpu.transform(Stream::Compute, back, complex.data, real.data, work.data);
    gpu.copy(Stream::Compute, {host.data, real.data, before.size() * 8});
    gpu.finish();
    for (std::size_t i = 0; i < before.size(); ++i) {
      expect(std::abs(cells[i] / kCount - before[i]) < 1e-13, "cell " + std::to_string(i) + " is " +
                                                                  std::to_string(cells[i]) + ", not 10 times " +
                                                                  std::to_string(before[i]));
    }
  });
}

Bench open_bench(Gpu& gpu) {
  const auto compiler = jit::make_nvrtc_compiler(gpu.info().architecture);
  return {gpu, {compile(*compiler, kAdd), compile(*compiler, kSlow), compile(*compiler, kNothing)}};
}

void check_gpu(const Bench& bench, bool measure) {
  check_memory(bench.gpu);
  check_copies(bench);
  check_launches(bench);
  check_marks(bench);
  check_program_streams(bench);
  check_products(bench);
  check_transforms(bench);
  if (!measure) return;
  check("measured:", [&] {
    measure_calls(bench);
    measure_copies(bench);
  });
}

void print(const GpuInfo& info) {
  std::printf("GPU %d: %s, %s, bus %s, %.1f GiB, %.1f MiB cache, %d multiprocessors\n", info.ordinal, info.name.c_str(),
              info.architecture.c_str(), info.bus.c_str(), static_cast<double>(info.memory_bytes) / (1 << 30),
              static_cast<double>(info.cache_bytes) / (1 << 20), info.multiprocessors);
}

int check_all() {
  const GpuList list = list_gpus();
  if (list.gpus.empty()) {
    std::printf("no GPU: %s\n", list.trouble.c_str());
    return 77;
  }
  std::vector<std::unique_ptr<Gpu>> gpus;
  std::vector<Bench> benches;
  for (const GpuInfo& info : list.gpus) {
    print(info);
    check("open, and compile three kernels", [&] {
      gpus.push_back(open_gpu(info));
      benches.push_back(open_bench(*gpus.back()));
    });
  }
  for (const Bench& bench : benches) check_gpu(bench, /*measure=*/&bench == &benches.front());
  for (const Bench& first : benches) {
    for (const Bench& second : benches) {
      if (&first != &second) check_pair(first, second);
    }
  }
  if (benches.size() > 1) check("measured:", [&] { measure_pair(benches[0], benches[1]); });
  check("closed, opened and closed again", [&] {
    benches.clear();
    gpus.clear();
    const auto again = open_gpu(list.gpus.front());
    const Block block(*again, 4096);
  });
  check("a GPU that is not there is refused", [&] {
    bool refused = false;
    try {
      static_cast<void>(open_gpu({.ordinal = 1000}));
    } catch (const RuntimeError&) {
      refused = true;
    }
    expect(refused, "it was opened");
  });
  std::printf("checks that failed: %d\n", failures);
  return failures ? 1 : 0;
}

}  // namespace
}  // namespace pilum::device

int main() {
  return pilum::device::check_all();
}
