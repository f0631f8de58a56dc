// Folds of whole arrays for the oracle, and sums of products: in long double where the order of folding counts.
#pragma once

#include "tests/random/dense.h"

namespace pilum::random_programs {

// Of the cells where the mask holds, which broadcasts to the argument.
Dense reduce(const Expression& expression, const Dense& argument, const Dense* mask = nullptr);
// a @ b.
Dense multiplied(const Dense& a, const Dense& b);

}  // namespace pilum::random_programs
