// What somebody would write by hand with OpenMP.
#pragma once

#include <cstdint>

#include "tests/perf/programs/by_hand/stores.h"

namespace pilum::by_hand {

// out = a + b * c
void add_product(Stores stores, double* out, const double* a, const double* b, const double* c, std::int64_t cells);
// The sum, by as many partial sums as hide the additions' latency: reads at the memory's speed.
double read(const double* a, std::int64_t cells);
// out = a[places]
void take(Stores stores, double* out, const double* a, const std::int64_t* places, std::int64_t cells);

}  // namespace pilum::by_hand
