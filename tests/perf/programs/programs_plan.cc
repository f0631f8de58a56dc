// What one rank of a simulated machine does in a step of a program of programs.h, once it is in its stride; nothing is
// executed. programs_plan NAME SIZE RANKS PROCESSORS_A_RANK [gpus]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "scheduler/print/printer.h"
#include "tests/perf/programs/programs.h"
#include "tests/scheduler/plans.h"

int main(int argc, char** argv) {
  using namespace pilum;
  const bool gpus = argc == 6 && std::string(argv[5]) == "gpus";
  if (argc != 5 && !gpus) {
    std::fputs("programs_plan NAME SIZE RANKS PROCESSORS_A_RANK [gpus]\n", stderr);
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
  for (int step = 0; step < 60; ++step) {
    program.step();
    plan = session.take_plan();
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
  return 0;
}
