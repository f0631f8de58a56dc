#pragma once

#include <string>

#include "apps/task_bench/measure.h"
#include "apps/task_bench/options.h"

namespace metg {

// For people: what was run, a line for each sample, the minimum effective granularity.
[[nodiscard]] std::string to_table(const Options& options, const Measurement& measurement);

// For programs: one line. Times are in seconds; "metg" is there if it was asked for, and the other figures are then its
// sample's.
//   {"program": "metg_mpi", "pattern": "stencil_1d", "width": 2, "radix": 3, "bytes": 16, "cores": 2, "peak": 1.1e+11,
//    "steps": 9000, "iterations": 410, "seconds": 0.02, "granularity": 2e-06, "efficiency": 0.5, "metg": 2e-06}
[[nodiscard]] std::string to_json(const std::string& program, const Options& options, const Measurement& measurement);

}  // namespace metg
