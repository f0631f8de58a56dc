// Launches of a task's kernel: arguments bound to memory, chunks, how it is compiled.
#pragma once

#include "scheduler/plan/launches.h"

namespace pilum::scheduler {

// Emits one launch over some points of the piece.
void emit_kernel(PlanBuilder& builder, const BoundPiece& bound, const Rect& points, bool boundary);
// Emits one launch over the whole piece. What of its reductions is still to be folded: those that leave one result go
// to their targets directly.
[[nodiscard]] std::vector<Partials> emit_kernel_reduction(PlanBuilder& builder, const BoundPiece& bound,
                                                          std::span<const FoldTarget> targets);

}  // namespace pilum::scheduler
