// From a window's tasks to this rank's plan.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scheduler/memory/state_snapshot.h"
#include "scheduler/plan/early_reads.h"
#include "scheduler/plan/exchange.h"
#include "scheduler/plan/launches.h"
#include "scheduler/plan/open_sums.h"
#include "scheduler/plan/plan_builder.h"
#include "scheduler/plan/spiller.h"

namespace pilum::scheduler {

// Plans windows in the order of recording, and keeps what that leaves: where the cells of every store are. The same
// tasks and states give the same plan; what other ranks see of it does not depend on this rank's memory. The
// recording thread's. After a throw the planner is unusable until undo().
class Planner {
 public:
  explicit Planner(PlanningRank rank);

  // Where the store's cells are: made at the first call, cut as `tiling` says.
  StoreState& state_of(const StoreRef& store, const Tiling& tiling);
  // Appends to `plan`, whose first id is set. Every store of the tasks that has memory has a state. deaths[i]: the
  // stores that nobody needs after task i; their memory serves the tasks after it.
  void plan(std::span<const Task> tasks, std::span<const std::vector<Store*>> deaths, Plan& plan);
  // Makes a store that rests one with a state. Before it is recorded with again, or asked for.
  void wake(Store& store);
  // Has stores rest that nobody has used for long; checks so many. `now`: counts as Store::touched does.
  void rest_some(std::uint64_t now, std::size_t max_checked);
  void release_resting(Store& store);
  std::size_t resting() const { return resting_; }
  // Gives a dropped store's memory back, from here on in `plan`.
  void release(Store& store, Plan& plan);
  // For operations on few points: all of a store that is cut comes to all ranks, and of one rank's processors to the
  // first. Collective.
  void gather(Store& store, Plan& plan);
  // Others have copies of a store's cells no more. On all ranks at the same place of the program.
  void take_back_copies(Store& store, Plan& plan);
  // A store that lies with the first processor of the only rank is cut.
  void spread(Store& store, const Tiling& tiling, Plan& plan);
  // All that a processor has of a store that is not cut is in one instance, in memory of the host: of a GPU's, in
  // pinned memory. What lies with the first one alone no other has cells of.
  void bring_to_host(Store& store, Plan& plan);
  // A new store, cut so, whose tiles lie in memory of the program's: instances[p] is processor p's, and empty where it
  // has none.
  StoreState& adopt(const StoreRef& store, const Tiling& tiling, std::vector<std::unique_ptr<Instance>> instances);
  // What of the store is elsewhere is copied to the memory that the program lent.
  void bring_home(Store& store, Plan& plan);
  // An instance of the processor that has these cells of its tile.
  [[nodiscard]] Instance& get_local(Store& store, int processor, const Rect& cells, Plan& plan);
  // The program writes `own[p]` in `written[p]` by itself (null: nothing there), and all ranks `all`.
  void note_written(Store& store, std::span<Instance* const> written, std::span<const Rect> own, const Rect& all,
                    Plan& plan);
  // An instance of the first processor that has these cells of a replicated store, which may lie in several until then.
  [[nodiscard]] const Instance& collect(Store& store, const Rect& cells, Plan& plan);
  // Copies cells of an instance of the first processor to memory of the host, which is given out again to what is
  // planned after: what is there is to be read before.
  [[nodiscard]] Instance copy_to_host(const Instance& instance, const Rect& cells, const Store& store, Plan& plan);
  // While there is an observer, it is told what is planned.
  void set_observer(PlanObserver* observer) { rank_.observer = observer; }
  PlanningRank& rank() { return rank_; }
  // The store as the snapshot says: as a plan left it when it was made, in these blocks, by role.
  void leave_state(const StoreRef& store, const StoreSnapshot& snapshot, std::span<Block* const> blocks);
  // A plan that may be undone begins, or ends: what it frees stays meanwhile.
  void keep_freed(bool keep);
  // As if nothing had been planned since these snapshots were taken of all stores that were planned with. Nothing may
  // be running, and nothing of the plan may have run.
  void undo(const StateSnapshots& before);
  // Bytes that the plan frees, and that the next one can have once it has run.
  std::size_t freed_in_plan() const;
  // True once a plan made again found no room where it had been.
  bool is_full() const { return rank_.full; }
  const std::vector<std::unique_ptr<StoreState>>& states() const { return states_; }

 private:
  void forget(Store& store);
  void share_out(StoreState& state, const Tiling& tiling);
  template <class Visit>
  void for_each_book(Visit visit) const;
  void plan_task(PlanBuilder& builder, OpenSums& sums, EarlyReads& early);
  void plan_points(PlanBuilder& builder, Instances& instances, Exchange& exchange, OpenSums& sums, EarlyReads& early);
  void plan_picked(PlanBuilder& builder, Instances& instances, Exchange& exchange);
  void plan_sent(PlanBuilder& builder, Instances& instances, Exchange& exchange);
  void plan_opaque(PlanBuilder& builder, Instances& instances, Exchange& exchange);
  void plan_reductions(PlanBuilder& builder, Instances& instances, const std::vector<BoundPiece>& pieces,
                       OpenSums& sums);
  void bind_writes(PlanBuilder& builder, Instances& instances, BoundPiece& piece, std::vector<Binding>& reads);
  void apply_writes(PlanBuilder& builder, Instances& instances, const std::vector<BoundPiece>& pieces);
  void free_temporaries(PlanBuilder& builder, std::vector<Binding>& reads, int processor);
  int processors() const { return rank_.machine.processors_per_rank; }

  PlanningRank rank_;
  std::vector<std::unique_ptr<StoreState>> states_;
  Spiller spiller_;
  std::size_t resting_ = 0;
  std::size_t hand_ = 0;          // the state that rest_some() checks next
  std::int64_t plan_number_ = 0;  // counts plans that may be undone
};

}  // namespace pilum::scheduler
