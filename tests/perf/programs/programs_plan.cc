// What one rank of a simulated machine does in a step of a program of programs.h, once it is in its stride, and how
// long it takes to plan; nothing is executed. programs_plan NAME SIZE RANKS PROCESSORS_A_RANK [gpus [STEPS]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "scheduler/print/printer.h"
#include "tests/perf/programs/programs.h"
#include "tests/scheduler/plans.h"

int main(int argc, char** argv) {
  using namespace pilum;
  const bool gpus = argc > 5 && std::string(argv[5]) == "gpus";
  const int steps = argc == 7 ? std::atoi(argv[6]) : 60;
  if (argc < 5 || argc > 7 || (argc > 5 && !gpus) || steps < 1) {
    std::fputs("programs_plan NAME SIZE RANKS PROCESSORS_A_RANK [gpus [STEPS]]\n", stderr);
    return 2;
  }
  fakes::SimulatedRanks machine = scheduler::machine_of(std::atoi(argv[3]), std::atoi(argv[4]));
  machine.split_bytes = gpus ? 20 << 20 : 256 << 10;
  machine.gpus = gpus;
  if (gpus) {
    machine.seed = 3;
    machine.memory_bandwidth = 3.35e12;
    machine.message_latency = 10e-6;
    machine.message_bandwidth = 300e9;
  }
  machine.share = gpus;
  machine.direct_after = Config{}.direct_after;
  fakes::PlanningSession session(machine, 0);
  programs::Program program;
  try {
    program = programs::make_program(argv[1], std::atoll(argv[2]));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "programs_plan: %s\n", error.what());
    return 2;
  }
  scheduler::Plan plan = session.take_plan();
  std::vector<double> microseconds;
  for (int step = 0; step < steps; ++step) {
    const auto begun = std::chrono::steady_clock::now();
    program.step();
    plan = session.take_plan();
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begun;
    if (step >= steps / 2) microseconds.push_back(taken.count());
  }
  auto id = plan.first.value;
  for (const scheduler::Instruction& instruction : plan.instructions)
    std::puts(to_text(instruction, InstructionId{id++}).c_str());
  std::size_t sent = 0;
  for (const scheduler::Send* send : plan.all<scheduler::Send>()) sent += send->bytes;
  std::printf("%zu launches, %zu copies of %lld bytes, %zu messages of %zu bytes, %lld bytes allocated\n",
              plan.all<scheduler::Launch>().size(), plan.all<scheduler::Copy>().size(),
              static_cast<long long>(scheduler::copied_bytes(plan)), plan.all<scheduler::Send>().size(), sent,
              static_cast<long long>(scheduler::allocated_bytes(plan)));
  const auto middle = microseconds.begin() + static_cast<std::ptrdiff_t>(microseconds.size() / 2);
  std::nth_element(microseconds.begin(), middle, microseconds.end());
  std::printf("%.1f us to record and plan a step\n", *middle);
  return 0;
}
