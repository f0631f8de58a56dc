// How cells that index arrays name are updated, each by a value.
#pragma once

#include <cstdint>

namespace pilum::scheduler {

// Functions of the body that does so, of so many cells and as many values. Null: it does not.
struct CellUpdates {
  void (*row)(void* cells, const void* values, std::int64_t count) = nullptr;  // one after the other, both
  void (*each)(void* const* cells, const void* const* values, std::int64_t count) = nullptr;
  // Cells at these places, and values, so many bytes apart.
  void (*at)(void* cells, std::int64_t pitch, const std::int64_t* places, const void* values, std::int64_t step,
             std::int64_t count) = nullptr;
  explicit operator bool() const { return row != nullptr; }
};

}  // namespace pilum::scheduler
