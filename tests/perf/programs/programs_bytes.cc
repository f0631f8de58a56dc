// What a step of a program of programs.h moves on machines of emulated GPUs, in arrays of its size, once it is in its
// stride; with a STAGE (of --print), that as text before. Nothing is taken for small, and a step takes as long against
// a message's latency as on an H100 with 8192 x 8192 cells. programs_bytes NAME SIZE RANKS GPUS_A_RANK [STAGE]
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "tests/fakes/simulated_ranks.h"
#include "tests/perf/programs/programs.h"

int main(int argc, char** argv) try {
  using namespace pilum;
  if (argc < 5 || argc > 6) {
    std::fputs("programs_bytes NAME SIZE RANKS GPUS_A_RANK [STAGE]\n", stderr);
    return 2;
  }
  const std::string name = argv[1];
  const std::int64_t size = std::atoll(argv[2]);
  fakes::SimulatedRanks machine;
  machine.ranks = std::atoi(argv[3]);
  machine.processors_per_rank = std::atoi(argv[4]);
  if (machine.ranks < 1 || machine.processors_per_rank < 1)
    throw std::runtime_error("there is a rank and a GPU at least");
  machine.gpus = machine.share = true;
  machine.seed = 3;  // of an even number of bits: boundaries are apart where they are worth it
  machine.cache_bytes = 4096;
  machine.memory_bandwidth = 3.3e9;
  machine.message_latency = 10e-6;
  machine.graph_after = 12;
  machine.show_stats = true;  // counts
  if (argc == 6) machine.print = argv[5];
  constexpr int kFirst = 24, kSteps = 20;
  std::atomic<std::int64_t> moved{0};  // by all ranks
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
    const programs::Program program = programs::make_program(name, size);
    for (int step = 0; step < kFirst; ++step) program.step();
    session.wait();
    const std::int64_t before = session.moved_bytes();
    for (int step = 0; step < kSteps; ++step) program.step();
    session.wait();
    moved += session.moved_bytes() - before;
  });
  const double cells = std::pow(static_cast<double>(size), name == "heat" || name == "far_heat" ? 3 : 2);
  std::printf("%s %lld, %d ranks of %d GPUs: %.2f arrays a step\n", name.c_str(), static_cast<long long>(size),
              machine.ranks, machine.processors_per_rank, static_cast<double>(moved) / kSteps / 8 / cells);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "programs_bytes: %s\n", error.what());
  return 2;
}
