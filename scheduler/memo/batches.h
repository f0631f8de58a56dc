// What the host does of a plan as one.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// Some items of a plan, by number: one, in chunks, or some of its chunks; or several tiny ones, which one thread does
// one after the other: each takes less time than another thread takes to learn that it may begin.
struct Batch {
  static constexpr int kNobody = -1;

  int first = 0, count = 1;
  std::int64_t first_chunk = 0, chunks = 1;
  int owner = kNobody;          // whose it is, of those who take part; nobody's: each has a share
  int before = 0;               // chunks that it comes after
  std::vector<int> dependents;  // batches that come after it
};

// `items` in an order in which each stands behind what it comes after (`predecessors`, the nearest ones alone, in
// order). Those that stand beside each other become one until they take some microseconds. Messages, and whatever takes
// long, or nobody knows how long, are batches of their own. In plans with messages items become one only where they
// wait for the same, and what a message waits for is the last of its batch: so messages go no later than they could.
[[nodiscard]] std::vector<Batch> make_batches(const std::vector<const Instruction*>& items,
                                              const std::vector<std::vector<int>>& predecessors);

}  // namespace pilum::scheduler
