// Cached plans, made once more for other stores, blocks and numbers.
#pragma once

#include <cstddef>
#include <span>

#include "scheduler/memo/plan_cache.h"
#include "scheduler/plan/planner.h"

namespace pilum::scheduler {

// Appends the cached plan's instructions to `plan`, and leaves the stores as it left them. `first_task`: how many tasks
// `plan` has already.
void replan(Planner& planner, const CachedPlan& cached, std::span<const Operation> operations, const WindowKey& window,
            Plan& plan, std::size_t first_task = 0);
// The same as one instruction: the plan's template, bound; so many threads may take part.
void replay(Planner& planner, CachedPlan& cached, std::span<const Operation> operations, const WindowKey& window,
            Plan& plan, int participants);

}  // namespace pilum::scheduler
