// Where a store's cells are, as one rank knows it.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "partitioner/region.h"
#include "partitioner/tiling.h"
#include "scheduler/memory/memory_book.h"
#include "scheduler/record/store.h"

namespace pilum::scheduler {

using partitioner::Region;
using partitioner::Tiling;

// Memory holding a rectangle of a store, row-major with a padded pitch. Valid: the cells whose current value it has.
struct Instance {
  Block* block = nullptr;
  Rect rect;
  std::array<std::int64_t, kMaxAxes> pitch{};  // bytes, by store axis
  std::int64_t origin = 0;                     // bytes from the block's start to the cell rect.lo
  Region valid;

  // The address of a cell, also of one outside rect (then it is not to be touched).
  std::byte* address(const std::array<std::int64_t, kMaxAxes>& cell) const {
    std::int64_t offset = origin;
    for (std::size_t k = 0; k < static_cast<std::size_t>(rect.rank); ++k) offset += (cell[k] - rect.lo[k]) * pitch[k];
    return block->data + offset;
  }
};

// What one processor of this rank has of a store. Instances are few (tile, ping-pong partner, far footprints) and
// stay where they are in memory while the planner uses them: hence the indirection.
struct ProcessorStore {
  Rect tile;  // the cells it owns
  std::vector<std::unique_ptr<Instance>> instances;
  Region ghosts;                              // cells of others' tiles that it has, as their owners know
  std::vector<std::pair<int, Region>> peers;  // by processor: which cells of this tile it holds
};

class StoreState {
 public:
  StoreRef store;
  Tiling tiling;
  Region everywhere;   // cells that every processor holds, beside its own
  Region witnessed;    // cells of others' tiles that one processor has, as all ranks know (plan/witness.h)
  bool asked = false;  // ranks have asked each other for cells since it was last written (picked_read.h)
  std::vector<ProcessorStore> local;  // by this rank's processors
  std::size_t place = 0;              // in the planner's list
  std::int64_t born = 0;              // the number of the plan that made it (Planner::undo)

  // Each of the ranks has all of it, and of the only one its first processor, if no other.
  bool is_whole(int ranks) const { return tiling.is_replicated() || (tiling.is_on_one() && ranks == 1); }
};

}  // namespace pilum::scheduler
