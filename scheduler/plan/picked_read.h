// Reading cells that arrays of indices name, of an array that is cut: each rank asks the owners for what it needs.
#pragma once

#include <map>
#include <vector>

#include "scheduler/plan/picked_exchange.h"

namespace pilum::scheduler {

// The owners send back the rows that are asked for, and the piece puts them to its points. It goes in rounds of points,
// so that its memory is bounded.
class PickedRead : private PickedExchange {
 public:
  // `pieces`: bound but for their first read.
  PickedRead(PlanBuilder& builder, Instances& instances, const std::vector<BoundPiece>& pieces);
  void plan();

 private:
  void plan_round(std::int64_t round);
  // From the requests to the rows.
  void answer(const Asker& asker, const Owner& owner, Block* range, std::int64_t range_at, Block* requests, Block* rows,
              std::int64_t rows_at);
  void place(const Asker& asker, const Rect& points);

  Instances& instances_;
  const std::vector<BoundPiece>& pieces_;
  std::map<int, const Instance*> tiles_;  // by owner, of this rank
};

}  // namespace pilum::scheduler
