// Emitted kernels against hand-written loops: Jacobi 8192 x 8192 float64, a sum, and elementary functions. Everything
// that is compared runs in turn, and medians are shown, since a shared machine's bandwidth wanders.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <omp.h>
#include <sched.h>

#include "runtime/jit/jit.h"
#include "runtime/kernel/ir/builder.h"
#include "tests/perf/kernel/hand_written.h"

namespace pilum::perf {
namespace {

using kernel::Access;
using kernel::Builder;
using kernel::Inner;
using kernel::Kernel;
using kernel::KernelFunction;
using kernel::Offset;
using kernel::Op;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Kernel jacobi_kernel() {
  Builder builder(2);
  const int in = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, 2});
  const int out = builder.add_array({DType::Float64, Access::Write, Inner::Contiguous, 2});
  const int scale = builder.add_scalar(DType::Float64);
  kernel::ValueId value = builder.load(in);
  for (const Offset& offset : {Offset{-1, 0}, Offset{1, 0}, Offset{0, -1}, Offset{0, 1}}) {
    value = builder.binary(Op::Add, value, builder.load(in, offset));
  }
  builder.store(out, builder.binary(Op::Multiply, value, builder.argument(scale)));
  return builder.finish();
}

Kernel sum_kernel() {
  Builder builder(1);
  const int in = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, 1});
  const int out = builder.add_array({DType::Float64, Access::Reduce, Inner::Broadcast, 1});
  builder.accumulate(out, builder.load(in), kernel::Fold::Sum, 1);
  return builder.finish();
}

Kernel unary_kernel(Op op, DType dtype) {
  Builder builder(1);
  const int in = builder.add_array({dtype, Access::Read, Inner::Contiguous, 1});
  const int out = builder.add_array({dtype, Access::Write, Inner::Contiguous, 1});
  builder.store(out, builder.unary(op, builder.load(in)));
  return builder.finish();
}

// A plane of n x n cells with one more on each side; the first inner column is on a 64-byte line, and rows are a
// multiple of 64 but not of 4096 bytes apart.
struct Plane {
  std::int64_t pitch;
  std::vector<double> cells;
  double* origin;

  explicit Plane(std::int64_t n)
      : pitch((n + 2 + 8 + 7) / 8 * 8), cells(static_cast<std::size_t>((n + 2) * pitch + 16)) {
    if (pitch % 512 == 0) pitch += 8;
    cells.resize(static_cast<std::size_t>((n + 3) * pitch + 16));
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<double>(i % 1013) * 0.5;
    double* first = cells.data() + pitch + 1;
    origin = first + (64 - reinterpret_cast<std::uintptr_t>(first) % 64) % 64 / 8;
  }
};

// Two arrays, two threads each a block of rows, in chunks of rows.
class Jacobi {
 public:
  explicit Jacobi(std::int64_t n) : n_(n), a_(n), b_(n) {}

  void hand(bool streaming, std::int64_t chunk) {
    chunks(chunk, [&](std::int64_t first, std::int64_t last) {
      (streaming ? jacobi_streaming : jacobi_plain)(a_.origin, b_.origin, first, last, n_, a_.pitch, 0.2);
    });
  }
  void emitted(KernelFunction function, std::int64_t chunk) {
    chunks(chunk, [&](std::int64_t first, std::int64_t last) {
      kernel::BoundArray arrays[2] = {};
      arrays[0].base = reinterpret_cast<char*>(a_.origin + first * a_.pitch);
      arrays[1].base = reinterpret_cast<char*>(b_.origin + first * a_.pitch);
      for (kernel::BoundArray& array : arrays) {
        array.stride[0] = array.pitch[0] = a_.pitch * 8;
        array.stride[1] = array.pitch[1] = 8;
      }
      const double scale = 0.2;
      std::uint64_t scalar;
      __builtin_memcpy(&scalar, &scale, 8);
      kernel::KernelCall call{};
      call.extent[0] = last - first;
      call.extent[1] = n_;
      call.arrays = arrays;
      call.scalars = &scalar;
      function(&call);
    });
  }
  double check() const { return b_.origin[5 * a_.pitch + 7] + b_.origin[(n_ - 1) * a_.pitch + n_ - 1]; }
  const Plane& input() const { return a_; }

 private:
  // chunk <= 0: one block a thread.
  template <class Function>
  void chunks(std::int64_t chunk, Function function) {
#pragma omp parallel
    {
      const std::int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
      const std::int64_t begin = n_ * me / threads, end = n_ * (me + 1) / threads;
      const std::int64_t step = chunk > 0 ? chunk : end - begin;
      for (std::int64_t row = begin; row < end; row += step) function(row, std::min(row + step, end));
    }
  }

  std::int64_t n_;
  Plane a_, b_;
};

struct Candidate {
  std::string name;
  std::function<void()> run;
  std::vector<double> times;
};

