// From a window's tasks to this rank's plan.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scheduler/exchange.h"
#include "scheduler/launches.h"
#include "scheduler/plan_builder.h"
#include "scheduler/plan_cache.h"
#include "scheduler/spiller.h"

namespace pilum::scheduler {

// Plans windows in the order of recording, and keeps what that leaves: where the cells of every store are. The same
// tasks and states give the same plan; what other ranks see of it does not depend on this rank's memory. The
// recording thread's. After a throw the planner is unusable.
class Planner {
 public:
  explicit Planner(PlanningRank rank);

  // Where the store's cells are: made at the first call, cut as `tiling` says.
  StoreState& state_of(const StoreRef& store, const Tiling& tiling);
  // Appends to `plan`, whose first id is set. Every store of the tasks that has memory has a state. deaths[i]: the
  // stores that nobody needs after task i; their memory serves the tasks after it.
  void plan(std::span<const Task> tasks, std::span<const std::vector<Store*>> deaths, Plan& plan);
  // Gives a dropped store's memory back, from here on in `plan`.
  void release(Store& store, Plan& plan);
  // An instance of the first processor that has these cells of a replicated store, which may lie in several until then.
  [[nodiscard]] const Instance& collect(Store& store, const Rect& cells, Plan& plan);
  // Copies cells of an instance of the first processor to memory of the host, which is given out again to what is
  // planned after: what is there is to be read before.
  [[nodiscard]] Instance copy_to_host(const Instance& instance, const Rect& cells, const Store& store, Plan& plan);
  // While there is a script, it is told what is planned.
  void set_script(PlanScript* script) { rank_.script = script; }
  // Plans what a script says, and leaves the stores in these states. `first_task`: how many tasks `plan` has already.
  void play(const CachedPlan& cached, const std::vector<Operation>& operations, const WindowKey& window, Plan& plan,
            std::size_t first_task = 0);
  // The same as one instruction, which a run of the script's replay stands for; so many threads may take part.
  void play_again(CachedPlan& cached, const std::vector<Operation>& operations, const WindowKey& window, Plan& plan,
                  int players);
  // True once a plan made again found no room where it had been.
  bool is_full() const { return rank_.full; }
  const std::vector<std::unique_ptr<StoreState>>& states() const { return states_; }

 private:
  void forget(Store& store);
  void share_out(StoreState& state, const Tiling& tiling);
  template <class BlockOf>
  void leave_states(const CachedPlan& cached, const WindowKey& window, BlockOf block_of);
  void plan_task(PlanBuilder& builder);
  void plan_kernel(PlanBuilder& builder, Instances& instances, Exchange& exchange);
  void plan_opaque(PlanBuilder& builder, Instances& instances, Exchange& exchange);
  void plan_reductions(PlanBuilder& builder, Instances& instances, const std::vector<BoundPiece>& pieces);
  void bind_writes(PlanBuilder& builder, Instances& instances, BoundPiece& piece, std::vector<Binding>& reads);
  void apply_writes(PlanBuilder& builder, Instances& instances, const std::vector<BoundPiece>& pieces);
  void free_temporaries(PlanBuilder& builder, std::vector<Binding>& reads, int processor);
  int processors() const { return rank_.machine.processors_per_rank; }

  PlanningRank rank_;
  std::vector<std::unique_ptr<StoreState>> states_;
  Spiller spiller_;
};

}  // namespace pilum::scheduler
