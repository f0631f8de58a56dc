// Launches that write where their results are copied to.
#pragma once

#include "runtime/machine/machine.h"
#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// `b[all] = np::cumsum(a)`: the library's task makes a new array, which is copied to b and gone. Where nobody touches b
// in between, nor the task itself, it writes b, and nothing is copied: half of the bytes. (What is computed by a kernel
// is fused with the copy; a task is not.)
//
// Where the new array is surely held by nobody. Where b is cut otherwise than the task it is written by way of a new
// array again (launch_placement.h). Empty: there is nothing to forward.
[[nodiscard]] Rewritten forward_results(const WindowOperations& window, std::vector<WindowStore>& stores,
                                        const machine::Machine& machine);

}  // namespace pilum::scheduler
