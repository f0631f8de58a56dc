// Stores that are brought together for operations on few points, and cut again.
#include "scheduler/plan/planner.h"

namespace pilum::scheduler {
namespace {

void keep_only(Instances& instances, StoreState& state, int processor, const Instance& kept) {
  for (const auto& other : state.local[static_cast<std::size_t>(processor)].instances) {
    if (other.get() != &kept) other->valid = {};
  }
  instances.drop_empty(state, processor);
}

}  // namespace

void Planner::gather(Store& store, Plan& plan) {
  PlanBuilder builder(rank_, plan, {});
  Instances instances(builder);
  Exchange exchange(builder, instances);
  StoreState& state = *store.state;
  const Rect all = Rect::of(store.shape);
  std::vector<Instance*> bound;
  exchange.plan_read_everywhere(kernel_argument(state.store, whole(state.store).map, kernel::Access::Read), all, bound);
  state.tiling = rank_.machine.ranks > 1 ? Tiling::replicated(all) : Tiling::on_one(all);
  state.everywhere = state.witnessed = {};
  for (int p = 0; p < processors(); ++p) {
    ProcessorStore& local = state.local[static_cast<std::size_t>(p)];
    local.tile = state.tiling.tile(rank_.first_processor() + p);
    local.ghosts = {};
    local.peers.clear();
    bound[static_cast<std::size_t>(p)]->valid = Region(local.tile);
    keep_only(instances, state, p, *bound[static_cast<std::size_t>(p)]);
  }
  builder.wait_until_taken();
}

void Planner::spread(Store& store, const Tiling& tiling, Plan& plan) {
  PlanBuilder builder(rank_, plan, {});
  Instances instances(builder);
  Exchange exchange(builder, instances);
  StoreState& state = *store.state;
  Instance& from = instances.for_read(state, 0, Rect::of(store.shape));
  keep_only(instances, state, 0, from);
  state.tiling = tiling;
  state.everywhere = state.witnessed = {};
  for (int p = 0; p < processors(); ++p) {
    ProcessorStore& local = state.local[static_cast<std::size_t>(p)];
    local.tile = tiling.tile(rank_.first_processor() + p);
    local.ghosts = {};  // of what they read meanwhile, for which there may be no room here
    local.peers.clear();
    if (p == 0 || local.tile.empty()) continue;
    Instance& to = instances.for_read(state, p, local.tile);
    exchange.copy_between(from, 0, to, p, local.tile, store);
    to.valid = Region(local.tile);
    keep_only(instances, state, p, to);
  }
  from.valid = Region(state.local[0].tile);
  if (state.local[0].tile.empty()) instances.drop_empty(state, 0);
}

void Planner::bring_to_host(Store& store, Plan& plan) {
  PlanBuilder builder(rank_, plan, {});
  Instances instances(builder);
  StoreState& state = *store.state;
  for (int p = 0; p < processors(); ++p) {
    ProcessorStore& local = state.local[static_cast<std::size_t>(p)];
    if (local.tile.empty()) {
      for (const auto& instance : local.instances) instance->valid = {};
      instances.drop_empty(state, p);
    } else {
      keep_only(instances, state, p, instances.for_read_on_host(state, p, local.tile));
    }
    local.ghosts = {};
    local.peers.clear();
  }
  state.everywhere = state.witnessed = {};
}

}  // namespace pilum::scheduler