// Runs the candidates in turn; the unit is `amount` / seconds.
void compare(const char* title, std::vector<Candidate> candidates, int rounds, double amount, const char* unit) {
  for (Candidate& candidate : candidates) candidate.run();
  for (int round = 0; round < rounds; ++round) {
    for (Candidate& candidate : candidates) {
      const double start = seconds();
      candidate.run();
      candidate.times.push_back(seconds() - start);
    }
  }
  std::printf("%s\n", title);
  double reference = 0;
  for (Candidate& candidate : candidates) {
    std::sort(candidate.times.begin(), candidate.times.end());
    const std::size_t count = candidate.times.size();
    const double median = candidate.times[count / 2];
    if (reference == 0) reference = median;
    std::printf("  %-34s %8.2f %s  (quartiles %.2f, %.2f)  %.3f x the first\n", candidate.name.c_str(), amount / median,
                unit, amount / candidate.times[3 * count / 4], amount / candidate.times[count / 4], reference / median);
  }
}

void pin_threads() {
#pragma omp parallel
  {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(omp_get_thread_num()), &set);
    sched_setaffinity(0, sizeof set, &set);
  }
}

int run(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 8192;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 15;
  omp_set_num_threads(2);
  pin_threads();
  const auto jit = jit::make_jit({.disk_cache = false, .form = jit::CodeForm::Optimized});
  const KernelFunction plain = jit->get_host(jacobi_kernel(), {})->function();
  const KernelFunction streaming = jit->get_host(jacobi_kernel(), {.streaming = true})->function();

  Jacobi sweep(n);
  sweep.hand(false, 0);
  const double wanted = sweep.check();
  const auto chunk_of = [&](std::int64_t bytes) { return std::max<std::int64_t>(1, bytes / (n * 16)); };
  std::vector<Candidate> candidates = {{"by hand, plain", [&] { sweep.hand(false, 0); }, {}},
                                       {"by hand, streaming", [&] { sweep.hand(true, 0); }, {}},
                                       {"emitted plain, one block", [&] { sweep.emitted(plain, 0); }, {}},
                                       {"emitted streaming, one block", [&] { sweep.emitted(streaming, 0); }, {}}};
  for (const std::int64_t kib : {256, 512, 1024, 2048, 8192}) {
    candidates.push_back({"emitted streaming, " + std::to_string(kib) + " KiB chunks",
                          [&, kib] { sweep.emitted(streaming, chunk_of(kib << 10)); },
                          {}});
  }
  compare("Jacobi, GB/s at 16 bytes a point", std::move(candidates), rounds, 16e-9 * static_cast<double>(n * n),
          "GB/s");
  if (sweep.check() != wanted) {
    std::printf("the results differ\n");
    return 1;
  }

  const std::int64_t cells = n * n;
  const double* numbers = sweep.input().cells.data();
  const KernelFunction sum_function = jit->get_host(sum_kernel(), {})->function();
  double total = 0;
  const auto emitted_sum = [&] {
#pragma omp parallel reduction(+ : total)
    {
      const std::int64_t half = cells / 2;
      double part = 0;
      kernel::BoundArray arrays[2] = {};
      arrays[0].base = const_cast<char*>(reinterpret_cast<const char*>(numbers + half * omp_get_thread_num()));
      arrays[1].base = reinterpret_cast<char*>(&part);
      kernel::KernelCall call{};
      call.extent[0] = half;
      call.arrays = arrays;
      sum_function(&call);
      total += part;
    }
  };
  const auto hand_sum = [&] {
#pragma omp parallel reduction(+ : total)
    total += sum(numbers + cells / 2 * omp_get_thread_num(), cells / 2);
  };
  compare("sum, GB/s", {{"by hand", hand_sum, {}}, {"emitted", emitted_sum, {}}}, rounds,
          8e-9 * static_cast<double>(cells), "GB/s");

  std::vector<double> x(4096), y(4096);
  std::vector<float> narrow(4096);
  for (std::size_t i = 0; i < x.size(); ++i)
    narrow[i] = static_cast<float>(x[i] = 0.001 + static_cast<double>(i) * 0.01);
  std::vector<Candidate> functions;
  for (const auto& [op, dtype] : {std::pair(Op::Exp, DType::Float64),
                                  {Op::Log, DType::Float64},
                                  {Op::Exp, DType::Float32},
                                  {Op::Log, DType::Float32}}) {
    const KernelFunction function = jit->get_host(unary_kernel(op, dtype), {})->function();
    char* in = dtype == DType::Float64 ? reinterpret_cast<char*>(x.data()) : reinterpret_cast<char*>(narrow.data());
    functions.push_back({std::string(name(op)) + " " + pilum::name(dtype),
                         [in, &y, function] {
                           kernel::BoundArray arrays[2] = {};
                           arrays[0].base = in;
                           arrays[1].base = reinterpret_cast<char*>(y.data());
                           kernel::KernelCall call{};
                           call.extent[0] = 4096;
                           call.arrays = arrays;
                           for (int i = 0; i < 100; ++i) function(&call);
                         },
                         {}});
  }
  compare("elementary functions in the first-level cache, elements a nanosecond", std::move(functions), rounds,
          409600e-9, "/ns ");
  return total == 0;
}

}  // namespace
}  // namespace pilum::perf

int main(int argc, char** argv) {
  return pilum::perf::run(argc, argv);
}
