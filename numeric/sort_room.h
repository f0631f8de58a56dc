// Memory that a sort needs for the time of a launch.
#pragma once

#include <cstdint>
#include <new>

#include "runtime/memory/system_memory.h"

namespace pilum::numeric {

// Cells of nothing, made when they are first asked for, always as many: large ones on huge pages, which takes a tenth
// of the time of small ones.
template <class T>
class Room {
 public:
  Room() = default;
  Room(Room&& other) noexcept : cells_(other.cells_), bytes_(other.bytes_) { other.cells_ = nullptr; }
  Room& operator=(Room&&) = delete;
  ~Room() {
    if (cells_) memory::unmap_block(cells_, bytes_);
  }

  T* get(std::int64_t count) {
    if (!cells_) {
      const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(T));
      bytes_ = (bytes + memory::kPage - 1) / memory::kPage * memory::kPage;
      cells_ = static_cast<T*>(memory::map_block(bytes_));
      if (!cells_) throw std::bad_alloc();
    }
    return cells_;
  }

 private:
  T* cells_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace pilum::numeric
