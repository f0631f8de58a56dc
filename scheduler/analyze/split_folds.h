// Folds along a short last axis and others before it.
#pragma once

#include <vector>

#include "runtime/machine/machine.h"
#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// `a.reshape({n / 4, 4, m / 4, 4}).mean({1, 3})`, the means of blocks: rows of four cells are folded, and their folds
// into one another, which takes ten to fifty times what the bytes do. It becomes a fold of the rows, which
// short_folds.h takes apart, and one of what that gives along the other axes. The order is that of the kernels, whose
// rows are folded before they are added up (kernel/host/host_fold.h), and with it the bits. Empty: there is none.
[[nodiscard]] Rewritten split_folds(const WindowOperations& window, std::vector<WindowStore>& stores,
                                    const machine::Machine& machine);

}  // namespace pilum::scheduler
