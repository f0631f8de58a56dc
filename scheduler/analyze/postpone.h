// Writes that wait until a copy of what they overwrite has been read.
#pragma once

#include "runtime/machine/machine.h"
#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// `un = u.copy(); vn = v.copy(); u(in) = f(un, vn); v(in) = g(un, vn)`: the copy of u must be made, as it is read after
// u has changed. Where nobody else touches u until then, the operation that writes it comes after the copy's last
// reader instead (what it is computed from stays), and the copy can be seen through (read_through.h).
//
// Of copies that are made as a whole and nobody holds after the window; whether one is held is asked in programs of one
// rank alone. Empty: there is nothing to postpone.
[[nodiscard]] Rewritten postpone_writes(const WindowOperations& window, std::vector<WindowStore>& stores,
                                        const machine::Machine& machine);

}  // namespace pilum::scheduler
