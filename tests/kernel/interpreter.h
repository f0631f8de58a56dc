// The oracle: runs a kernel point by point, as kernel.h and kernel_call.h say, with the slowest code that works.
#pragma once

#include "runtime/kernel/ir/kernel.h"
#include "runtime/kernel/ir/kernel_call.h"

namespace pilum::kernel::test {

// Floats are folded in the order of the points. exp and log are long double's, rounded.
void interpret(const Kernel& kernel, const KernelCall& call);

}  // namespace pilum::kernel::test
