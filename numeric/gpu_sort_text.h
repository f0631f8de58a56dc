// Texts of the kernels that sort lines on a GPU.
#pragma once

#include <cstdint>
#include <string>

#include "pilum/dtype.h"
#include "pilum/shape.h"

namespace pilum::numeric {

enum class SortStep : std::uint8_t { Count, Plan, Pass, Short };

inline constexpr std::int64_t kSortThreads = 256;
// Most cells of lines that one block sorts in shared memory.
inline constexpr std::int64_t kShortTile = 4096;

// Bytes of a cell are passes. Complex numbers are not sorted so.
[[nodiscard]] bool has_sort_texts(DType dtype);
// Cells that a block moves in one pass; those that it counts are more.
[[nodiscard]] std::int64_t sort_tile(DType dtype);
inline constexpr std::int64_t kCountedTiles = 8;

// Where a kernel's words are. Keys and places have two buffers, A and B; 0: A is the result's own memory.
enum SortWord : std::uint8_t {
  kRoomWord,       // what blocks tell each other (gpu_sort.cc)
  kCellsWord,      // of a line
  kTilesWord,      // of a line; of a short one, lines of a block
  kLinesWord,      // of the launch
  kFirstLineWord,  // of the launch
  kPassWord,       // of short lines, 1 and 2: neighbours in the array, and the result, are of different lines
  kArrayWord,      // the first cell,
  kArrayStepWord,  // cells from one of a line to the next
  kResultWord,
  kResultStepWord,
  kKeysAWord,
  kKeysBWord,
  kPlacesAWord,
  kPlacesBWord,
  kAxesWord,    // of lines: their number, then by axis
  kExtentsWord  // lines; then steps of the array in cells, and of the result
};
inline constexpr int kArrayStepsWord = kExtentsWord + kMaxAxes, kResultStepsWord = kArrayStepsWord + kMaxAxes,
                     kSortWords = kResultStepsWord + kMaxAxes;

// `places`: where the cells stand is wanted, as int64, not they. Written once a thread.
[[nodiscard]] const std::string& sort_text(SortStep step, DType dtype, bool places);

}  // namespace pilum::numeric
