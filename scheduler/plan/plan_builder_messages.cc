// How cells go to other ranks, and come from them.
#include "scheduler/plan/plan_builder.h"

namespace pilum::scheduler {
namespace {

// True where the cells lie one after the other in the instance's memory.
bool is_one_run(const Instance& instance, const Rect& cells, std::int64_t itemsize) {
  std::int64_t run = itemsize;
  for (int axis = cells.rank - 1; axis >= 0; --axis) {
    if (cells.extent(axis) > 1 && instance.pitch[static_cast<std::size_t>(axis)] != run) return false;
    run *= cells.extent(axis);
  }
  return true;
}

// The instance that holds valid values of all the cells, if one does.
const Instance* holder(const ProcessorStore& store, const Rect& cells) {
  for (const auto& instance : store.instances) {
    if (instance->valid.contains(cells)) return instance.get();
  }
  return nullptr;
}

std::size_t bytes_of(const PlanBuilder::Items& items) {
  return static_cast<std::size_t>(items.itemsize * items.most);
}

CountedItems counted(const PlanBuilder::Items& items) {
  if (!items.range) return {};
  return {reinterpret_cast<const std::int64_t*>(items.range->data + items.range_at),
          static_cast<std::size_t>(items.itemsize)};
}

std::vector<Touch> touches_of(const PlanBuilder::Items& items, bool write) {
  std::vector<Touch> touches{{items.block, items.touched, write}};
  if (items.range) touches.push_back({items.range, byte_range(items.range_at, items.range_at + 16), false});
  return touches;
}

// Where a part of a message begins behind others: as its items are aligned.
std::int64_t begin_of(const Store& store, std::int64_t behind) {
  const auto size = static_cast<std::int64_t>(itemsize(store.dtype));
  return (behind + size - 1) / size * size;
}

template <class Part>
std::size_t bytes_of(std::span<const Part> parts) {
  std::int64_t bytes = 0;
  for (const Part& part : parts) bytes = begin_of(*part.store, bytes) + bytes_of(part.cells, *part.store);
  return static_cast<std::size_t>(bytes);
}

}  // namespace

void PlanBuilder::send(int to, const Region& cells, const ProcessorStore& from, const Store& store, int processor) {
  const Outgoing part{cells, &store, &from};
  send_joined(to, {&part, 1}, processor);
}

void PlanBuilder::receive(int from, const Region& cells, const Instance& to, const Store& store, int processor) {
  const Arriving part{cells, &store, {{cells, &to}}};
  receive_joined(from, {&part, 1}, processor);
}

void PlanBuilder::pack(std::span<const Outgoing> parts, Block* to, int processor, std::int64_t at) {
  for (const Outgoing& part : parts) {
    at = begin_of(*part.store, at);
    pack(*part.from, part.cells, to, *part.store, processor, at);
    at += bytes_of(part.cells, *part.store);
  }
}

void PlanBuilder::unpack(Block* from, std::span<const Arriving> parts, int processor, std::int64_t at) {
  for (const Arriving& part : parts) {
    at = begin_of(*part.store, at);
    for (const auto& [cells, instance] : part.to) {
      std::int64_t offset = at;
      for (const Rect& rect : part.cells.rects()) {
        unpack_box(from, offset, rect, cells, *instance, *part.store, processor);
        offset += bytes_of(rect, *part.store);
      }
    }
    at += bytes_of(part.cells, *part.store);
  }
}

bool PlanBuilder::send_in_place(int to, const Outgoing& part, int processor) {
  if (part.cells.rects().size() != 1 || rank_.staging) return false;
  const Rect& rect = part.cells.rects().front();
  const Instance* instance = holder(*part.from, rect);
  if (!instance || !is_one_run(*instance, rect, static_cast<std::int64_t>(itemsize(part.store->dtype)))) return false;
  emit(Send{to, next_tag(plan_.sent, to), instance->address(rect.lo),
            static_cast<std::size_t>(bytes_of(part.cells, *part.store)), part.store->id},
       processor, {Touch{instance->block, rect, false}});
  return true;
}

bool PlanBuilder::receive_in_place(int from, const Arriving& part, int processor) {
  if (part.cells.rects().size() != 1 || part.to.size() != 1 || rank_.staging) return false;
  const Rect& rect = part.cells.rects().front();
  const Instance& to = *part.to.front().second;
  if (!is_one_run(to, rect, static_cast<std::int64_t>(itemsize(part.store->dtype)))) return false;
  emit(Receive{from, next_tag(plan_.received, from), to.address(rect.lo),
               static_cast<std::size_t>(bytes_of(part.cells, *part.store)), part.store->id},
       processor, {Touch{to.block, rect, true}});
  return true;
}

void PlanBuilder::send_joined(int to, std::span<const Outgoing> parts, int processor) {
  if (parts.size() == 1 && send_in_place(to, parts.front(), processor)) return;
  const std::size_t bytes = bytes_of(parts);
  const StoreId store = parts.front().store->id;
  if (const Letter letter = begin_letter(to, bytes)) {
    pack(parts, letter.partner->out.block(), processor, letter.place.at);
    return send_letter(to, letter, store, processor);
  }
  if (rank_.shares_with(to)) {
    Block* offered = allocate_from(*rank_.shared[static_cast<std::size_t>(processor)], bytes, processor, store);
    pack(parts, offered, processor, 0);
    send_shared(to, offered, bytes, store, processor);
    return free(offered, processor);
  }
  const auto send_packed = [&](std::span<const Outgoing> together, std::size_t size) {
    Block* staging = allocate_for_message(size, processor, store);
    pack(together, staging, processor, 0);
    send_block(to, staging, size, store);
    free(staging, processor);
  };
  if (parts.size() > 1) return send_packed(parts, bytes);
  for (const Region& cells : cut_message(parts.front().cells, *parts.front().store)) {
    const Outgoing piece{cells, parts.front().store, parts.front().from};
    send_packed({&piece, 1}, bytes_of(std::span(&piece, 1)));
  }
}

void PlanBuilder::receive_joined(int from, std::span<const Arriving> parts, int processor) {
  if (parts.size() == 1 && receive_in_place(from, parts.front(), processor)) return;
  const std::size_t bytes = bytes_of(parts);
  const StoreId store = parts.front().store->id;
  if (const Letter letter = receive_letter(from, bytes, store, processor)) {
    unpack(letter.partner->in.block(), parts, processor, letter.place.at);
    return tell_taken(from, letter, processor);
  }
  if (rank_.shares_with(from)) {
    Block* taken = allocate_at_once(bytes, processor, store);
    receive_shared(from, taken, bytes, store, processor);
    unpack(taken, parts, processor, 0);
    return free(taken, processor);
  }
  const auto receive_packed = [&](std::span<const Arriving> together, std::size_t size) {
    Block* staging = allocate_for_message(size, processor, store);
    receive_block(from, staging, size, store);
    unpack(staging, together, processor, 0);
    free(staging, processor);
  };
  if (parts.size() > 1) return receive_packed(parts, bytes);
  for (const Region& cells : cut_message(parts.front().cells, *parts.front().store)) {
    const Arriving piece{cells, parts.front().store, parts.front().to};
    receive_packed({&piece, 1}, bytes_of(std::span(&piece, 1)));
  }
}

std::vector<Region> PlanBuilder::cut_message(const Region& cells, const Store& store) const {
  const auto size = static_cast<std::int64_t>(itemsize(store.dtype));
  const std::int64_t most = std::max<std::int64_t>(rank_.machine.message_bytes / size, 1);  // cells
  const bool through_host = rank_.staging && !rank_.messages_from_gpus && (rank_.machine.ranks > 1 || !rank_.peers);
  if (!through_host || cells.cells() <= most) return {cells};
  std::vector<Region> parts;
  Region part;
  for (const Rect& rect : cells.rects()) {
    std::size_t axis = 0;  // the outermost that has more than one
    while (axis + 1 < static_cast<std::size_t>(rect.rank) && rect.hi[axis] - rect.lo[axis] == 1) ++axis;
    const std::int64_t extent = rect.hi[axis] - rect.lo[axis];
    const std::int64_t rows = std::max<std::int64_t>(most * extent / rect.cells(), 1);
    for (Rect slab = rect; slab.lo[axis] < rect.hi[axis]; slab.lo[axis] = slab.hi[axis]) {
      slab.hi[axis] = std::min(slab.lo[axis] + rows, rect.hi[axis]);
      if (!part.empty() && part.cells() + slab.cells() > most) parts.push_back(std::exchange(part, {}));
      part += slab;
    }
  }
  parts.push_back(std::move(part));
  return parts;
}

void PlanBuilder::send_block(int to, Block* block, std::size_t bytes, StoreId store) {
  emit(Send{to, next_tag(plan_.sent, to), block->data, bytes, store}, 0,
       {Touch{block, byte_range(0, static_cast<std::int64_t>(bytes)), false}});
}

void PlanBuilder::send_items(int to, const Items& items, StoreId store, int processor) {
  emit(Send{to, next_tag(plan_.sent, to), items.block->data + items.at, bytes_of(items), store, false, counted(items)},
       processor, touches_of(items, /*write=*/false));
}

void PlanBuilder::receive_items(int from, const Items& items, StoreId store, int processor) {
  emit(Receive{from, next_tag(plan_.received, from), items.block->data + items.at, bytes_of(items), store, false,
               counted(items)},
       processor, touches_of(items, /*write=*/true));
}

void PlanBuilder::send_shared(int to, Block* block, std::size_t bytes, StoreId store, int processor) {
  emit(Send{to, next_tag(plan_.sent, to), block->data, bytes, store, true}, processor,
       {Touch{block, byte_range(0, static_cast<std::int64_t>(bytes)), false}});
}

void PlanBuilder::receive_shared(int from, Block* block, std::size_t bytes, StoreId store, int processor) {
  emit(Receive{from, next_tag(plan_.received, from), block->data, bytes, store, true}, processor,
       {Touch{block, byte_range(0, static_cast<std::int64_t>(bytes)), true}});
}

void PlanBuilder::receive_block(int from, Block* block, std::size_t bytes, StoreId store) {
  emit(Receive{from, next_tag(plan_.received, from), block->data, bytes, store}, 0,
       {Touch{block, byte_range(0, static_cast<std::int64_t>(bytes)), true}});
}

}  // namespace pilum::scheduler
