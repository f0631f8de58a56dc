// Complex numbers in kernels' texts: the number, vectors of them, and what goes between these and memory, where the
// parts alternate. Private to the emitter.
#pragma once

#include "runtime/kernel/host/host_types.h"
#include "runtime/kernel/ir/source_text.h"

namespace pilum::kernel {

// The ways in which a kernel moves vectors of a dtype.
struct ComplexMoves {
  bool loads = false, stores = false, streams = false, gathers = false, scatters = false;
};

void write_complex_number(SourceText& text, DType dtype);
void write_complex_vectors(SourceText& text, const HostPlan& plan, DType dtype, const ComplexMoves& moves);

}  // namespace pilum::kernel
