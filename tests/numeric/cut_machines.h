// Machines that cut even small arrays, in several ways: what is computed has the same bits on all of them.
#pragma once

#include "tests/fakes/simulated_ranks.h"

namespace pilum {

inline const fakes::SimulatedRanks kCutMachines[] = {
    {.ranks = 1},
    {.ranks = 1, .processors_per_rank = 2, .split_bytes = 16},
    {.ranks = 2, .split_bytes = 48},
    {.ranks = 3, .processors_per_rank = 2, .split_bytes = 112, .window = 3},
    {.ranks = 3, .split_bytes = 80, .window = 1},
    {.ranks = 1, .gpus = true},
    {.ranks = 2, .processors_per_rank = 2, .split_bytes = 48, .gpus = true},
};

}  // namespace pilum
