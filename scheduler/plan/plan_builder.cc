#include "scheduler/plan/plan_builder.h"

#include <algorithm>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "scheduler/memory/memory_shortage.h"

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

Copy make_copy(Strided from, Strided to, const Rect& cells, const Store& store) {
  Copy copy{from, to, std::max(cells.rank, 1), {}, itemsize(store.dtype), store.id, cells};
  copy.extent[0] = 1;
  for (int axis = 0; axis < cells.rank; ++axis) copy.extent[static_cast<std::size_t>(axis)] = cells.extent(axis);
  return copy;
}

// A packed box: row-major without padding.
Strided packed(std::byte* data, const Rect& cells, std::size_t itemsize) {
  Strided box{data, {}};
  auto pitch = static_cast<std::int64_t>(itemsize);
  for (int axis = cells.rank - 1; axis >= 0; --axis) {
    box.pitch[static_cast<std::size_t>(axis)] = pitch;
    pitch *= cells.extent(axis);
  }
  return box;
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

}  // namespace

Rect byte_range(std::int64_t lo, std::int64_t hi) {
  return Rect::of({lo}, {hi});
}

std::vector<InstructionId> PlanBuilder::order(std::span<const Touch> touches) {
  const InstructionId id{plan_.first.value + static_cast<std::int64_t>(plan_.instructions.size())};
  const InstructionId done = rank_.done_before();
  std::vector<InstructionId> after;
  for (const Touch& touch : touches) {
    if (touch.write) {
      touch.block->log.write(touch.cells, id, done, after);
    } else {
      touch.block->log.read(touch.cells, id, done, after);
    }
  }
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  return after;
}

Block* PlanBuilder::allocate(std::size_t bytes, int processor, StoreId store) {
  if (!rank_.staging)
    return allocate_from(*rank_.memories[static_cast<std::size_t>(processor)], bytes, processor, store);
  if (Block* block = allocate_on_processor(bytes, processor, store)) return block;
  return allocate_on_host(bytes, processor, store);
}

Block* PlanBuilder::allocate_on_processor(std::size_t bytes, int processor, StoreId store) {
  MemoryBook& memory = *rank_.memories[static_cast<std::size_t>(processor)];
  Block* block = memory.allocate(bytes);
  if (!block && rank_.observer) rank_.observer->give_up();
  while (!block && rank_.make_room && rank_.make_room(*this, processor, bytes)) block = memory.allocate(bytes);
  return block ? take(memory, block, bytes, processor, store) : nullptr;
}

Block* PlanBuilder::allocate_at_once(std::size_t bytes, int processor, StoreId store) {
  MemoryBook& memory = *rank_.memories[static_cast<std::size_t>(processor)];
  if (Block* block = memory.allocate(bytes)) return take(memory, block, bytes, processor, store);
  if (rank_.observer) rank_.observer->give_up();
  return allocate_on_host(bytes, processor, store);
}

void PlanBuilder::execute_so_far() {
  if (rank_.observer) rank_.observer->give_up();
  if (rank_.partial_execution) rank_.partial_execution->execute_so_far(plan_);
}

void PlanBuilder::NoReuse::tell(bool begins) {
  if (observer_) observer_->no_reuse(begins);
}

void PlanBuilder::tell_observer(std::span<const Touch> touches) {
  rank_.observer->emitted(plan_, touches, task_);
}

void PlanBuilder::emit_again(Instruction&& instruction, std::span<const Touch> touches) {
  instruction.after = order(touches);
  if (auto* send = std::get_if<Send>(&instruction.what)) send->tag = next_tag(plan_.sent, send->to);
  if (auto* receive = std::get_if<Receive>(&instruction.what)) receive->tag = next_tag(plan_.received, receive->from);
  plan_.instructions.push_back(std::move(instruction));
  if (rank_.observer) tell_observer(touches);
}

