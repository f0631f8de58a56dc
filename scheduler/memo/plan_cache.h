// Plans that were made before, found again by what they follow from.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "scheduler/memo/bound_plan.h"
#include "scheduler/memo/plan_trace.h"
#include "scheduler/memo/window_key.h"
#include "scheduler/record/fused_group.h"

namespace pilum::scheduler {

// What replay() finds out, in memory that is kept: by slot its blocks and where they lie, and its blocks by role.
struct ReplayRoom {
  std::vector<Block*> blocks, by_role;
  std::vector<std::byte*> data;
};

// What a plan costs a store of its, by number, that it is cut: seconds of its cells' ways between processors, less what
// tasks gain.
struct CutCost {
  int store = 0;
  double seconds = 0;
};

struct CachedPlan {
  PlanKey key;
  std::uint64_t known = 0;  // the known window that has the same operations (WindowKey::known); 0: none
  PlanTrace trace;
  std::vector<StoreSnapshot> final_states;  // by store
  std::vector<int> changed;                 // the stores that have another state afterwards, or other blocks
  std::int64_t tasks = 0;
  Traffic traffic;                  // of this rank, where it is counted
  std::vector<FusionEntry> fusion;  // what was told of its groups, where somebody asks
  BoundPlans runs;
  ReplayRoom room;
  std::vector<CutCost> cut_costs;
  int times = 0;  // that it was found

  // The plan is made: keeps what came of the stores, and takes the key, which has its states.
  void end(WindowKey& window);

  bool was_choice = true;  // the window could have run without it
  // Made at the first call.
  const std::shared_ptr<const PlanTemplate>& get_template() {
    if (!plan_template) plan_template = std::make_shared<const PlanTemplate>(trace, WavefrontMachine{});
    return plan_template;
  }
  // The same for a machine; where it is to be a wavefront, from the second time on that the plan is found: until then
  // the kernels are compiled that it takes.
  const std::shared_ptr<const PlanTemplate>& get_template(const WavefrontMachine& machine);
  std::shared_ptr<const PlanTemplate> plan_template, wavefront;
};

struct PlanCacheStatistics {
  long hits = 0, misses = 0;
  long known = 0;  // of the hits, windows that were recorded as a known one
  std::size_t entries = 0;
};

// The least recently used go when there are too many. The recording thread's.
class PlanCache {
 public:
  explicit PlanCache(std::size_t most_entries) : capacity_(most_entries) {}
  bool enabled() const { return capacity_ > 0; }
  // From now on nothing is remembered or found.
  void disable();
  // By the window, and by the states that its stores have now.
  [[nodiscard]] CachedPlan* find(const WindowKey& window);
  void add(CachedPlan plan);
  // A window with a key was planned freshly.
  void count_miss() { ++statistics_.misses; }
  // Of a window that may be run without a plan: how many times one with this hash was, of late; counts this one.
  int count_unplanned(std::uint64_t hash);
  // Of late plans were dropped before they had been found often enough to be worth their making.
  bool wastes_plans() const { return wasted_ > kMostWasted; }
  const PlanCacheStatistics& statistics() const { return statistics_; }
  // Of all that is kept, about.
  std::size_t compute_bytes() const;

 private:
  void drop_last();
  void note_lookup();

  static constexpr int kMostWasted = 64;

  std::size_t capacity_;
  std::list<CachedPlan> entries_;  // the latest used first
  std::unordered_multimap<std::uint64_t, std::list<CachedPlan>::iterator> by_hash_;
  std::unordered_map<std::uint64_t, int> unplanned_;
  int wasted_ = 0, lookups_ = 0;
  PlanCacheStatistics statistics_;
};

}  // namespace pilum::scheduler
