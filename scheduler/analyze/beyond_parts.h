// Groups whose operations read beyond the ends of rolled and padded arrays, cut there.
#pragma once

#include <list>
#include <span>
#include <vector>

#include "scheduler/analyze/beyond.h"
#include "scheduler/analyze/placed_operation.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

constexpr std::size_t kMostParts = 343;  // of a group, where it is cut at each place

// Operations over one domain, in order, as those of its parts: lists that are a group each, the rims before the rest.
// Where some read a store at other points than others write it, rims write to new arrays first, and copies of these
// come last. Neighbours several cells away, of which each would make a rim, are read from strips that are copied. A sum
// becomes those of the parts, and what adds them up. `operations` gets the new ones, `stores` their
// arrays.
[[nodiscard]] std::vector<std::vector<PlacedOperation>> cut_beyond(std::span<const PlacedOperation> members,
                                                                   const BeyondCuts& cuts,
                                                                   std::vector<WindowStore>& stores, bool one_processor,
                                                                   std::list<Operation>& operations);

}  // namespace pilum::scheduler