Block* PlanBuilder::allocate_again(MemoryBook& memory, std::size_t bytes, int processor, StoreId store) {
  Block* block = memory.allocate(bytes);
  if (!block && rank_.staging && rank_.staging != &memory) {
    rank_.full = true;
    if (rank_.observer) rank_.observer->give_up();
    block = rank_.staging->allocate(bytes);
  }
  if (!block) throw_no_memory(memory, bytes);
  return take(memory, block, bytes, processor, store);
}

// A block that the memory gave is in the plan.
Block* PlanBuilder::take(MemoryBook& memory, Block* block, std::size_t bytes, int processor, StoreId store) {
  emit(Allocate{block->id, bytes, store}, processor, {});
  if (rank_.observer) rank_.observer->allocated(block, memory, bytes, processor, store);
  return block;
}

Block* PlanBuilder::allocate_shared(std::size_t bytes, int processor, StoreId store) {
  const bool through_host = rank_.staging && (rank_.machine.ranks > 1 || !rank_.peers);
  return through_host ? allocate_on_host(bytes, processor, store) : allocate(bytes, processor, store);
}

Block* PlanBuilder::allocate_on_host(std::size_t bytes, int processor, StoreId store) {
  return rank_.staging ? allocate_from(*rank_.staging, bytes, processor, store) : allocate(bytes, processor, store);
}

Block* PlanBuilder::allocate_from(MemoryBook& memory, std::size_t bytes, int processor, StoreId store) {
  Block* block = memory.allocate(bytes);
  if (!block) throw_no_memory(memory, bytes);
  return take(memory, block, bytes, processor, store);
}

void PlanBuilder::throw_no_memory(const MemoryBook& memory, std::size_t bytes) const {
  throw MemoryError(fmt::format(
      "[{}] an array needs {} of memory on rank {}: {}. {}{} smaller arrays, more ranks or nodes, or raise --sysmem. "
      "Called at {}:{}",
      name(), human_bytes(bytes), rank_.rank, describe_shortage(memory, bytes),
      rank_.describe_stores ? rank_.describe_stores() : "",
      rank_.machine.ranks == 1 ? "Drop arrays that are not needed and go on, use" : "Use", where().file_name(),
      where().line()));
}

void PlanBuilder::free(Block* block, int processor) {
  emit(Free{block->id}, processor, {});
  if (rank_.observer) rank_.observer->freed(block, processor);
  block->book->free(block);
}

void PlanBuilder::copy(const Instance& from, const Instance& to, const Rect& cells, const Store& store, int processor) {
  emit(make_copy({from.address(cells.lo), from.pitch}, {to.address(cells.lo), to.pitch}, cells, store), processor,
       {Touch{from.block, cells, false}, Touch{to.block, cells, true}});
}

void PlanBuilder::copy_together(const Instance& from, const Instance& to, const Rect& cells, const Store& store,
                                int processor) {
  if (!gathers_copies_) return copy(from, to, cells, store, processor);
  for (GatheredCopy& copy : gathered_copies_) {
    if (copy.from.block == from.block && copy.to.block == to.block) return void(copy.cells += cells);
  }
  gathered_copies_.push_back({from, to, cells, &store, processor});
}

void PlanBuilder::emit_gathered_copies() {
  for (const GatheredCopy& gathered : std::exchange(gathered_copies_, {})) {
    for (const Rect& cells : gathered.cells.rects())
      copy(gathered.from, gathered.to, cells, *gathered.store, gathered.processor);
  }
}

void PlanBuilder::pack(const ProcessorStore& from, const Region& cells, Block* to, const Store& store, int processor,
                       std::int64_t at) {
  std::int64_t offset = at;
  for (const Rect& rect : cells.rects()) {
    const Strided target = packed(to->data + offset, rect, itemsize(store.dtype));
    const std::int64_t bytes = rect.cells() * static_cast<std::int64_t>(itemsize(store.dtype));
    Region left = rect;
    for (const auto& instance : from.instances) {
      const Region here = left & instance->valid;
      for (const Rect& part : here.rects()) {
        Strided part_target = target;
        for (std::size_t k = 0; k < static_cast<std::size_t>(part.rank); ++k) {
          part_target.data += (part.lo[k] - rect.lo[k]) * target.pitch[k];
        }
        emit(make_copy({instance->address(part.lo), instance->pitch}, part_target, part, store), processor,
             {Touch{instance->block, part, false}, Touch{to, byte_range(offset, offset + bytes), true}});
      }
      left -= here;
      if (left.empty()) break;
    }
    // What is left was never written: whatever is sent for it is as good as what the owner would read.
    offset += bytes;
  }
}

