// Machines that cut even small arrays, in several ways: what is computed has the same bits on all of them.
#pragma once

#include <iterator>
#include <span>

#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {

inline const fakes::SimulatedRanks kAllCutMachines[] = {
    {.ranks = 1},
    {.ranks = 3, .processors_per_rank = 2, .split_bytes = 112, .window = 3},
    {.ranks = 2, .processors_per_rank = 2, .split_bytes = 48, .gpus = true, .direct_after = 256},
    {.ranks = 1, .processors_per_rank = 2, .split_bytes = 16, .direct_after = 256},
    {.ranks = 2, .split_bytes = 48},
    {.ranks = 3, .split_bytes = 80, .window = 1},
    {.ranks = 1, .gpus = true},
};

// Under sanitizers the first three, which have of everything: each compiles kernels of its own.
inline const std::span kCutMachines(kAllCutMachines, fakes::kIsSanitized ? 3 : std::size(kAllCutMachines));

}  // namespace pilum
