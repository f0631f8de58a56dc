#include "scheduler/memory/state_snapshot.h"

#include <algorithm>

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

bool is_as(const Instance& instance, const StoreSnapshot::InstanceSnapshot& snapshot) {
  return instance.block->bytes == snapshot.bytes && instance.block->book == snapshot.book &&
         instance.rect == snapshot.rect && instance.pitch == snapshot.pitch && instance.origin == snapshot.origin &&
         instance.valid == snapshot.valid;
}

bool is_as(const ProcessorStore& local, const StoreSnapshot::ProcessorSnapshot& snapshot) {
  const auto same = [](const auto& instance, const auto& then) { return is_as(*instance, then); };
  return local.tile == snapshot.tile && std::ranges::equal(local.instances, snapshot.instances, same) &&
         local.ghosts == snapshot.ghosts && local.peers == snapshot.peers;
}

}  // namespace

bool is_as(const StoreState* state, const StoreSnapshot& snapshot) {
  if (!state || !snapshot.exists) return !state && !snapshot.exists;
  const auto same = [](const auto& local, const auto& then) { return is_as(local, then); };
  return std::ranges::equal(state->local, snapshot.local, same) && state->tiling == snapshot.tiling &&
         state->everywhere == snapshot.everywhere && state->witnessed == snapshot.witnessed &&
         state->asked == snapshot.asked;
}

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
