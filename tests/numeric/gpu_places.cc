#include "tests/numeric/gpu_places.h"

#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

#include "pilum/pilum.h"

namespace pilum::test {

bool on_real_gpus() { return std::getenv("PILUM_TEST_REAL_GPUS"); }

void on_this_machine(const std::function<void()>& program) {
  static Runtime runtime;  // one for all: ranks are started once
  program();
  runtime.wait();
}

void on_gpus(const std::function<void()>& program) {
  if (on_real_gpus()) return on_this_machine(program);
  const fakes::SimulatedRanks shapes[] = {
      {.ranks = 1, .processors_per_rank = 1, .seed = 1},
      {.ranks = 1, .processors_per_rank = 2, .seed = 2},
      {.ranks = 1, .processors_per_rank = 3, .seed = 3, .peers = false},
      {.ranks = 2, .processors_per_rank = 1, .seed = 4, .messages_from_gpus = true},
      {.ranks = 2, .processors_per_rank = 2, .seed = 7, .share = true},
  };
  for (fakes::SimulatedRanks machine : shapes) {
    SCOPED_TRACE(testing::Message() << machine.ranks << " ranks of " << machine.processors_per_rank << " GPUs, seed "
                                    << machine.seed);
    machine.gpus = true;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { program(); });
    if (testing::Test::HasFailure()) return;
  }
}

std::string error_on_gpus(const std::function<void()>& program, const fakes::SimulatedRanks& machine) {
  fakes::SimulatedRanks on_gpus = machine;
  on_gpus.gpus = true;
  try {
    fakes::run_on_simulated_ranks(on_gpus, [&](scheduler::Session& session) {
      program();
      session.wait();
    });
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace pilum::test
