// Launches of a user's body for one piece.
#pragma once

#include "scheduler/plan/launches.h"

namespace pilum::scheduler {

// As emit_launches and emit_reduction, for the current task's body. Where the processor is a GPU and there is no body
// for it, it runs on the host: what it reads is brought there first, and what it wrote is brought back.
void emit_bodies(PlanBuilder& builder, const BoundPiece& bound);
void emit_body_reduction(PlanBuilder& builder, const BoundPiece& bound, std::span<const FoldTarget> targets);

}  // namespace pilum::scheduler
