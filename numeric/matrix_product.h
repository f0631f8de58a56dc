// Products of matrices as launches of the library's own tasks.
#pragma once

#include "numeric/array_state.h"
#include "numeric/errors.h"
#include "pilum/array.h"

namespace pilum::numeric {

// a @ b of arrays (…, m, k) and (…, k, n) of one dtype whose batch axes are alike, all extents above 0: a new array
// (…, m, n). One launch where there is one processor. Where there are more, the result is cut among them, and what they
// need of a and b reaches them and stays. Where they have more than 64 MiB together it comes panel by panel, a range of
// k at a time, and goes again: what a processor holds besides its share of the result is its rows and columns of a few
// panels. Of long and thin operands (16 times as long as the result, on cores) the operands are cut instead, along k,
// and the processors' results are added up.
Array launch_product(const Call& call, const Array& a, const Array& b);

// Whether the columns of the matrices in the last two axes are what their array is cut along, as those of a.T() are.
[[nodiscard]] bool lies_transposed(const ArrayState& state);

}  // namespace pilum::numeric
