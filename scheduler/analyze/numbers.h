// Numbers that are computed from numbers.
#pragma once

#include <vector>

#include "runtime/machine/machine.h"
#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// `dt = 0.4 * np::min(h / speed); u += dt * dx * flux`: a number (an array without axes) that follows from other
// numbers in a few operations is computed again by every kernel that reads it, once a call. By itself each such
// operation would be a launch, for which all that reads it waits, and a task between others that would else be one.
//
// Empty: nobody reads such a number beside arrays.
[[nodiscard]] Rewritten repeat_numbers(const WindowOperations& window, std::vector<WindowStore>& stores,
                                       const machine::Machine& machine);

}  // namespace pilum::scheduler
