// What goes along one axis, for the oracle: cells are taken by their places, and lines are vectors.
#pragma once

#include "tests/random/dense.h"

namespace pilum::random_programs {

// Every operation of which is_along_axis holds. Throws Invalid.
Dense compute_along_axis(const Expression& expression, const std::vector<Dense>& arguments);

}  // namespace pilum::random_programs
