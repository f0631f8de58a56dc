// Folds the processors' shares of a reduction into one value that every rank has.
#pragma once

#include <vector>

#include "scheduler/plan/launches.h"

namespace pilum::scheduler {

// One reduction's way across the machine. Each of a rank's processors that takes part has a share of its own, so that
// none waits for another; a rank's shares are folded in their order, then the ranks' results go up a binomial tree and
// are folded in rank order, then the result goes down. Order and shape of the tree depend on the number of ranks alone:
// so do the bits. Small results of GPUs that have mail with each other each rank folds for itself, in the tree's order:
// then all goes one way at once.
class Allreduce {
 public:
  // `shares`: how many of this rank's processors take part. A store that is not gathered needs no way.
  Allreduce(PlanBuilder& builder, const Argument& reduction, bool gathered, int shares);
  // The same for `cells` results of one cell each, of stores like `first`; all of this rank's processors may take part.
  Allreduce(PlanBuilder& builder, const Argument& first, int cells);
  bool is_gathered() const { return gathered_; }
  // Where the next processor's share of `cells` is folded in.
  FoldTarget next_target(const Rect& cells);
  // Where the processor's share of such a result is folded in.
  FoldTarget target(int processor, int cell) const;
  // Plans the messages, and what brings the result to each processor's instance of the whole store.
  void finish(const std::vector<Instance*>& outputs);
  // The same of such results: outputs[c][p] is the store's of cell c.
  void finish_cells(const std::vector<Store*>& stores, const std::vector<std::vector<Instance*>>& outputs);

 private:
  void fold_shares();
  Block* allocate(std::int64_t bytes);
  Rect bytes_of(int share) const;
  void start(int share);
  void fold(Block& parts, std::int64_t count, bool starts, const Instance& to, const Rect& touched, int processor,
            std::int64_t at = 0);
  bool is_folded_by_each() const;
  void fold_across_ranks();
  void fold_up_and_down();
  void fold_by_each();
  Block* fold_subtree(int rank, const std::vector<PlanBuilder::Parcel>& parcels);
  void receive_and_fold(int child);
  void send_whole(int to);
  void receive_whole(int from);

  PlanBuilder& builder_;
  const Store& store_;
  const kernel::Fold fold_;
  const bool gathered_;
  int shares_, next_ = 0;
  Instance whole_;  // row-major, without padding: the shares one after the other, later the rank's result
  std::int64_t bytes_ = 0;
};

}  // namespace pilum::scheduler
