#include "scheduler/plan/exchange.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "runtime/comm/tree.h"
#include "scheduler/plan/message_batch.h"
#include "scheduler/plan/witness.h"

namespace pilum::scheduler {
namespace {

// The rectangle whose cells, displaced by some offset of the read, may lie in `tile`; and, since footprints are hulls,
// those a step away, between which a tile narrower than the step lies.
Rect widen(Rect tile, const Argument& read) {
  const AffineMap map = read.map();
  const Point low = read.low(), high = read.high();
  for (std::size_t k = 0; k < static_cast<std::size_t>(tile.rank); ++k) {
    const std::int64_t between = std::max<std::int64_t>(std::abs(map.axes[k].scale) - 1, 0);
    tile.lo[k] -= high.x[k] + between;
    tile.hi[k] -= low.x[k] - between;
  }
  return tile;
}

// What is bound must be somewhere, also where a piece reads nothing.
Rect cells_to_bind(const Argument& read, const Rect& piece) {
  Rect cells = read.hull(piece);
  if (!cells.empty()) return cells;
  cells = Rect::of(read.store()->shape);
  for (std::size_t k = 0; k < static_cast<std::size_t>(cells.rank); ++k) cells.hi[k] = 1;
  return cells;
}

// Each point reads just the cell that lies with it.
bool is_aligned(const StoreState& state, const Reading& reading) {
  const Argument& read = *reading.read;
  return read.is_pointwise() && !state.tiling.is_cut_across(read.map()) &&
         state.tiling.pull_back(read.map(), reading.task->domain) == reading.task->distribution;
}

Region& peer_region(ProcessorStore& store, int peer) {
  for (auto& [number, region] : store.peers) {
    if (number == peer) return region;
  }
  return store.peers.emplace_back(peer, Region()).second;
}

}  // namespace

bool Exchange::is_local(int processor) const {
  return builder_.rank().machine.rank_of(processor) == builder_.rank().rank;
}

std::vector<Exchange::Transfer> Exchange::find_receives(StoreState& state, const Reading& reading) {
  std::vector<Transfer> transfers;
  const Task& task = *reading.task;
  const Argument& read = *reading.read;
  for (std::size_t p = 0; p < state.local.size(); ++p) {
    const int receiver = builder_.rank().first_processor() + static_cast<int>(p);
    const Rect piece = task.distribution.tile(receiver);
    if (piece.empty()) continue;
    ProcessorStore& store = state.local[p];
    const Rect hull = read.hull(piece);
    if (store.tile.contains(hull)) continue;
    Region need = read.cells(piece);
    if (!store.tile.empty()) need -= store.tile;
    need -= store.ghosts;
    need -= state.everywhere;
    if (need.empty()) continue;
    store.ghosts += need;
    state.tiling.for_each_tile(need.hull(), [&](int owner, const Rect& part) {
      Region cells = need & part;
      if (!cells.empty()) transfers.push_back({owner, receiver, std::move(cells)});
    });
  }
  std::sort(transfers.begin(), transfers.end(),
            [](const Transfer& a, const Transfer& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  return transfers;
}

std::vector<Exchange::Transfer> Exchange::find_sends(StoreState& state, const Reading& reading) {
  std::vector<Transfer> transfers;
  const Task& task = *reading.task;
  const Argument& read = *reading.read;
  for (std::size_t p = 0; p < state.local.size(); ++p) {
    const int owner = builder_.rank().first_processor() + static_cast<int>(p);
    ProcessorStore& store = state.local[p];
    if (store.tile.empty()) continue;
    // Of a user's function nothing is known: every piece is asked.
    const Rect points = read.footprint.function()
                            ? task.domain
                            : partitioner::preimage(read.map(), widen(store.tile, read), task.domain);
    task.distribution.for_each_tile(points, [&](int receiver, const Rect&) {
      if (receiver == owner) return;
      Region need = read.cells(task.distribution.tile(receiver)) & store.tile;
      Region& ghosts = peer_region(store, receiver);
      need -= ghosts;
      need -= state.everywhere;
      if (need.empty()) return;
      ghosts += need;
      transfers.push_back({owner, receiver, std::move(need)});
    });
    std::erase_if(store.peers, [](const auto& peer) { return peer.second.empty(); });
  }
  std::sort(transfers.begin(), transfers.end(),
            [](const Transfer& a, const Transfer& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  return transfers;
}

Incoming Exchange::plan_read(const Argument& read, std::vector<Instance*>& bound) {
  const Reading reading{&builder_.task(), &read};
  std::vector<BoundRead> only = plan_reads({&reading, 1});
  bound = std::move(only.front().instances);
  return std::move(only.front().incoming);
}

std::vector<BoundRead> Exchange::plan_reads(std::span<const Reading> readings) {
  const PlanBuilder::NoReuse hold(builder_);  // sends and receives of one batch must not wait for each other
  std::vector<BoundRead> bound(readings.size());
  // First, for it may have to wait until memory is free: a rank that waits while its messages fly, but has not asked
  // for those of others, could wait for ranks that do the same.
  for (std::size_t i = 0; i < readings.size(); ++i) bind(readings[i], bound[i].instances);
  plan_transfers(readings, bound);
  // What came for one read is copied to where another one finds it.
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (readings.size() > 1 && readings[i].task == &builder_.task()) bind(readings[i], bound[i].instances);
  }
  return bound;
}

void Exchange::bind(const Reading& reading, std::vector<Instance*>& bound) {
  std::optional<PlanBuilder::Instead> later;
  if (reading.task != &builder_.task()) later.emplace(builder_, *reading.task);
  StoreState& state = *reading.read->store()->state;
  bound.assign(state.local.size(), nullptr);
  for (std::size_t p = 0; p < state.local.size(); ++p) {
    const Rect piece = reading.task->distribution.tile(builder_.rank().first_processor() + static_cast<int>(p));
    if (!piece.empty())
      bound[p] = &instances_.for_read(state, static_cast<int>(p), cells_to_bind(*reading.read, piece));
  }
}

void Exchange::plan_transfers(std::span<const Reading> readings, std::span<BoundRead> bound) {
  MessageBatch messages(builder_);
  std::vector<std::vector<Transfer>> receives(readings.size());
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const Argument& read = *readings[i].read;
    StoreState& state = *read.store()->state;
    bound[i].incoming.resize(state.local.size());
    if (state.tiling.is_replicated() || is_aligned(state, readings[i])) continue;
    charge_read(*readings[i].task, read, builder_.rank().machine);
    for (const Transfer& transfer : find_sends(state, readings[i])) {
      if (is_local(transfer.to)) continue;
      const int owner = local_number(transfer.from);
      messages.send(owner, transfer.to, transfer.cells, *state.store, state.local[static_cast<std::size_t>(owner)]);
    }
    receives[i] = find_receives(state, readings[i]);
  }
  messages.plan_sends();
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const StoreState& state = *readings[i].read->store()->state;
    for (const Transfer& transfer : receives[i]) {
      const int receiver = local_number(transfer.to);
      Instance& instance = *bound[i].instances[static_cast<std::size_t>(receiver)];
      Region& incoming = bound[i].incoming[static_cast<std::size_t>(receiver)];
      if (is_local(transfer.from)) {
        const int owner = local_number(transfer.from);
        copy_all(state.local[static_cast<std::size_t>(owner)], owner, instance, receiver, transfer.cells, *state.store);
        // On GPUs such a copy is a message too: the interior need not wait for it.
        if (builder_.rank().on_gpus()) incoming += transfer.cells;
      } else {
        messages.receive(transfer.from, receiver, transfer.cells, *state.store, instance);
        incoming += transfer.cells;
      }
    }
  }
  messages.plan_receives();
  for (std::size_t i = 0; i < readings.size(); ++i) {
    for (const Transfer& transfer : receives[i])
      bound[i].instances[static_cast<std::size_t>(local_number(transfer.to))]->valid += transfer.cells;
  }
}

// What one processor of this rank has, wherever it has it.
void Exchange::copy_all(const ProcessorStore& from, int owner, const Instance& to, int receiver, const Region& cells,
                        const Store& store) {
  for (const Rect& rect : cells.rects()) {
    Region left = rect;
    for (const auto& source : from.instances) {
      const Region here = left & source->valid;
      for (const Rect& part : here.rects()) copy_between(*source, owner, to, receiver, part, store);
      left -= here;
    }
  }
}

void Exchange::copy_between(const Instance& from, int owner, const Instance& to, int receiver, const Rect& cells,
                            const Store& store) {
  if (owner != receiver) charge_copy(store, cells, builder_.rank().machine);
  if (owner == receiver) return builder_.copy(from, to, cells, store, receiver);
  if (builder_.rank().peers) return builder_.copy_together(from, to, cells, store, receiver);
  const Instance aside = make_packed_on_host(builder_, owner, cells, store);
  builder_.copy(from, aside, cells, store, owner);
  builder_.copy(aside, to, cells, store, receiver);
  builder_.free(aside.block, owner);
}

void Exchange::plan_read_everywhere(const Argument& read, const Rect& domain, std::vector<Instance*>& bound) {
  StoreState& state = *read.store()->state;
  const Rect hull = cells_to_bind(read, domain);
  bound.assign(state.local.size(), nullptr);
  for (std::size_t p = 0; p < state.local.size(); ++p) {
    bound[p] = &instances_.for_read(state, static_cast<int>(p), hull);
  }
  if (state.tiling.is_replicated()) return;
  const Region need = read.cells(domain) - state.everywhere;
  if (need.empty()) return;
  charge_everywhere(state, need, builder_.rank().machine);
  const bool directly = builder_.rank().is_all_direct();
  std::optional<PlanBuilder::NoReuse> together;  // all owners' cells are on their way together
  if (directly) together.emplace(builder_);
  state.tiling.for_each_tile(need.hull(), [&](int owner, const Rect& part) {
    const Region cells = need & part;
    if (cells.empty()) return;
    if (directly) return broadcast_directly(state, owner, cells, bound);
    // Pieces that are on their way together must not wait for each other's memory.
    constexpr std::size_t kTogether = 4;
    std::optional<PlanBuilder::NoReuse> hold;
    const std::vector<Region> messages = builder_.cut_message(cells, *state.store);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (messages.size() > 1 && i % kTogether == 0) hold.emplace(builder_);
      broadcast(state, owner, messages[i], bound);
    }
  });
  state.everywhere += need;
}

// The owner's rank is the root of a tree; each rank passes on the packed cells and keeps them where it lacks them.
void Exchange::broadcast(StoreState& state, int owner, const Region& cells, std::vector<Instance*>& bound) {
  const machine::Machine& machine = builder_.rank().machine;
  const std::size_t bytes = static_cast<std::size_t>(cells.cells()) * itemsize(state.store->dtype);
  const comm::TreePlace place = comm::compute_tree_place(builder_.rank().rank, machine.ranks, machine.rank_of(owner));
  const bool local_owner = is_local(owner);
  const auto wants = [&](std::size_t p) { return !local_owner || static_cast<int>(p) != local_number(owner); };
  const bool alone = machine.ranks == 1 && state.local.size() == 1;
  if (alone) return;
  Block* packed = builder_.allocate_shared(bytes, local_owner ? local_number(owner) : 0, state.store->id);
  if (local_owner) {
    const int p = local_number(owner);
    builder_.pack(state.local[static_cast<std::size_t>(p)], cells, packed, *state.store, p);
  } else {
    builder_.receive_block(*place.parent, packed, bytes, state.store->id);
  }
  for (auto child = place.children.rbegin(); child != place.children.rend(); ++child) {
    builder_.send_block(child->first, packed, bytes, state.store->id);
  }
  for (std::size_t p = 0; p < state.local.size(); ++p) {
    if (!wants(p)) continue;
    builder_.unpack(packed, cells, *bound[p], *state.store, static_cast<int>(p));
    bound[p]->valid += cells;
  }
  builder_.free(packed, 0);
}

// From GPU to GPU, without the host: down the same tree, and within a rank from the GPU that has them.
void Exchange::broadcast_directly(StoreState& state, int owner, const Region& cells, std::vector<Instance*>& bound) {
  const machine::Machine& machine = builder_.rank().machine;
  const comm::TreePlace place = comm::compute_tree_place(builder_.rank().rank, machine.ranks, machine.rank_of(owner));
  const int holder = is_local(owner) ? local_number(owner) : 0;
  const ProcessorStore& held = state.local[static_cast<std::size_t>(holder)];
  if (place.parent) {
    Instance& first = *bound[static_cast<std::size_t>(holder)];
    builder_.receive(*place.parent, cells, first, *state.store, holder);
    first.valid += cells;
  }
  for (auto child = place.children.rbegin(); child != place.children.rend(); ++child)
    builder_.send(child->first, cells, held, *state.store, holder);
  for (int p = 0; p < static_cast<int>(state.local.size()); ++p) {
    if (p == holder) continue;
    Instance& other = *bound[static_cast<std::size_t>(p)];
    copy_all(held, holder, other, p, cells, *state.store);
    other.valid += cells;
  }
}

}  // namespace pilum::scheduler
