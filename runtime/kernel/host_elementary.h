// exp and log as emitted text. Private to the emitter.
#pragma once

#include <string_view>

#include "pilum/dtype.h"
#include "runtime/kernel/kernel.h"

namespace pilum::kernel {

// A template `exp_f64<F, I, U>(F x)` (or log, f32), for F a number or a vector of them, I and U signed and unsigned
// integers of its size. Needs splat<>, fma and bits<> of the prelude.
std::string_view elementary_text(Op op, DType dtype);

}  // namespace pilum::kernel
