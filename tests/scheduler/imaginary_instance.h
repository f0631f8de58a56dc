// An instance of memory that is never touched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "scheduler/memory/store_state.h"
#include "tests/partitioner/random_cells.h"

namespace pilum::scheduler {

// Its block begins at kStart.
struct Imaginary {
  static constexpr std::uintptr_t kStart = std::uintptr_t{1} << 40;
  explicit Imaginary(const Rect& rect, std::initializer_list<std::int64_t> pitch, std::int64_t origin = 0) {
    block.data = reinterpret_cast<std::byte*>(kStart);
    instance.block = &block;
    instance.rect = rect;
    std::copy(pitch.begin(), pitch.end(), instance.pitch.begin());
    instance.origin = origin;
  }
  std::int64_t offset(const partitioner::Cell& cell) const { return distance(instance.address(cell)); }
  static std::int64_t distance(const std::byte* address) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) - kStart);
  }
  Block block;
  Instance instance;
};

}  // namespace pilum::scheduler
