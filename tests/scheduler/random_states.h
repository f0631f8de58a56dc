// States of stores as a plan may leave them, drawn at random.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scheduler/memory/store_state.h"
#include "tests/partitioner/random_cells.h"

namespace pilum::scheduler {

inline Region random_region(partitioner::Random& random, int rank) {
  std::vector<Rect> rects;
  for (std::int64_t count = random.between(0, 4); count > 0; --count)
    rects.push_back(partitioner::random_rect(random, rank, -5, 50));
  return Region::of(std::move(rects));
}

// With a processor for each book, and up to three instances in each.
inline StoreState random_state(partitioner::Random& random, int rank, std::span<MemoryBook* const> books) {
  StoreState state;
  Rect box{rank};
  std::array<int, kMaxAxes> parts;
  parts.fill(1);
  for (std::size_t k = 0; k < static_cast<std::size_t>(rank); ++k) {
    box.hi[k] = random.between(1, std::int64_t{1} << random.between(3, 60));
    parts[k] = static_cast<int>(random.between(1, 4));
  }
  state.tiling = random.once_in(4) ? Tiling::replicated(box) : Tiling::even(box, parts);
  state.everywhere = random_region(random, rank);
  state.asked = random.once_in(2);
  for (MemoryBook* book : books) {
    ProcessorStore& local = state.local.emplace_back();
    local.tile = random.once_in(4) ? Rect{rank} : state.tiling.tile(static_cast<int>(state.local.size()) - 1);
    for (std::int64_t count = random.between(0, 3); count > 0; --count) {
      auto instance = std::make_unique<Instance>();
      instance->block = book->allocate(static_cast<std::size_t>(random.between(1, 100000)));
      instance->rect = partitioner::random_rect(random, rank, -5, 50);
      for (int k = 0; k < rank; ++k)
        instance->pitch[static_cast<std::size_t>(k)] = random.between(-1, 1) << random.between(0, 40);
      instance->origin = random.between(0, 1) << random.between(0, 40);
      instance->valid = random_region(random, rank);
      local.instances.push_back(std::move(instance));
    }
    local.ghosts = random_region(random, rank);
    for (std::int64_t count = random.between(0, 3); count > 0; --count)
      local.peers.emplace_back(static_cast<int>(random.between(0, 4095)), random_region(random, rank));
  }
  return state;
}

}  // namespace pilum::scheduler
