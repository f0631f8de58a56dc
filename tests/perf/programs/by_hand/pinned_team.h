// OpenMP's threads have a core each while they are measured.
#pragma once

#include <sched.h>

namespace pilum::by_hand {

// Parallel regions have so many threads, which are pinned, this one until the end of the object. (OMP_PROC_BIND would
// pin the program's thread for good, and with it what Pilum does there.)
class PinnedTeam {
 public:
  explicit PinnedTeam(int threads);
  ~PinnedTeam();
  PinnedTeam(const PinnedTeam&) = delete;
  PinnedTeam& operator=(const PinnedTeam&) = delete;

 private:
  cpu_set_t before_;
};

// pilum::programs::unfit_environment (contest.h).
const char* unfit_environment();

}  // namespace pilum::by_hand
