// Simulated machines as random as the programs that run on them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/fakes/simulated_ranks.h"
#include "tests/random/check.h"

namespace pilum::random_programs {

// The same machine for the same seed: one to seven ranks, most of one core; where arrays are cut, how many operations a
// window has, how many plans are kept; how late messages are.
fakes::SimulatedRanks draw_machine(std::uint64_t seed);
// The same with emulated GPUs for processors, which take ten times as long.
fakes::SimulatedRanks with_gpus(fakes::SimulatedRanks machine);
std::string to_string(const fakes::SimulatedRanks& machine);

// Runs the programs as every rank, one after the other in one session. Of the first that gives other values the text.
std::optional<std::string> execute_on(const fakes::SimulatedRanks& machine, const std::vector<Program>& programs,
                                      const std::vector<std::vector<Reading>>& expected);

// Every batch on a machine of its own, whose workers are on two cores from `first_core` on. With `interpret` no kernel
// is compiled.
Checker on_drawn_machines(int first_core = 0, bool interpret = false, bool gpus = false);

}  // namespace pilum::random_programs
