// What programs reach on GPUs (those of PILUM_GPUS, all by default), as ratios to a device-to-device copy on one of
// them in the same run:
//   gpu_perf [ROUNDS] [SCALE]
// ROUNDS (7) of copy and program in turn. SCALE (1) divides the edges of what is computed, for runs that only check.
// A line a figure: name, median, least .. most, of the copy's, what is asked for. Exit status 77: no GPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pilum/pilum.h"
#include "runtime/device/gpu.h"
#include "tests/perf/jacobi.h"
#include "tests/perf/samples.h"

namespace {

namespace np = pilum::numeric;
using np::all, np::slice;
using pilum::perf::Clock, pilum::perf::Jacobi, pilum::perf::seconds_since, pilum::perf::Spread, pilum::perf::spread_of;

// Copies from memory to memory of a GPU, by the driver, past the runtime.
class DeviceCopy {
 public:
  DeviceCopy(const pilum::device::GpuInfo& info, std::size_t bytes)
      : gpu_(pilum::device::open_gpu(info)), bytes_(bytes), from_(gpu_->allocate(bytes)), to_(gpu_->allocate(bytes)) {
    if (!from_ || !to_) throw pilum::RuntimeError("[gpu_perf] no memory for a copy");
  }
  ~DeviceCopy() {
    gpu_->release(from_);
    gpu_->release(to_);
  }
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;

  // GB/s, read and written.
  double measure() {
    constexpr int kCopies = 10;
    const auto start = Clock::now();
    for (int i = 0; i < kCopies; ++i) {
      gpu_->copy(pilum::device::Stream::Copies,
                 {.to = to_, .from = from_, .width = bytes_, .to_pitch = bytes_, .from_pitch = bytes_});
    }
    gpu_->finish();
    return 2e-9 * kCopies * static_cast<double>(bytes_) / seconds_since(start);
  }

 private:
  std::unique_ptr<pilum::device::Gpu> gpu_;
  std::size_t bytes_;
  std::byte* from_;
  std::byte* to_;
};

class Bench {
 public:
  Bench(pilum::Runtime& runtime, DeviceCopy& copy, int rounds, std::int64_t scale)
      : runtime_(runtime), copy_(copy), rounds_(rounds), scale_(scale) {}

  // The copy by itself.
  void copy_alone() {
    copy_.measure();
    std::vector<double> samples;
    for (int round = 0; round < rounds_; ++round) samples.push_back(copy_.measure());
    print("copy, device to device", spread_of(samples), "GB/s", 1, "-");
  }

  // `calls` of `work` a round, each waited for where `waits`, else all together: one would be fused with the next.
  void bandwidth(const std::string& name, double bytes, int calls, bool waits, const std::function<void()>& work,
                 const char* asked) {
    time(calls, waits, work);
    std::vector<double> samples, ratios;
    for (int round = 0; round < rounds_; ++round) {
      const double copied = copy_.measure();
      samples.push_back(1e-9 * bytes / time(calls, waits, work));
      ratios.push_back(samples.back() / copied / runtime_.processors());
    }
    print(name, spread_of(samples), "GB/s", spread_of(ratios).median, asked);
  }

  // Seconds of one call.
  double time(int calls, bool waits, const std::function<void()>& work) {
    runtime_.wait();
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) {
      work();
      if (waits) runtime_.wait();
    }
    runtime_.wait();
    return seconds_since(start) / calls;
  }

  void print(const std::string& name, Spread figure, const char* unit, double ratio, const char* asked) const {
    std::printf("%-44s %10.4g %-4s (%.4g .. %.4g)  ", name.c_str(), figure.median, unit, figure.low, figure.high);
    if (ratio > 0) std::printf("%.3f of a copy  ", ratio);
    std::printf("asked: %s\n", asked);
    std::fflush(stdout);
  }

