// What a generator draws, for the oracle: Philox as its authors write it, distributions by the same methods in long
// double.
#pragma once

#include "tests/random/dense.h"

namespace pilum::random_programs {

// The cells of a draw, of create.dtype, row-major. Throws Invalid.
std::vector<Cell> drawn_cells(const Create& create, std::int64_t count);

// Centres and spreads that meet cell by cell, of Op::Normals, rounded to sixteenths.
Dense normals(const Expression& expression, const Dense& centres, const Dense& spreads);

}  // namespace pilum::random_programs
