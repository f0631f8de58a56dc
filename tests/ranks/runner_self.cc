#include <gtest/gtest.h>

#include "tests/ranks/rank_runner.h"

namespace pilum::test {

void run_on_ranks(const RankBody& body) {
  const auto communicator = comm::make_communicator(comm::Transport::Self);
  body(*communicator);
  if (!testing::Test::HasFailure()) communicator->finalize();
}

}  // namespace pilum::test
