// The bodies on the host that read and write picked cells, and what tells them what to do.
#pragma once

#include <cstdint>
#include <span>

#include "numeric/library_task.h"
#include "numeric/picked_cells.h"

namespace pilum::numeric {

// What PickedCells says but for the arrays, and the extents of the array.
[[nodiscard]] LibraryBody::Form pack_form(const PickedCells& picked, PickedWrite write);
// Stores: the result, the array, the indices.
void gather(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);
// Stores: the array, the values, the indices. Of the points, those whose cell is in the piece.
void scatter(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);

}  // namespace pilum::numeric
