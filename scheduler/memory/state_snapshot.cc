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
  StateSnapshots snapshots{{stores.begin(), stores.end()}, {}, {}};
  snapshots.snapshots.reserve(stores.size());
  for (const StoreRef& store : stores) {
    snapshots.snapshots.push_back(take_snapshot(store->state, [&snapshots](Block* block) {
      snapshots.blocks.push_back(block);
      return static_cast<Role>(snapshots.blocks.size()) - 1;
    }));
  }
  return snapshots;
}

}  // namespace pilum::scheduler
