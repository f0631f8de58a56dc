// Accumulations in the emitted text. Private to the emitter.
#pragma once

#include "runtime/kernel/host/host_types.h"
#include "runtime/kernel/ir/source_text.h"

namespace pilum::kernel {

// Folds of rows. Vector number q of a cell's rows (each row's last one padded with what the fold starts from) goes to
// partial fold q mod 4; at the end ((a, b), (c, d)) are folded, then the lanes by halves. The scalar form keeps the
// same slots, so its bits are the same. Four, because a fold waits for the one before it about four cycles. Sums and
// products of floats are folded away every 128 vectors: the error grows with blocks, not with elements.
void write_partial_types(SourceText& text, const HostPlan& plan);
// Sets the cells to what the fold starts from, where more than one partial fold, or a kept row, goes into each.
void write_starts(SourceText& text, const HostPlan& plan);
void write_partials(SourceText& text, const HostPlan& plan);
// Array i stands at `a<i>_<axis>`.
void write_totals(SourceText& text, const HostPlan& plan, int axis);

}  // namespace pilum::kernel
