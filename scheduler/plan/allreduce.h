// Folds the processors' shares of a reduction into one value that every rank has.
#pragma once

#include <vector>

#include "scheduler/plan/launches.h"

namespace pilum::scheduler {

// One reduction's way across the machine. Each rank starts a copy of the result from the identity and folds its own
// processors' shares into it, in their order; then the ranks' copies go up a binomial tree and are folded in rank
// order; then the result goes down. Order and shape of the tree depend on the number of ranks alone: so do the bits.
class Allreduce {
 public:
  Allreduce(PlanBuilder& builder, const Store& store, bool gathered);
  bool is_gathered() const { return gathered_; }
  // Where a processor's share of `cells` is folded in.
  FoldTarget target(const Rect& cells) const;
  // Plans the messages, and the copies into each processor's instance of the whole store.
  void finish(kernel::Fold fold, const std::vector<Instance*>& outputs);

 private:
  void fold_in(kernel::Fold fold, Block* parts);

  PlanBuilder& builder_;
  const Store& store_;
  bool gathered_;
  bool started_ = false;
  Instance whole_;  // row-major, without padding
  std::size_t bytes_ = 0;
};

}  // namespace pilum::scheduler
