// Bins of a histogram, for functions that count in them.
#pragma once

#include "numeric/errors.h"
#include "pilum/array.h"

namespace pilum::numeric {

// How many edges are not above each cell: searchsorted by the right side. Edges that fall are a ValueError when it
// runs, but where it is known that they rise and `are_even`, evenly apart.
Array edges_below(const Call& call, const Array& edges, const Array& cells, bool are_even);

}  // namespace pilum::numeric
