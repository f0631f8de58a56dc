#include "tests/perf/programs/by_hand/pinned_team.h"

#include <cstdlib>
#include <vector>

#include <omp.h>

namespace pilum::by_hand {

PinnedTeam::PinnedTeam(int threads) {
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
  sched_getaffinity(0, sizeof before_, &before_);
  std::vector<std::size_t> cores;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &before_)) cores.push_back(core);
  }
#pragma omp parallel
  {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cores[static_cast<std::size_t>(omp_get_thread_num()) % cores.size()], &only);
    sched_setaffinity(0, sizeof only, &only);
  }
}

PinnedTeam::~PinnedTeam() {
  sched_setaffinity(0, sizeof before_, &before_);
}

const char* unfit_environment() {
  if (omp_get_proc_bind() != omp_proc_bind_false) {
    return "OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY pins the program's thread, which Pilum needs, too: unset "
           "them, OpenMP's threads are pinned while they are measured";
  }
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) {
    return "OMP_WAIT_POLICY or GOMP_SPINCOUNT is set: unset them, so that threads spin between loops and sleep soon "
           "after the last";
  }
  return nullptr;
}

}  // namespace pilum::by_hand
