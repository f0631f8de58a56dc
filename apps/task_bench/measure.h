#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "apps/task_bench/options.h"
#include "apps/task_bench/pattern.h"

namespace metg {

// Runs the graph once, with so many iterations of the kernel in every task, and returns the seconds it took. Every
// decision follows from what it returns: where several ranks measure together, it returns the same on each.
using RunGraph = std::function<double(const Graph& graph, std::int64_t iterations)>;

// The median of several runs.
struct Sample {
  std::int64_t iterations = 0;
  std::int64_t steps = 0;
  double seconds = 0;      // of a run
  double granularity = 0;  // seconds of a core for each task
  double flops = 0;        // a second, of all cores
};

struct Measurement {
  int cores = 1;
  double peak = 0;              // flops a second, the best that was seen
  std::vector<Sample> samples;  // by growing iterations
  std::optional<Sample> metg;   // of those, the one of the smallest tasks that are at least 50 % efficient

  [[nodiscard]] double efficiency(const Sample& sample) const { return sample.flops / peak; }
};

// With options.metg, finds the minimum effective granularity (Slaughter et al., SC20, section IV) by bisection;
// without, one sample of these options. Steps are its own for all but that one: enough for a run of 20 ms.
[[nodiscard]] Measurement measure(const Options& options, int cores, const RunGraph& run);

}  // namespace metg
