// States of stores as values: to compare, to keep, to bring back.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "scheduler/memory/store_state.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// A block of the plan by number: first those that the touched stores had, then those that were allocated, in order.
using Role = int;

// A store's state with its blocks as roles.
struct StoreSnapshot {
  struct InstanceSnapshot {
    Role role = 0;
    std::size_t bytes = 0;  // of the block
    MemoryBook* book = nullptr;
    Rect rect;
    std::array<std::int64_t, kMaxAxes> pitch{};
    std::int64_t origin = 0;
    Region valid;
    bool operator==(const InstanceSnapshot&) const = default;
  };
  struct ProcessorSnapshot {
    Rect tile;
    std::vector<InstanceSnapshot> instances;
    Region ghosts;
    std::vector<std::pair<int, Region>> peers;
    bool operator==(const ProcessorSnapshot&) const = default;
  };
  bool exists = false;
  Tiling tiling;
  Region everywhere, witnessed;
  bool asked = false;
  std::vector<ProcessorSnapshot> local;
  bool operator==(const StoreSnapshot&) const = default;
};

// Stores as they were, with the blocks that they had by role.
struct StateSnapshots {
  std::vector<StoreRef> stores;
  std::vector<StoreSnapshot> snapshots;
  std::vector<Block*> blocks;
};

[[nodiscard]] StateSnapshots take_snapshots(std::span<const StoreRef> stores);
[[nodiscard]] StateSnapshots take_snapshots(const std::vector<Operation>& operations);  // of their stores

// True where a snapshot of the state would be this one, but for the roles. Nothing is copied.
[[nodiscard]] bool is_as(const StoreState* state, const StoreSnapshot& snapshot);

// The state of a store; roles by `role_of`, in the order of the instances.
template <class RoleOf>
[[nodiscard]] StoreSnapshot take_snapshot(const StoreState* state, RoleOf role_of) {
  StoreSnapshot snapshot;
  if (!state) return snapshot;
  snapshot.exists = true;
  snapshot.tiling = state->tiling;
  snapshot.everywhere = state->everywhere;
  snapshot.witnessed = state->witnessed;
  snapshot.asked = state->asked;
  for (const ProcessorStore& local : state->local) {
    StoreSnapshot::ProcessorSnapshot& processor = snapshot.local.emplace_back();
    processor.tile = local.tile;
    for (const auto& instance : local.instances) {
      processor.instances.push_back({role_of(instance->block), instance->block->bytes, instance->block->book,
                                     instance->rect, instance->pitch, instance->origin, instance->valid});
    }
    processor.ghosts = local.ghosts;
    processor.peers = local.peers;
  }
  return snapshot;
}

}  // namespace pilum::scheduler
