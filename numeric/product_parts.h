// Products of parts of two matrices: what processors that each have a part of a long k compute, to be added up.
#pragma once

#include <cstdint>

#include "numeric/errors.h"
#include "pilum/array.h"

namespace pilum::numeric {

// Of an (m, k) and a (k, n) array, k at least `count`: an array (count, m, n), cut along its first axis, of which cell
// p is the product of the p-th of `count` equal parts of k; of the k % count last, which are in no part, nothing. Of
// dtypes that GPUs multiply.
[[nodiscard]] Array multiply_parts(const Call& call, const Array& a, const Array& b, std::int64_t count);

}  // namespace pilum::numeric
