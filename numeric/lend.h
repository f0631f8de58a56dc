// The one way of the program's memory into an array.
#pragma once

#include <string>

#include "numeric/errors.h"
#include "pilum/local.h"

namespace pilum::numeric {

// from_local, for a call of another name. `trouble`: why this rank's argument is refused; all ranks throw that.
Array lend(const Call& call, void* data, const Strides& strides, const Box& block, const Shape& shape, DType dtype,
           const FromLocal& options, std::string trouble = {});

}  // namespace pilum::numeric
