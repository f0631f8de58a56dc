// Memory that the program lends, and memory that it is shown.
#include <utility>

#include "scheduler/plan/planner.h"

namespace pilum::scheduler {

StoreState& Planner::adopt(const StoreRef& store, const Tiling& tiling,
                           std::vector<std::unique_ptr<Instance>> instances) {
  StoreState& state = state_of(store, tiling);
  for (std::size_t p = 0; p < instances.size(); ++p) {
    if (instances[p]) state.local[p].instances.push_back(std::move(instances[p]));
  }
  return state;
}

void Planner::bring_home(Store& store, Plan& plan) {
  if (!store.state) return;
  PlanBuilder builder(rank_, plan, {});
  Instances instances(builder);
  for (int p = 0; p < processors(); ++p) instances.bring_home(*store.state, p);
}

Instance& Planner::get_local(Store& store, int processor, const Rect& cells, Plan& plan) {
  PlanBuilder builder(rank_, plan, {});
  Instances instances(builder);
  // Lent memory before all: it is where the program looks for them.
  for (const auto& instance : store.state->local[static_cast<std::size_t>(processor)].instances) {
    if (instance->block->book == rank_.lent && instance->valid.contains(cells)) return *instance;
  }
  return instances.for_read(*store.state, processor, cells);
}

void Planner::note_written(Store& store, std::span<Instance* const> written, std::span<const Rect> own, const Rect& all,
                           Plan& plan) {
  PlanBuilder builder(rank_, plan, {});
  Instances instances(builder);
  for (std::size_t p = 0; p < written.size(); ++p) {
    const int processor = static_cast<int>(p);
    if (written[p]) {
      instances.written(*store.state, processor, *written[p], own[p], all);
    } else {
      instances.written_elsewhere(*store.state, processor, all);
    }
  }
  store.state->everywhere -= all;
  store.state->asked = false;
}

}  // namespace pilum::scheduler
