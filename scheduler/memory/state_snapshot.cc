#include "scheduler/memory/state_snapshot.h"

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

StateSnapshots take_snapshots(const std::vector<Operation>& operations) {
  std::vector<StoreRef> stores;
  for (const Operation& operation : operations) {
    for_each_view(operation, [&stores](const View& view, bool) {
      if (std::exchange(view.store->window_index, 0) < 0) stores.push_back(view.store);
    });
  }
  for (const StoreRef& store : stores) store->window_index = -1;
  return take_snapshots(stores);
}

StateSnapshots take_snapshots(std::span<const StoreRef> stores) {
  StateSnapshots shots{{stores.begin(), stores.end()}, {}, {}};
  for (const StoreRef& store : stores) {
    shots.shots.push_back(take_snapshot(store->state, [&shots](Block* block) {
      shots.blocks.push_back(block);
      return static_cast<Role>(shots.blocks.size()) - 1;
    }));
  }
  return shots;
}

}  // namespace pilum::scheduler
