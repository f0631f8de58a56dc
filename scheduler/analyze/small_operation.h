// Operations that take less time than it takes to plan them.
#pragma once

#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// Points of such an operation: with more of them several threads, and values that stay in registers, are worth a plan.
inline constexpr std::int64_t kFewPoints = 16 * 1024;

// True where the operation computes few points, and is no task of a user's. Of recorded calls alone.
[[nodiscard]] bool is_small(const Operation& operation);

}  // namespace pilum::scheduler