void PlanBuilder::unpack(Block* from, const Region& cells, const Instance& to, const Store& store, int processor,
                         std::int64_t at) {
  std::int64_t offset = at;
  for (const Rect& rect : cells.rects()) {
    const std::int64_t bytes = rect.cells() * static_cast<std::int64_t>(itemsize(store.dtype));
    emit(make_copy(packed(from->data + offset, rect, itemsize(store.dtype)), {to.address(rect.lo), to.pitch}, rect,
                   store),
         processor, {Touch{from, byte_range(offset, offset + bytes), false}, Touch{to.block, rect, true}});
    offset += bytes;
  }
}

void PlanBuilder::send(int to, const Region& cells, const ProcessorStore& from, const Store& store, int processor) {
  const std::size_t bytes = static_cast<std::size_t>(cells.cells()) * itemsize(store.dtype);
  if (cells.rects().size() == 1 && !rank_.staging) {
    const Rect& rect = cells.rects().front();
    const Instance* instance = holder(from, rect);
    if (instance && is_one_run(*instance, rect, static_cast<std::int64_t>(itemsize(store.dtype)))) {
      emit(Send{to, next_tag(plan_.sent, to), instance->address(rect.lo), bytes, store.id}, processor,
           {Touch{instance->block, rect, false}});
      return;
    }
  }
  if (const Letter letter = begin_letter(to, bytes)) {
    pack(from, cells, letter.partner->out.block(), store, processor, letter.place.at);
    return send_letter(to, letter, store.id, processor);
  }
  if (rank_.shares_with(to)) {
    Block* offered = allocate_from(*rank_.shared[static_cast<std::size_t>(processor)], bytes, processor, store.id);
    pack(from, cells, offered, store, processor);
    send_shared(to, offered, bytes, store.id, processor);
    free(offered, processor);
    return;
  }
  for (const Region& part : cut_message(cells, store)) {
    const std::size_t part_bytes = static_cast<std::size_t>(part.cells()) * itemsize(store.dtype);
    Block* staging = allocate_for_message(part_bytes, processor, store.id);
    pack(from, part, staging, store, processor);
    send_block(to, staging, part_bytes, store.id);
    free(staging, processor);
  }
}

void PlanBuilder::receive(int from, const Region& cells, const Instance& to, const Store& store, int processor) {
  const std::size_t bytes = static_cast<std::size_t>(cells.cells()) * itemsize(store.dtype);
  const Rect& first = cells.rects().front();
  if (cells.rects().size() == 1 && !rank_.staging &&
      is_one_run(to, first, static_cast<std::int64_t>(itemsize(store.dtype)))) {
    emit(Receive{from, next_tag(plan_.received, from), to.address(first.lo), bytes, store.id}, processor,
         {Touch{to.block, first, true}});
    return;
  }
  if (const Letter letter = receive_letter(from, bytes, store.id, processor)) {
    unpack(letter.partner->in.block(), cells, to, store, processor, letter.place.at);
    return tell_taken(from, letter, processor);
  }
  if (rank_.shares_with(from)) {
    Block* taken = allocate_at_once(bytes, processor, store.id);
    receive_shared(from, taken, bytes, store.id, processor);
    unpack(taken, cells, to, store, processor);
    free(taken, processor);
    return;
  }
  for (const Region& part : cut_message(cells, store)) {
    const std::size_t part_bytes = static_cast<std::size_t>(part.cells()) * itemsize(store.dtype);
    Block* staging = allocate_for_message(part_bytes, processor, store.id);
    receive_block(from, staging, part_bytes, store.id);
    unpack(staging, part, to, store, processor);
    free(staging, processor);
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
