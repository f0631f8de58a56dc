// Planes of an array as arrays of their own.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/machine/machine.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// An array that may be taken for several fields, one after the other along its first axis: large ones.
[[nodiscard]] bool has_planes(const Store& store, const machine::Machine& machine);

// The view shows cells of one plane.
[[nodiscard]] inline bool is_of_one_plane(const View& view) {
  return view.map.store_rank > 0 && view.map[0].axis < 0;
}

// Of arrays that a window uses plane by plane. Where planes are written again, `flux(1) = u * v; flux(1) += p`, those
// of arrays that live in the window alone are arrays of their own, and new ones wherever all of them is written: so
// each value has one maker, and may be computed again (recompute.h). Of others, which may be held, a plane that is
// copied to, and all overwritten later, is one of its own until then.
void give_planes_arrays(std::vector<Operation>& operations, std::vector<WindowStore>& stores,
                        const machine::Machine& machine);

}  // namespace pilum::scheduler
