// The main job's figures: against loops written by hand, and what a sweep costs in launches, memory, analysis,
// messages and planning. Prints a line a figure: name, measured, spread, what is asked for.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "pilum/pilum.h"
#include "scheduler/session/session.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/perf/jacobi.h"
#include "tests/perf/samples.h"
#include "tests/perf/spine/hand_written_jacobi.h"

namespace {

namespace np = pilum::numeric;
using np::all, np::slice;
using pilum::perf::Clock, pilum::perf::Jacobi, pilum::perf::seconds_since, pilum::perf::Spread, pilum::perf::spread_of;
using pilum::scheduler::Session;

void print(const char* name, Spread figure, const char* unit, const char* asked) {
  std::printf("%-52s %9.3f %-4s (%.3f .. %.3f)  asked: %s\n", name, figure.median, unit, figure.low, figure.high,
              asked);
}

Session& session() {
  return static_cast<Session&>(pilum::scheduler::current_recorder("perf", std::source_location::current()));
}

void against_hand_written(pilum::Runtime& runtime, std::int64_t n, int rounds) {
  constexpr int kSweeps = 10;
  Jacobi jacobi(n, n);
  pilum::perf::HandWrittenJacobi by_hand(n);
  for (int i = 0; i < 4; ++i) jacobi.sweep();
  runtime.wait();
  by_hand.run(2, /*streaming=*/false);
  by_hand.run(2, /*streaming=*/true);
  const auto& counters = session().profile().counters;
  std::vector<double> ratios, plain_bandwidth, bandwidth;
  const auto launches = counters.launches.get();
  const auto copies = counters.copies.get();
  const auto allocations = session().memory().allocations();
  for (int round = 0; round < rounds; ++round) {
    auto start = Clock::now();
    by_hand.run(kSweeps, /*streaming=*/false);
    const double plain = seconds_since(start);
    start = Clock::now();
    for (int i = 0; i < kSweeps; ++i) jacobi.sweep();
    runtime.wait();
    const double ours = seconds_since(start);
    start = Clock::now();
    by_hand.run(kSweeps, /*streaming=*/true);
    const double streaming = seconds_since(start);
    ratios.push_back(std::min(plain, streaming) / ours);
    bandwidth.push_back(16e-9 * static_cast<double>(n) * static_cast<double>(n) * kSweeps / ours);
    plain_bandwidth.push_back(16e-9 * static_cast<double>(n) * static_cast<double>(n) * kSweeps /
                              std::min(plain, streaming));
  }
  const double sweeps = static_cast<double>(rounds) * kSweeps;
  print("jacobi, speed / the faster one by hand", spread_of(ratios), "x", ">= 1.0");
  print("  effective bandwidth", spread_of(bandwidth), "GB/s", "-");
  print("  effective bandwidth by hand", spread_of(plain_bandwidth), "GB/s", "-");
  const auto once = [](double value) { return Spread{value, value, value}; };
  print("launches an iteration", once(static_cast<double>(counters.launches.get() - launches) / sweeps), "", "1");
  print("copies in steady state", once(static_cast<double>(counters.copies.get() - copies)), "", "0");
  print("allocations in steady state", once(static_cast<double>(session().memory().allocations() - allocations)), "",
        "0");
  const double grids = 2.0 * static_cast<double>(n + 2) * static_cast<double>(n + 2) * 8;
  print("peak of the pool / 2 grids", once(static_cast<double>(session().pool().peak()) / grids), "x", "<= 1.05");
}

// Analysis alone, nothing executed: what the recording thread spends on one sweep.
void analysis(int rounds) {
  pilum::fakes::SimulatedRanks machine;
  pilum::fakes::PlanningSession planning(machine, 0);
  session().set_on_plan([](const pilum::scheduler::Plan&) {});  // a plan that is looked at is not kept
  Jacobi jacobi(1000, 1000);
  for (int i = 0; i < 100; ++i) jacobi.sweep();
  (void)planning.take_plan();
  std::vector<double> recording, analysing;
  constexpr int kSweeps = 40;
  for (int round = 0; round < rounds; ++round) {
    auto start = Clock::now();
    for (int i = 0; i < kSweeps; ++i) jacobi.sweep();
    recording.push_back(seconds_since(start) / kSweeps / 6 * 1e6);
    start = Clock::now();
    (void)planning.take_plan();
    analysing.push_back(seconds_since(start) / kSweeps * 1e6);
  }
  print("recording an operation", spread_of(recording), "us", "<= 0.3");
  print("analysing one iteration of jacobi", spread_of(analysing), "us", "<= 60");
}

// P ranks in a row: what a rank in the middle sends.
void messages() {
  for (const int ranks : {2, 3, 7, 64}) {
    pilum::fakes::SimulatedRanks machine;
    machine.ranks = ranks;
    pilum::fakes::PlanningSession planning(machine, ranks / 2);
    constexpr std::int64_t kWidth = 500;
    Jacobi jacobi(std::int64_t{100} * ranks, kWidth);
    for (int i = 0; i < 4; ++i) jacobi.sweep();
    (void)planning.take_plan();
    jacobi.sweep();
    const pilum::scheduler::Plan plan = planning.take_plan();
    std::size_t bytes = 0;
    for (const auto* send : plan.all<pilum::scheduler::Send>()) bytes += send->bytes;
    const std::size_t neighbours = ranks / 2 == ranks - 1 ? 1 : 2;
    std::printf(
        "messages an iteration, rank %d of %-3d in a row:       %9zu      %zu bytes        asked: %zu, %zu bytes\n",
        ranks / 2, ranks, plan.count<pilum::scheduler::Send>(), bytes, neighbours, neighbours * kWidth * 8);
  }
}

// Seconds to plan 40 sweeps on one rank; its part of the grid is as large whatever the number of ranks.
double planning_seconds(int ranks, int rank, std::int64_t rows, std::int64_t columns) {
  pilum::fakes::SimulatedRanks machine;
  machine.ranks = ranks;
  machine.split_bytes = 256 * 1024;
  pilum::fakes::PlanningSession planning(machine, rank);
  Jacobi jacobi(rows, columns);
  for (int i = 0; i < 20; ++i) jacobi.sweep();
  (void)planning.take_plan();
  for (int i = 0; i < 40; ++i) jacobi.sweep();
  const auto start = Clock::now();
  (void)planning.take_plan();
  return seconds_since(start);
}

void planning_cost(int rounds) {
  std::vector<double> row, grid;
  for (int round = 0; round < rounds; ++round) {
    row.push_back(planning_seconds(4096, 2049, 4096 * 256, 512) / planning_seconds(4, 1, 4 * 256, 512));
    // In a grid of ranks, one with four neighbours: 16 ranks are the fewest that have one.
    grid.push_back(planning_seconds(4096, 64 * 32 + 32, 64 * 8192, 64 * 8192) /
                   planning_seconds(16, 5, 4 * 8192, 4 * 8192));
  }
  print("planning a rank, 4,096 ranks / 4, in a row", spread_of(row), "x", "<= 1.5");
  print("planning a rank, 4,096 ranks / 16, in a grid", spread_of(grid), "x", "<= 1.5");
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 8192;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 11;
  if (n > 0) {  // 0: only what needs no execution
    pilum::Runtime runtime(argc, argv);
    against_hand_written(runtime, n, rounds);
  }
  analysis(rounds);
  messages();
  planning_cost(rounds);
}
