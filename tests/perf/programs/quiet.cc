#include "tests/perf/programs/quiet.h"

#include <chrono>
#include <ctime>
#include <stdexcept>
#include <thread>

namespace pilum::programs {
namespace {

double cpu_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void wait_until_quiet() {
  constexpr int kLooks = 400;
  constexpr std::chrono::milliseconds kLook{5};
  for (int look = 0; look < kLooks; ++look) {
    const double before = cpu_milliseconds();
    std::this_thread::sleep_for(kLook);
    if (cpu_milliseconds() - before < 0.5) return;  // of one core in ten
  }
  throw std::runtime_error("threads of this process that have nothing to do keep their cores: nothing can be measured");
}

}  // namespace pilum::programs
