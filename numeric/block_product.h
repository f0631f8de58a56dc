// One processor's share of a matrix product, as the body of a task computes it.
#pragma once

#include <cstdint>
#include <span>

#include "pilum/detail/task_form.h"

namespace pilum::numeric {

// Of a form {dtype, rank, adds}: stores[0] (+)= stores[1] @ stores[2], arrays of `rank` axes, of which the last two are
// the matrices' and those before are batches. `adds`: to what is there. The sum over k is taken in blocks of 256, from
// the first k on, however the result is cut; within them a BLAS may treat the last odd rows of a block in another way
// than those before. Views that BLAS can read (either of the last two axes has stride 1) are given to it as they are;
// of others a block at a time is packed.
void multiply_blocks(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);

}  // namespace pilum::numeric
