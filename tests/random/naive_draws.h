// What a generator draws, for the oracle: Philox as its authors write it, distributions by the same methods in long
// double.
#pragma once

#include "tests/random/dense.h"

namespace pilum::random_programs {

// The cells of a draw, of create.dtype, row-major. Throws Invalid.
std::vector<Cell> drawn_cells(const Create& create, std::int64_t count);

// Of an operation of which is_drawn holds, and parameters that meet cell by cell. Throws Invalid.
Dense drawn_of(const Expression& expression, const std::vector<Dense>& parameters);

}  // namespace pilum::random_programs
