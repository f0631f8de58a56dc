// Random programs, run on simulated ranks: the naive recorder's cells on every machine.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/fakes/naive_recorder.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/random_program.h"

namespace pilum::scheduler {
namespace {

class RandomRuns : public testing::TestWithParam<int> {};

TEST_P(RandomRuns, GiveTheNaiveRecordersCellsOnEveryMachine) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::vector<double> expected;
  {
    fakes::NaiveRecorder naive;
    expected = RandomProgram(seed).run(30);
  }
  for (const auto& [ranks, processors] :
       {std::pair(1, 1), std::pair(2, 1), std::pair(3, 1), std::pair(7, 1), std::pair(1, 3), std::pair(2, 2)}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks of " << processors << " processors");
    fakes::SimulatedRanks machine;
    machine.ranks = ranks;
    machine.processors_per_rank = processors;
    machine.seed = seed;
    machine.workers = seed % 4 == 0 ? 2 : 0;
    machine.window = seed % 3 == 0 ? 7 : 0;
    fakes::run_on_simulated_ranks(machine, [&](Session&) { EXPECT_EQ(RandomProgram(seed).run(30), expected); });
    if (HasFailure()) return;
  }
}

// PILUM_RANDOM_PROGRAMS=200 for a longer search.
int programs() {
  const char* wanted = std::getenv("PILUM_RANDOM_PROGRAMS");
  return wanted ? std::atoi(wanted) : 8;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRuns, testing::Range(1, 1 + programs()));

}  // namespace
}  // namespace pilum::scheduler
