// Stores that programs see a few cells of at a time, each time others: what goes from processor to processor for that
// is of no use the next time.
#include <algorithm>

#include "scheduler/plan/planner.h"

namespace pilum::scheduler {

// So the store lies as it did before, and the plan serves for other places, too (memo/window_key.h).
void Planner::take_back_copies(Store& store, Plan& plan) {
  if (!store.state) return;
  StoreState& state = *store.state;
  if (state.tiling.is_replicated()) return;
  PlanBuilder builder(rank_, plan, {});
  Instances instances(builder);
  state.everywhere = state.witnessed = {};
  for (int p = 0; p < processors(); ++p) {
    ProcessorStore& local = state.local[static_cast<std::size_t>(p)];
    local.ghosts = {};
    local.peers.clear();
    const bool has_tile = !local.tile.empty();
    const auto home = std::ranges::find_if(
        local.instances, [&](const auto& instance) { return has_tile && instance->valid.contains(local.tile); });
    for (auto it = local.instances.begin(); it != local.instances.end(); ++it) {
      const bool is_of_use = has_tile && (home == local.instances.end() || it == home);
      (*it)->valid = is_of_use ? (*it)->valid & local.tile : Region();
    }
    instances.drop_empty(state, p);
  }
}

}  // namespace pilum::scheduler
