// Weights of an array's cells.
#pragma once

#include "numeric/array_state.h"

namespace pilum::numeric {

// A weight for each cell: one array of them, or what one has of the folded axes, seen along the others. Throws
// ShapeError for weights that do not fit.
Array weights_along(const Call& call, const Array& a, const Array& weights, const Axes& axes);

}  // namespace pilum::numeric
