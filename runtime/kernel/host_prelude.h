// The declarations in front of an emitted function: types, the call's layout, helpers. Private to the emitter.
#pragma once

#include "runtime/kernel/host_text.h"
#include "runtime/kernel/host_types.h"

namespace pilum::kernel {

// The kernel as comment lines.
void write_program(HostText& text, const Kernel& kernel);
// Writes the types and only the helpers that the kernel uses.
void write_prelude(HostText& text, const HostPlan& plan);

}  // namespace pilum::kernel
