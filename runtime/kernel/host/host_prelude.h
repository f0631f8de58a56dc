// The declarations in front of an emitted function: types, the call's layout, helpers. Private to the emitter.
#pragma once

#include "runtime/kernel/host/host_types.h"
#include "runtime/kernel/ir/source_text.h"

namespace pilum::kernel {

// The kernel as comment lines.
void write_program(SourceText& text, const Kernel& kernel);
// Writes the types and only the helpers that the kernel uses.
void write_prelude(SourceText& text, const HostPlan& plan);

}  // namespace pilum::kernel
