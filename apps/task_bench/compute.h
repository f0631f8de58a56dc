#pragma once

#include <cstdint>

namespace metg {

constexpr int kKernelWidth = 64;
constexpr double kFlopsPerIteration = 2.0 * kKernelWidth;

// What a task computes: `iterations` times x = a·x + b over 64 numbers that stay in registers. The compute-bound kernel
// of Task Bench, with factors that keep the numbers finite. Returns their sum, which depends on every iteration: use
// it, or call it for the time (it is never inlined).
double compute(std::int64_t iterations);

}  // namespace metg
