#include "scheduler/plan/witness.h"

#include "scheduler/record/array_kind.h"

namespace pilum::scheduler {
namespace {

constexpr double kShareOfLatency = 0.25;  // most messages and copies come while something else runs
constexpr double kPasses = 4;             // cells are read and written as they are packed, and unpacked

void charge(const Store& store, std::int64_t cells, double latencies, const machine::Machine& machine) {
  const auto bytes = static_cast<double>(cells * static_cast<std::int64_t>(itemsize(store.dtype)));
  store.kind->cost += latencies * machine.message_latency +
                      bytes * (1 / machine.message_bandwidth + kPasses / machine.memory_bandwidth);
}

bool is_charged(const StoreState& state, const machine::Machine& machine) {
  return machine.ranks > 1 && state.store->kind && !state.tiling.is_replicated();
}

}  // namespace

void charge_read(const Task& task, const Argument& read, const machine::Machine& machine) {
  StoreState& state = *read.store()->state;
  if (!is_charged(state, machine)) return;
  const int witness = witness_of(machine);
  const Rect piece = task.distribution.tile(witness), tile = state.tiling.tile(witness);
  if (piece.empty() || tile.contains(read.hull(piece))) return;
  Region need = read.cells(piece);
  if (!tile.empty()) need -= tile;
  need -= state.witnessed;
  need -= state.everywhere;
  if (need.empty()) return;
  int owners = 0;
  state.tiling.for_each_tile(need.hull(), [&owners](int, const Rect&) { ++owners; });
  charge(*state.store, need.cells(), kShareOfLatency * owners, machine);
  state.witnessed += need;
}

void charge_everywhere(StoreState& state, const Region& cells, const machine::Machine& machine) {
  if (!is_charged(state, machine)) return;
  const Rect tile = state.tiling.tile(witness_of(machine));
  Region need = cells;
  if (!tile.empty()) need -= tile;
  if (need.empty()) return;
  int steps = 0;
  while (1 << steps < machine.ranks) ++steps;
  charge(*state.store, need.cells(), kShareOfLatency * steps, machine);
}

void charge_copy(const Store& store, const Rect& cells, const machine::Machine& machine) {
  if (!store.kind || machine.ranks > 1) return;
  const auto bytes = static_cast<double>(cells.cells() * static_cast<std::int64_t>(itemsize(store.dtype)));
  store.kind->cost += kShareOfLatency * machine.message_latency + bytes / machine.message_bandwidth;
}

}  // namespace pilum::scheduler
