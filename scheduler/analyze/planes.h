// Fields that share an array.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/machine/machine.h"
#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// The most planes that an array is taken for fields of.
inline constexpr std::int64_t kMostPlanes = 15;

// `f = np::stack(moved); f += rate * (rest - f)` of an array of (9, n, n): where some of a window's operations touch
// single planes of it, and others all of them, side by side, these become an operation for each plane. So all are over
// the same points, and one task, and who reads a plane that was copied there reads what it was copied from
// (read_through.h). Folds along the planes become operations before (short_folds.h). Planes that are copied to and all
// overwritten later are arrays of their own until then.
//
// Of large planes, where nobody needs the planes in one task. Empty: there are none. Where ranks do not know of each
// other whether a value is held, one that is taken apart is copied back plane by plane: who has no name of it any more
// does not write the copy.
[[nodiscard]] Rewritten take_planes_apart(const WindowOperations& window, std::vector<WindowStore>& stores,
                                          const machine::Machine& machine);

}  // namespace pilum::scheduler
