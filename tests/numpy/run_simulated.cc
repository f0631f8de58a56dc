// Runs the cases on simulated ranks, or on emulated GPUs, which compile no kernel: many in little time.
//   run_simulated FILE [--ranks N] [--gpus] [--case N] [--part K --parts N]
#include <atomic>

#include "tests/fakes/simulated_ranks.h"
#include "tests/numpy/check_cases.h"

namespace pilum::numpy_suite {
namespace {

int run_all(const Choice& choice, const fakes::SimulatedRanks& machine) {
  const auto cases = read_file(choice.file);
  if (!cases) return kSkipped;
  std::atomic<int> rank = 0, failed = 0;
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
    if (!check_cases(*cases, choice, rank++)) ++failed;
  });
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace pilum::numpy_suite

int main(int argc, char** argv) {
  using namespace pilum::numpy_suite;
  CLI::App options("Cases that NumPy judged, on simulated machines");
  Choice choice;
  pilum::fakes::SimulatedRanks machine{.message_latency = 0, .shares_cores = true};  // what is picked is asked for
  bool compiles = false;
  add_options(options, choice);
  options.add_option("--ranks", machine.ranks);
  options.add_option("--processors", machine.processors_per_rank, "of each rank");
  options.add_flag("--gpus", machine.gpus, "processors are emulated GPUs");
  options.add_flag("--compile", compiles, "kernels are compiled, not interpreted");
  CLI11_PARSE(options, argc, argv);
  machine.interpret = !compiles;
  return run_all(choice, machine);
}
