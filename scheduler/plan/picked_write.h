// Writing cells that arrays of indices name, of an array that is cut: each rank sends the owners what it has for them.
#pragma once

#include <vector>

#include "scheduler/plan/exchange.h"
#include "scheduler/plan/picked_exchange.h"

namespace pilum::scheduler {

// True where a task's body updates cells that index arrays name (TaskBody::combine), and sending each value to the
// owner of its cell moves fewer bytes than giving each owner all values and indices; of values and indices that were
// sent before and have not changed since, an eighth of them. Follows from what all ranks know. On GPUs, never.
[[nodiscard]] bool pays_to_send(const Task& task, const PlanningRank& rank);

// The points of such a task, as a task that reads the array: each processor has a slab of them, those before another
// processor's, row-major, if its number is less. It lies with the values or the indices where these are cut so.
[[nodiscard]] Task points_of_write(const Task& task, const machine::Machine& machine);

// Pieces of points send places and values to the owners of the cells. These update their cells with the values of one
// piece after the other, and of a piece in the order of its points: row-major, so that the bits are the same on any
// machine. In one round, whose memory is at most that of all values and indices.
class PickedWrite : private PickedExchange {
 public:
  // `points`: points_of_write(), the builder's task for now; `pieces`: of the task that writes, their write bound.
  PickedWrite(PlanBuilder& builder, const Task& points, const Task& task, const std::vector<BoundPiece>& pieces);
  // The values and indices go to the pieces of points, as by other tasks.
  void plan(Exchange& exchange);

 private:
  // The owner of a piece's own processor, where its points have a cell each: they need no requests. Null: there is
  // none.
  const Owner* find_own(const Asker& asker) const;
  void collect(const Asker& asker, const Instance& values);
  void update(const Asker& asker, const Owner& owner);
  void update_own(const Asker& asker, const Owner& owner, const Instance& values);

  const Task& writer_;
  const std::vector<BoundPiece>& pieces_;
  Argument values_;
};

}  // namespace pilum::scheduler
