// Operations of cells cut into parts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/machine/machine.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// Every axis of the store goes one cell further with an axis of the view's own.
bool is_shift(const View& view);
// A box of the store's cells: axes stay or go on by one.
bool is_box(const View& view);
// The array that the operation copies, cell by cell; null: it does something else.
const View* copied_view(const Operation& operation);
// Each part of the operation may be an operation of its own.
bool is_divisible(const Operation& operation);
// The cells that one writes which is so, where all axes of the array are those of its points, and its values do not
// follow from where they are.
std::optional<Rect> divisible_cells(const Operation& operation);
// The view at these of its points.
void narrow(View& view, const Rect& points);
// The cells of the view at one place along an axis, which goes.
View pinned(const View& view, int axis, std::int64_t place);
// The operation at these of its points.
Operation part_at(const Operation& operation, const Rect& points);
// What a view of `made` shows, as a view of `source`, where each cell that `made` shows is what `source` shows at the
// same point. `made`: of cells that are all different; if it leaves some out, the view shows none of these.
View through(const View& view, const View& made, const View& source);
// Where a domain is cut, by axis, in order: each place is the first point behind a cut.
using CutPlaces = std::array<std::vector<std::int64_t>, kMaxAxes>;
// The parts of `whole`, the largest last.
std::vector<Rect> cut_at(const Rect& whole, const CutPlaces& places);
// Where the rows of a large part that goes from one column to another should begin: at a line of a GPU's memory, if
// that is little less. On several processors at its first one, where each part more is a message.
std::int64_t first_column_of(std::int64_t begin, std::int64_t end, const machine::Machine& machine);
// What a part that all share must have for others to be made because of it, each of which is a launch.
std::int64_t min_bytes_to_split(const machine::Machine& machine);

}  // namespace pilum::scheduler
