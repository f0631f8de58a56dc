// Launches of a user's body: on a GPU where it has a body for it, else on the host.
#pragma once

#include "scheduler/plan/launches.h"

namespace pilum::scheduler {

// Emits one launch over some points of the piece. Where the processor is a GPU and the body is the host's, what it
// reads is brought there first, and what it wrote is brought back.
void emit_body(PlanBuilder& builder, const BoundPiece& bound, const Rect& points, bool boundary);
// Emits one launch over the whole piece. What of its reductions is still to be folded: all of them.
[[nodiscard]] std::vector<Partials> emit_body_reduction(PlanBuilder& builder, const BoundPiece& bound,
                                                        std::span<const FoldTarget> targets);

}  // namespace pilum::scheduler
