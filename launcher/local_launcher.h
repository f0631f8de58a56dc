// plaunch as the launcher of one node's ranks; mpirun would listen on the network.
#pragma once

#include "launcher/words.h"

namespace pilum::launcher {

// "plaunch --local-ranks N words…" starts `words` N times, as ranks 0 to N-1 of one node.
inline constexpr const char* kLocalRanks = "--local-ranks";

// Open MPI's way into a job that it has not started itself: the component that loads the PMI library of pmi.cc.
// Open MPI from version 5 on has none, and its ranks are started by mpirun.
bool can_start_ranks();

// Ends when all ranks have, with 0 or the status of the first one that failed: by its end, or by leaving with status 0
// while others need it. The others then get SIGTERM, after some seconds SIGKILL; so they do when this process is
// terminated.
int start_ranks(int ranks, const Words& words);

}  // namespace pilum::launcher
