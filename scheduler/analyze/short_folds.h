// Folds along a short axis.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/machine/machine.h"
#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// The longest rows whose folds become operations. Up to 16 the order is the same for each number of lanes, and 16 fill
// vectors: these are folded as fast.
inline constexpr std::int64_t kMostInShortRow = 15;

// `np::sqrt(np::sum(d * d, -1))` of points of two, three, up to 15 coordinates: a fold of a row so short takes ten to
// twenty times what its bytes do, and its result is a task's end. It becomes operations over what is kept, one for each
// cell of a row, which go into one task with what comes next: `d * d` is computed for each coordinate there, where the
// folds alone read it. The order is the kernels' own (kernel/host/host_fold.h), and with it the bits.
//
// So do folds of up to 16 cells along other axes, `np::sum(f, 0)` of nine fields, one cell after the other; and folds
// of rows of up to four rows of up to four cells. On cores `np::mean(d, 0)`, a fold into up to four cells side by side,
// becomes a fold for each of these.
//
// What nobody reads or holds any more goes. Empty: there is none.
[[nodiscard]] Rewritten unroll_short_folds(const WindowOperations& window, std::vector<WindowStore>& stores,
                                           const machine::Machine& machine);

}  // namespace pilum::scheduler
