// Updates of several arrays, of which the later ones read the earlier ones at neighbouring points, as one task.
#pragma once

#include "runtime/machine/machine.h"
#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// `ey -= f(hz); ex -= g(hz); hz -= h(ex, ey)`, each over almost all of its array: three tasks, for the last one wants
// new values of ex and ey beside its own point. Here their updates over the cells that all three write become one task,
// which computes those values again from the old cells. The rims that only some of them write are tasks of their own:
// those of the first arrays before it, to new stores where it reads the old cells there, and those of the last ones
// after it.
//
// Updates follow one another without other operations between them, first some that read none of each other's arrays,
// then some that read those of the first ones alone. A function of the operations, tilings and machine alone. Empty:
// there are none, or it would not pay. `stores` gets new ones.
[[nodiscard]] Rewritten join_staggered_updates(const WindowOperations& window, std::vector<WindowStore>& stores,
                                               const machine::Machine& machine);

}  // namespace pilum::scheduler
