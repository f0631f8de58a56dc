// The bodies on the host that read and write picked cells, and what tells them what to do.
#pragma once

#include <cstdint>
#include <span>

#include "numeric/library_task.h"
#include "numeric/picked_cells.h"

namespace pilum::numeric {

// What PickedCells says but for the arrays: of programs whose arrays are of ever other extents there are few.
[[nodiscard]] LibraryBody::Form pack_form(const PickedCells& picked, PickedWrite write);
// Stores: the result, the array, of which the axes that are indexed are whole, the indices.
void gather(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);
// Where the cells are that gather() copies, or scatter() updates: coordinates in the array, for each point of the
// piece. The memory of the first two stores is not touched; the second has the array's extents.
void locate(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call, std::int64_t* coordinates);
// Stores: the array, the values, the indices; numbers: the array's extents, for a piece has some of its cells. Of the
// points, those whose cell is in the piece.
void scatter(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);
// What it does with cells and a value for each.
[[nodiscard]] scheduler::CellUpdates combine_of(std::span<const std::int64_t> form);

}  // namespace pilum::numeric
