// Cells of an array that arrays of indices name, point by point of a result; read, and written.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "numeric/array_state.h"
#include "pilum/indexing.h"

namespace pilum::numeric {

// At point x of `shape`: the cell of `array` whose coordinate along axis a is x[follows[a]], or, where that is
// negative, what indices[-1 - follows[a]] has at x. Where nothing is said of the axes, indices[0] has its number,
// row-major. The indices are integers that broadcast to `points`, axes of the shape with `behind` others behind them.
struct PickedCells {
  Array array;
  std::vector<int> follows;  // by axis of the array; empty: the cells are numbered
  std::vector<Array> indices;
  Shape shape;  // of at least one axis
  Shape points;
  int behind = 0;
  int before = 0;  // the array's first axes, which whoever picks does not know of
  IndexMode mode = IndexMode::Raise;
};

// What is done with a cell that is named, and a value for it.
enum class PickedWrite : std::uint8_t { Assign, Add, Multiply, Minimum, Maximum };

// Throws IndexError where cells are named of an axis that has none.
void check_not_empty(const Call& call, const PickedCells& picked);
// The cells, in a new array; they are not named of an axis that has none.
Array read_picked(const Call& call, const PickedCells& picked);
// `values`: of the array's dtype; they broadcast to the shape. In the order of the points, row-major; of very many
// points for each cell in parts (picked_parts.h).
void write_picked(const Call& call, const PickedCells& picked, PickedWrite write, const Array& values);
// The same in one launch: in the order of the points. `is_cut`: as LibraryBody's.
void write_picked_in_order(const Call& call, const PickedCells& picked, PickedWrite write, const Array& values,
                           bool is_cut = false);

// The indices as int64, with as many axes as the shape: those behind the points' are repeated.
std::vector<Array> spread_indices(const Call& call, const PickedCells& picked);

// Throws IndexError for indices of floating dtype, and a mask.
void check_indices(const Call& call, const Array& indices);

}  // namespace pilum::numeric
