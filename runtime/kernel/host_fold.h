// Accumulations in the emitted text. Private to the emitter.
#pragma once

#include "runtime/kernel/host_text.h"
#include "runtime/kernel/host_types.h"

namespace pilum::kernel {

// Folds of rows. Vector number q of a cell's rows (each row's last one padded with the identity) goes to partial fold
// q mod 4; at the end ((a, b), (c, d)) are folded, then the lanes by halves. The scalar form keeps the same slots, so
// its bits are the same. Four, because a fold waits for the one before it about four cycles. Sums and products of
// floats are folded away every 128 vectors: the error grows with blocks, not with elements.
void write_partial_types(HostText& text, const HostPlan& plan);
// Sets the cells to the identity, where more than one partial fold, or a kept row, goes into each.
void write_identities(HostText& text, const HostPlan& plan);
void write_partials(HostText& text, const HostPlan& plan);
// Array i stands at `a<i>_<axis>`.
void write_totals(HostText& text, const HostPlan& plan, int axis);

}  // namespace pilum::kernel
