// Where tests of tasks on GPUs run: on emulated ones, of machines of many shapes; or, with PILUM_TEST_REAL_GPUS set, on
// whatever this process was given (tests/gpu/run.sh).
#pragma once

#include <functional>

#include "tests/fakes/simulated_ranks.h"

namespace pilum::test {

[[nodiscard]] bool on_real_gpus();
// Of the ranks that this process is one of.
[[nodiscard]] bool is_first_rank();

// Runs the program as every rank of 1 to 3 GPUs in one rank, of two ranks, and of ranks whose GPUs do not reach each
// other.
void on_gpus(const std::function<void()>& program);

// Runs it on one runtime of this process, the same for all tests.
void on_this_machine(const std::function<void()>& program);

// The text of what it throws; and of what it throws on emulated GPUs.
[[nodiscard]] std::string error_on(const std::function<void()>& program, const fakes::SimulatedRanks& machine);
[[nodiscard]] std::string error_on_gpus(const std::function<void()>& program, fakes::SimulatedRanks machine);

}  // namespace pilum::test
