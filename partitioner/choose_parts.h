// The grid of processors that a box is cut among.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/base/rect.h"
#include "runtime/machine/machine.h"

namespace pilum::partitioner {

// The grid of parts for one box: the cheapest under `machine`, for halos of `halo[k]` cells along axis k.
[[nodiscard]] std::array<int, kMaxAxes> choose_parts(const Rect& box, std::int64_t cell_bytes,
                                                     const std::array<std::int64_t, kMaxAxes>& halo,
                                                     const machine::Machine& machine);

}  // namespace pilum::partitioner
