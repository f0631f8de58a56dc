// An operation over the domain of the task that it may become part of.
#pragma once

#include <array>
#include <vector>

#include "scheduler/analyze/window.h"
#include "scheduler/record/task.h"

namespace pilum::scheduler {

// An operation as the fuser sees it: over a domain whose axes follow the output's, with its distribution.
struct PlacedOperation {
  static constexpr std::int8_t kNoLine = -1;

  const Operation* operation = nullptr;
  Rect domain;
  AffineMap output;                 // from the domain
  std::array<AffineMap, 3> inputs;  // of the views among the inputs
  std::int8_t axis = 0;             // Index
  std::int8_t line = kNoLine;       // of a line of a large array: the store axis that it follows
  Tiling distribution;
  int number = 0;                // in its window
  bool is_part = false;          // of an operation that was cut (parts.h)
  bool is_whole = false;         // it, or what it is part of, writes all of its output's store
  bool has_consumers = true;     // false: a copy that they see through
  int stage = 0;                 // in which its result is read first (stages.h)
  bool is_early = false;         // nobody reads its result before another stage (stages.h)
  bool is_repeated = false;      // it computes a value again for the operations that come next
  bool reads_beyond = false;     // ends of rolled or padded arrays (beyond.h)
  bool sums_in_parts = false;    // a fold that may be cut (fold_parts.h)
  bool waits_no_longer = false;  // of one that waits for its consumer
  bool comes_along = false;      // of one that waits: with the next operation, which is not its consumer
  bool fresh = false;  // nobody has touched its output's cells before, in this window, and it writes all of them
};

// The operation by itself, without a distribution.
[[nodiscard]] PlacedOperation place_alone(const Operation& operation);

// How the points of a reduction are cut that reads a store with this tiling: as its cells, or all are on all
// processors.
[[nodiscard]] Tiling pieces_of_fold(const Tiling& tiling, const AffineMap& input, const Rect& domain);

// The window's `number`-th operation with the store's tilings; on one processor nothing is cut.
[[nodiscard]] PlacedOperation place(const Operation& operation, const std::vector<WindowStore>& stores,
                                    bool one_processor, int number);

}  // namespace pilum::scheduler
