// Values of which only a part is wanted.
#pragma once

#include <vector>

#include "runtime/machine/machine.h"
#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// `around = np::roll(s, 1, 0) + …; s(slice(0, {}, 2), slice(0, {}, 2)) = f(around(slice(0, {}, 2), slice(0, {}, 2)))`:
// of a value whose readers all want the same part of it, that part alone is computed, and of what it is computed from
// alone the same; so what is rolled is read where it is wanted (read_through.h), and what would only be computed for
// rims is not.
//
// Of values that surely nobody holds. Empty: there is none.
[[nodiscard]] Rewritten narrow_values(const WindowOperations& window, std::vector<WindowStore>& stores,
                                      const machine::Machine& machine);

}  // namespace pilum::scheduler
