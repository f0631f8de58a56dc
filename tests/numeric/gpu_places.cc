#include "tests/numeric/gpu_places.h"

#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

#include "pilum/pilum.h"

namespace pilum::test {
namespace {

// One for all tests: ranks are started once. Ends before main does.
std::unique_ptr<Runtime> runtime;
class EndOfRuntime : public testing::Environment {
  void TearDown() override { runtime.reset(); }
};
const testing::Environment* const end_of_runtime = testing::AddGlobalTestEnvironment(new EndOfRuntime);

}  // namespace

bool on_real_gpus() {
  return std::getenv("PILUM_TEST_REAL_GPUS");
}

bool is_first_rank() {
  return !runtime || runtime->rank() == 0;
}

void on_this_machine(const std::function<void()>& program) {
  if (!runtime) runtime = std::make_unique<Runtime>();
  program();
  runtime->wait();
}

void on_gpus(const std::function<void()>& program) {
  if (on_real_gpus()) return on_this_machine(program);
  const fakes::SimulatedRanks shapes[] = {
      {.ranks = 1, .processors_per_rank = 1, .seed = 1},
      {.ranks = 1, .processors_per_rank = 2, .seed = 2, .direct_after = 256},
      {.ranks = 1, .processors_per_rank = 3, .seed = 3, .peers = false},
      {.ranks = 2, .processors_per_rank = 1, .seed = 4, .messages_from_gpus = true},
      {.ranks = 2, .processors_per_rank = 2, .seed = 7, .direct_after = 256, .share = true},
  };
  for (fakes::SimulatedRanks machine : shapes) {
    SCOPED_TRACE(testing::Message() << machine.ranks << " ranks of " << machine.processors_per_rank << " GPUs, seed "
                                    << machine.seed);
    machine.gpus = true;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { program(); });
    if (testing::Test::HasFailure()) return;
  }
}

std::string error_on_gpus(const std::function<void()>& program, fakes::SimulatedRanks machine) {
  machine.gpus = true;
  return error_on(program, machine);
}

std::string error_on(const std::function<void()>& program, const fakes::SimulatedRanks& machine) {
  try {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
      program();
      session.wait();
    });
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace pilum::test
