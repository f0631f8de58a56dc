#include "apps/task_bench/compute.h"

#include <array>

// Compiled for several processors, chosen when the program starts: builds need not run where they were made. Sanitizers
// are not ready yet when that choice is made.
#if defined(__x86_64__) && !defined(PILUM_SANITIZE)
#define METG_FOR_EVERY_PROCESSOR __attribute__((noinline, target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define METG_FOR_EVERY_PROCESSOR __attribute__((noinline))
#endif

namespace metg {

METG_FOR_EVERY_PROCESSOR double compute(std::int64_t iterations) {
  std::array<double, kKernelWidth> x;
  for (int i = 0; i < kKernelWidth; ++i) x[i] = 1.0 + i;
  for (std::int64_t k = 0; k < iterations; ++k) {
    for (int i = 0; i < kKernelWidth; ++i) x[i] = x[i] * 0.5 + 1.0;
  }
  double sum = 0;
  for (const double each : x) sum += each;
  return sum;
}

}  // namespace metg
