// What recording costs, over a recorder that only appends. --check asserts the promise: 0.3 us an operation,
// or on a slower machine as many times what its memory traffic takes.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "pilum/array.h"
#include "pilum/creation.h"
#include "pilum/math.h"
#include "pilum/task.h"
#include "scheduler/record/recorder.h"
#include "tests/perf/record/appending_recorder.h"

namespace np = pilum::numeric;
using np::all, np::slice;
using pilum::test::AppendingRecorder;

namespace {

void add_arrays(benchmark::State& state) {
  AppendingRecorder recorder;
  const np::Array a = np::zeros({1000, 1000});
  const np::Array b = np::zeros({1000, 1000});
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(add_arrays);

void multiply_by_number(benchmark::State& state) {
  AppendingRecorder recorder;
  const np::Array a = np::zeros({1000, 1000});
  for (auto _ : state) benchmark::DoNotOptimize(0.2 * a);
}
BENCHMARK(multiply_by_number);

void add_broadcast(benchmark::State& state) {
  AppendingRecorder recorder;
  const np::Array a = np::zeros({1000, 1000});
  const np::Array b = np::zeros({1000, 1});
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(add_broadcast);

void assign_array(benchmark::State& state) {
  AppendingRecorder recorder;
  const np::Array a = np::zeros({1000, 1000});
  const np::Array b = np::zeros({1000, 1000});
  for (auto _ : state) a[all] = b;
}
BENCHMARK(assign_array);

void slice_two_axes(benchmark::State& state) {
  AppendingRecorder recorder;
  const np::Array a = np::zeros({1000, 1000});
  for (auto _ : state) benchmark::DoNotOptimize(a(slice(1, -1), slice(2, {})));
}
BENCHMARK(slice_two_axes);

// Six operations.
void jacobi_sweep(benchmark::State& state) {
  AppendingRecorder recorder;
  const np::Array grid = np::zeros({1002, 1002});
  const auto center = grid(slice(1, -1), slice(1, -1));
  const auto north = grid(slice(0, -2), slice(1, -1));
  const auto east = grid(slice(1, -1), slice(2, {}));
  const auto west = grid(slice(1, -1), slice(0, -2));
  const auto south = grid(slice(2, {}), slice(1, -1));
  for (auto _ : state) {
    const auto average = center + north + east + west + south;
    const auto work = 0.2 * average;
    center[all] = work;
  }
  state.SetItemsProcessed(state.iterations() * 6);
}
BENCHMARK(jacobi_sweep);

// A user's task, as a loop launches it: checked once, then found again.
void launch_task(benchmark::State& state) {
  AppendingRecorder recorder;
  const np::Array a = np::zeros({1000});
  const np::Array b = np::zeros({1000});
  const auto smooth =
      pilum::task("smooth", [](pilum::Piece, pilum::Read<const double, 1>, pilum::Write<double, 1>, double) {});
  for (auto _ : state) smooth({1000}, pilum::read(a, pilum::halo(1, 1)), pilum::write(b), 0.5);
}
BENCHMARK(launch_task);

// The same with arrays that the last launches did not have: everything is checked.
void check_and_launch_task(benchmark::State& state) {
  AppendingRecorder recorder;
  std::vector<np::Array> arrays;
  for (int k = 0; k < 16; ++k) arrays.push_back(np::zeros({1000}));
  const auto smooth =
      pilum::task("smooth", [](pilum::Piece, pilum::Read<const double, 1>, pilum::Write<double, 1>, double) {});
  std::size_t next = 0;
  for (auto _ : state) {
    smooth({1000}, pilum::read(arrays[next % 16], pilum::halo(1, 1)), pilum::write(arrays[(next + 1) % 16]), 0.5);
    ++next;
  }
}
BENCHMARK(check_and_launch_task);

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Microseconds of processor time a call takes, the least of nine rounds: neighbours of a shared machine only add to it.
template <class Call>
double least_time(const Call& call) {
  constexpr int kCalls = 100'000;
  double least = 1e9;
  for (int round = 0; round < 9; ++round) {
    const double start = thread_seconds();
    for (int k = 0; k < kCalls; ++k) call();
    least = std::min(least, (thread_seconds() - start) * 1e6 / kCalls);
  }
  return least;
}

// A broken promise ends with an error. A machine that is slower by itself is known by what the memory traffic of an
// operation takes: a store that comes and goes, and the operation moved into a window.
int check_promise() {
  constexpr double kMicroseconds = 0.3, kTimesByHand = 4;
  AppendingRecorder recorder;
  const np::Array a = np::zeros({1000, 1000});
  const double recorded = least_time([&a] { benchmark::DoNotOptimize(a + a); });
  std::vector<pilum::scheduler::Operation> window(512);
  std::size_t next = 0;
  const double by_hand = least_time([&window, &next] {
    benchmark::DoNotOptimize(std::make_unique<pilum::scheduler::Store>());
    pilum::scheduler::Operation operation;
    benchmark::DoNotOptimize(operation);
    window[next++ % window.size()] = std::move(operation);
  });
  std::printf("%.3f us an operation, promised %.1f; %.1f times its memory traffic of %.3f us\n", recorded,
              kMicroseconds, recorded / by_hand, by_hand);
  return recorded <= std::max(kMicroseconds, kTimesByHand * by_hand) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--check") return check_promise();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
