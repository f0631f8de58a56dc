// Where there is no OpenMP.
#include "tests/perf/programs/contest.h"

namespace pilum::programs {

const char* unfit_environment() {
  return nullptr;
}

std::unique_ptr<Contest> make_contest(Runtime&, const std::string&, std::int64_t, Program&) {
  return nullptr;
}

}  // namespace pilum::programs
