// Operations without a kernel: data from the user's memory, and reshapes that move cells.
#pragma once

#include "scheduler/plan/plan_builder.h"

namespace pilum::scheduler {

// Emits the host call that fills `piece` of the current task's output in `target`. `source` holds all that a reshape
// reads; an import reads the task's data.
void emit_opaque(PlanBuilder& builder, int processor, const Rect& piece, const Instance& target,
                 const Instance* source);

}  // namespace pilum::scheduler
