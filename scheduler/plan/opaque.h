// Operations without a kernel: data from the user's memory, and reshapes that move cells.
#pragma once

#include "scheduler/plan/plan_builder.h"

namespace pilum::scheduler {

// What a reshape reads, by piece of what it writes: the cells with the same row-major numbers, or some more.
[[nodiscard]] Argument read_of_reshape(const Task& task);

// Emits the host call that fills `piece` of the current task's output in `target`. A reshape reads `source`, which has
// what `read`, its read_of_reshape(), says of the piece; an import, for which both are null, the task's data.
void emit_opaque(PlanBuilder& builder, int processor, const Rect& piece, const Instance& target, const Argument* read,
                 const Instance* source);

}  // namespace pilum::scheduler