  void jacobi(const std::string& name, np::DType dtype, const char* asked) {
    const std::int64_t n = 16384 / scale_;
    Jacobi jacobi(n, n, dtype);
    const double bytes = 2.0 * static_cast<double>(pilum::itemsize(dtype)) * static_cast<double>(n * n);
    bandwidth(name, bytes, 100, /*waits=*/false, [&] { jacobi.sweep(); }, asked);
  }

  void small_jacobi() {
    Jacobi jacobi(100, 100);
    std::vector<double> samples;
    for (int round = -2; round < rounds_; ++round) {
      const double seconds = time(100, /*waits=*/false, [&] { jacobi.sweep(); });
      if (round >= 0) samples.push_back(seconds * 100 * 1e3);
    }
    print("jacobi 100^2, 100 sweeps", spread_of(samples), "ms", 0, "<= 1");
  }

  void elementwise() {
    const std::int64_t cells = (std::int64_t{1} << 27) / (scale_ * scale_);
    const double bytes = 8.0 * static_cast<double>(cells);
    const np::Array a = np::arange(cells, np::float64) * (1.0 / static_cast<double>(cells));
    const np::Array b = a + 1.0, c = a - 0.5;
    np::Array result = np::zeros(cells);
    bandwidth("r = a + b * c, 2^27 float64", 4 * bytes, 5, /*waits=*/true, [&] { result[all] = a + b * c; }, "-");
    bandwidth("r = exp(a), 2^27 float64", 2 * bytes, 5, /*waits=*/true, [&] { result[all] = np::exp(a); }, "-");
  }

  void sums() {
    const std::int64_t cells = 1'000'000'000 / (scale_ * scale_);
    const np::Array numbers = np::arange(cells, np::float64);
    bandwidth(
        "sum of 1e9 float64", 8.0 * static_cast<double>(cells), 5, /*waits=*/true,
        [&] { static_cast<void>(np::sum(numbers).item<double>()); }, ">= 0.9");
  }

  void matrices() {
    const std::int64_t n = 16384 / scale_;
    const double bytes = 8.0 * static_cast<double>(n * n);
    const np::Array matrix = np::arange(n * n, np::float64).reshape({n, n});
    np::Array result = np::zeros({n, n});
    bandwidth(
        "sum(axis=0) of 16384^2 float64", bytes, 5, /*waits=*/true,
        [&] {
          auto sums = np::sum(matrix, 0);
          runtime_.wait();
        },
        "-");
    bandwidth(
        "sum(axis=1) of 16384^2 float64", bytes, 5, /*waits=*/true,
        [&] {
          auto sums = np::sum(matrix, 1);
          runtime_.wait();
        },
        "-");
    bandwidth("r = a.T, 16384^2 float64", 2 * bytes, 5, /*waits=*/true, [&] { result[all] = matrix.T(); }, "-");
  }

 private:
  pilum::Runtime& runtime_;
  DeviceCopy& copy_;
  const int rounds_;
  const std::int64_t scale_;
};

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  const std::int64_t scale = argc > 2 ? std::atoll(argv[2]) : 1;
  const pilum::device::GpuList list = pilum::device::list_gpus();
  if (list.gpus.empty()) {
    std::printf("no GPU: %s\n", list.trouble.c_str());
    return 77;
  }
  try {
    pilum::Runtime runtime(argc, argv);
    DeviceCopy copy(list.gpus.front(), (std::size_t{1} << 30) / static_cast<std::size_t>(scale * scale));
    std::printf("%s, %d of %zu used; medians of %d rounds\n", list.gpus.front().name.c_str(), runtime.processors(),
                list.gpus.size(), rounds);
    if (scale > 1) std::printf("edges divided by %ld: these figures say nothing\n", static_cast<long>(scale));
    Bench bench(runtime, copy, rounds, scale);
    bench.copy_alone();
    bench.jacobi("jacobi 16384^2 float64, 16 B a point", np::float64, ">= 0.92");
    bench.jacobi("jacobi 16384^2 float32, 8 B a point", np::float32, "-");
    bench.small_jacobi();
    bench.sums();
    bench.matrices();
    bench.elementwise();
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "gpu_perf: %s\n", error.what());
    return 1;
  }
}
