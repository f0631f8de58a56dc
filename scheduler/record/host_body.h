// A user's body as the host runs it: in chunks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/record/plan.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

struct HostBody {
  std::shared_ptr<const TaskBody> body;
  std::vector<Footprint> footprints;  // by argument, without functions
  std::vector<Rect> boxes;            // by argument: of a function, the hull of what the launch touches
  // What a chunk's call gets, but for where its arrays begin: a store's `first` is bytes from its array's base.
  struct Chunk {
    Piece piece;
    std::vector<detail::BoundStore> stores;
  };
  std::vector<Chunk> chunks;  // by number; empty where there are many: they are worked out each time
  std::int64_t bytes = 0;     // whose copying takes about as long as all of it; 0: unknown
};

// The points of one chunk of the launch, and what of each argument it may touch; addresses count from the arrays'
// bases.
[[nodiscard]] HostBody::Chunk make_chunk(const Launch& launch, const HostBody& body, std::int64_t number);

}  // namespace pilum::scheduler
