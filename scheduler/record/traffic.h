// Bytes of array memory that something moves.
#pragma once

#include <cstdint>

namespace pilum::scheduler {

struct Traffic {
  std::int64_t read = 0, written = 0;
  std::int64_t least = 0;  // of both together, for what is computed
  std::int64_t moved() const { return read + written; }
  Traffic& operator+=(const Traffic& other) {
    read += other.read;
    written += other.written;
    least += other.least;
    return *this;
  }
  bool operator==(const Traffic&) const = default;
};

}  // namespace pilum::scheduler
