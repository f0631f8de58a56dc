// What goes between the program's own memory and its arrays.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "runtime/base/rect.h"

namespace pilum::scheduler {

// Memory of the program's, with this rank's cells of an array.
struct LentBlock {
  std::byte* data = nullptr;  // the cell rect.lo
  Rect rect;                  // in indices of the array; empty: this rank has none
  std::array<std::int64_t, kMaxAxes>
      pitch{};  // bytes, positive, multiples of the cell's; along axes of one cell anything
  bool on_gpu = false;
  bool has_stream = false;  // of a GPU: what the program issued to `stream` comes before our use
  void* stream = nullptr;
  std::shared_ptr<const void> owner;  // may be null; let go once nobody touches the memory any more
  std::string trouble;                // why this rank's argument is refused: then all ranks throw it
};

using AxisOrder = std::array<std::int8_t, kMaxAxes>;

// Cells of an array where they lie, for the program.
struct LocalCells {
  Rect box;                                     // in indices of the view
  std::byte* first = nullptr;                   // the cell box.lo
  std::array<std::int64_t, kMaxAxes> stride{};  // bytes, by axes of the view
  bool on_gpu = false;
  int device = 0;
};

struct LocalRequest {
  bool write = false;
  bool has_stream = false;  // of a GPU: the stream waits, and not the host
  void* stream = nullptr;
};

}  // namespace pilum::scheduler
