// Draws programs that NumPy defines, with a taste for overlaps, loops and aliases.
#pragma once

#include <cstdint>

#include "tests/random/program.h"

namespace pilum::random_programs {

// The same program for the same seed, on every machine. It ends with a Read of each array that is left.
Program draw_program(std::uint64_t seed);

}  // namespace pilum::random_programs
