// exp and log as emitted text. Private to the emitter.
#pragma once

#include <string_view>

#include "pilum/dtype.h"
#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel {

// The lines of a function of `F x`, for F a number or a vector of them, I and U signed and unsigned integers of its
// size. Needs FMA of the prelude.
std::string_view elementary_body(Op op, DType dtype);

}  // namespace pilum::kernel
