// Copies that are seen through: who reads one reads what it was copied from.
#pragma once

#include <vector>

#include "runtime/machine/machine.h"
#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// `pn = p.copy()`, a roll: `out(slice(1, {})) = a(slice({}, -1)); out(0) = a(-1)`, an array that is filled and partly
// overwritten by copies, as np::pad() makes it. An array that is made in a window of these alone, and that nobody holds
// after it or an operation overwrites as a whole, is not made where all its readers come before anybody writes what it
// was copied from. Readers of a roll or a pad read its source beyond its ends (piece_views.h). Of other pieces, readers
// are cut where the pieces meet, and what they are computed from and what is computed from them with them; each part
// reads through one piece. A large part is one task then, and the rims small ones.
//
// Where several ranks have not agreed on whether an array is held (window.h), each knows its own names alone, and
// copies send messages. Then arrays of copies are seen through, held or not, and their copies stay in the window: their
// messages are sent, which bring what the readers lack; where nobody holds the array, nothing else is done for them.
// Empty: there is nothing to see through.
[[nodiscard]] Rewritten read_through(const WindowOperations& window, std::vector<WindowStore>& stores,
                                     const machine::Machine& machine);

}  // namespace pilum::scheduler
