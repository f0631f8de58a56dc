// Cells out of an instance, for the user.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scheduler/memory/store_state.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// The view's cells, row-major. The instance covers them, and nothing writes to it meanwhile.
[[nodiscard]] std::vector<std::byte> read_view(const Instance& instance, const View& view);

// The same out of all cells of its store, row-major.
[[nodiscard]] std::vector<std::byte> read_cells(std::span<std::byte> cells, const View& view);

// The cells of the store that the view shows; of a view without points: none.
[[nodiscard]] Rect cells_of(const View& view);

}  // namespace pilum::scheduler
