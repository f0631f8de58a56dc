// What one processor computes of a whole array.
#pragma once

#include "numeric/array_state.h"

namespace pilum::numeric {

// Warns on rank 0, once for each line, where an array of more than 100 MB is brought to one of several processors.
void warn_of_gathered(const Call& call, const Array& a, bool to_all = false);

}  // namespace pilum::numeric
