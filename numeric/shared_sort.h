// One long line sorted by all processors together: each sorts a part, and merges its share of the result out of all.
#pragma once

#include "numeric/array_state.h"
#include "numeric/errors.h"

namespace pilum::numeric {

// Whether a line of such cells is so long that sending parts of it is worth it, here.
[[nodiscard]] bool is_sorted_in_shares(const Call& call, const Array& line);
// The line in order; where its cells stand in order. The bits are those of one processor's sort.
[[nodiscard]] Array sort_in_shares(const Call& call, const Array& line);
[[nodiscard]] Array argsort_in_shares(const Call& call, const Array& line);

}  // namespace pilum::numeric
