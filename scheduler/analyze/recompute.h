// Values that are computed again at each point where they are wanted, where that moves fewer bytes.
#pragma once

#include "runtime/machine/machine.h"
#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// `flux = hu * hu / h; … flux(slice(2, {})) - flux(slice(0, -2))`: the readers want it at other points than those where
// it is made, so it would be written by one task and read by another. Instead its readers' task computes it for each of
// them. A value is computed again where all of its readers are operations over one domain, nobody changes what it is
// computed from before the last of them, and the arithmetic costs less than its cells' way through memory. What is
// computed again may be computed from others that are; of parts of a value, each reader's part by the one that has all
// of its cells. So is what a later stage (stages.h) reads at the same points, where that is cheap.
//
// Empty: there is none. Those that nobody reads or holds any more go; where they may be held on some of several ranks
// they stay, and get no memory where they are not. `stores` gets new ones.
[[nodiscard]] Rewritten recompute_values(const WindowOperations& window, std::vector<WindowStore>& stores,
                                         const machine::Machine& machine);

}  // namespace pilum::scheduler
