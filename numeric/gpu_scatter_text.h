// Texts of the kernels that update picked cells on a GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "numeric/picked_form.h"

namespace pilum::numeric {

// Of a body's form, and of the axes that are not the indices' alone: a point is a place among the indices, and a cell
// of the row behind it. A key is the number of a row of the piece, or how many there are: the
// point's row is not there.
struct ScatterShape {
  PickedForm form;
  int key_bytes = 4;  // or 8

  explicit ScatterShape(std::span<const std::int64_t> packed) : form(packed) {}
  [[nodiscard]] int lead() const { return form.points_rank - form.behind; }  // axes of the indices
  // Along an axis of the array the row's cells lie.
  [[nodiscard]] bool is_of_row(int axis) const { return !form.numbered && form.follows[u(axis)] >= lead(); }
};

inline constexpr std::int64_t kScatterThreads = 256;

// What a kernel's words say; there is room for one an axis of each (place_of_word()).
enum class LocateWord : std::uint8_t {
  Keys,
  Lasts,  // by row: its last point, from 1; 0: none
  None,   // the key of what is not there
  First,  // of the points, row-major
  Count,
  Report,  // kernel::refusal_text()
  Task,
  File,
  Line,
  PointExtents,  // by axis of the points
  PointLo,
  PieceLo,  // by axis of the array
  PieceHi,
  Extents,  // of the whole array
  Indices,  // by index array
  Steps     // of index array k: from kMaxAxes * k on, by axis of the points
};
enum class ApplyWord : std::uint8_t {
  Keys,
  None,
  Order,  // of the keys; of Last, by row the last point
  First,
  Count,
  RowCells,
  Array,  // the piece's first cell
  Values,
  PointExtents,  // by axis of the points
  ValueSteps,
  PieceExtents,  // by axis of the array that keys number
  PieceSteps,
  RowExtents,  // by axis of the row
  RowSteps,    // in the array
  RowValueSteps
};
template <class Word>
constexpr int place_of_word(Word word, int number = 0) {
  return kMaxAxes * static_cast<int>(word) + number;
}
template <class Word>
constexpr int kWordCount = place_of_word(Word::RowValueSteps, kMaxAxes);
template <>
inline constexpr int kWordCount<LocateWord> = place_of_word(LocateWord::Steps, kMaxAxes* kMaxAxes);

// How rows get what their points say.
enum class ScatterWay : std::uint8_t {
  Sorted,  // by the points in order: the thread at a row's first one goes on to its last; where that is far a warp
           // fetches for it. Or a cell is the last one's
  Last,    // each row knows its last point, by the largest number
  Added,   // in whatever order: integers that the GPU adds to in memory
  Counted  // few of these: a block adds in its own memory first
};
inline constexpr std::int64_t kCountedRows = 2048;
[[nodiscard]] bool adds_in_any_order(const PickedForm& form);

// Keys of points, a thread each; of Last, rows are told the points' numbers.
[[nodiscard]] std::string locate_text(const ScatterShape& shape, ScatterWay way);
[[nodiscard]] std::string apply_text(const ScatterShape& shape, ScatterWay way);

}  // namespace pilum::numeric
