// One test body for every way of being several ranks. Link one of the runner_*.cc.
#pragma once

#include <functional>

#include "runtime/comm/communicator.h"

namespace pilum::test {

using RankBody = std::function<void(comm::Communicator&)>;

// Runs the body as every rank and returns when all are through: in this process's own rank (runner_process.cc, has
// main() and ends the whole job at the first failure), in threads on simulated networks of 1 to 4 ranks
// (runner_simulated.cc), or as the only rank (runner_self.cc).
void run_on_ranks(const RankBody& body);

}  // namespace pilum::test
