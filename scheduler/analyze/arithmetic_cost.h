// What arithmetic costs beside a cell's way through memory.
#pragma once

#include <vector>

#include "runtime/kernel/ir/kernel.h"
#include "runtime/machine/machine.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// What a few more operations at each point, with their loads, cost; and what may be paid for a cell that need not be
// written, or not be read: in additions.
[[nodiscard]] double cost_of(const std::vector<Operation>& operations, const machine::Machine& machine);
[[nodiscard]] double gain_of_cell(const machine::Machine& machine);
// What an operation, or all of a kernel, computes at each point, in additions.
[[nodiscard]] double arithmetic_of(kernel::Op op, const machine::Machine& machine);
[[nodiscard]] double arithmetic_of(const kernel::Kernel& kernel, const machine::Machine& machine);

}  // namespace pilum::scheduler
