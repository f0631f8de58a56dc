#include "scheduler/plan/plan_builder.h"

#include <algorithm>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "scheduler/memory/memory_shortage.h"

namespace pilum::scheduler {
namespace {

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

// A part of what lies so.
Strided within(Strided box, const Rect& cells, const Rect& part) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(part.rank); ++k)
    box.data += (part.lo[k] - cells.lo[k]) * box.pitch[k];
  return box;
}

}  // namespace

std::int64_t bytes_of(const Region& cells, const Store& store) {
  return cells.cells() * static_cast<std::int64_t>(itemsize(store.dtype));
}

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
  emit_copy(make_copy({from.address(cells.lo), from.pitch}, {to.address(cells.lo), to.pitch}, cells, store),
            Touch{from.block, cells, false}, Touch{to.block, cells, true}, processor);
}

void PlanBuilder::emit_copy(Copy copy, const Touch& from, const Touch& to, int processor) {
  const auto p = static_cast<std::size_t>(processor);
  const auto is_own = [&, this](const Block& block) {
    return block.book == rank_.memories[p] || (!rank_.shared.empty() && block.book == rank_.shared[p]);
  };
  copy.is_local = is_own(*from.block) && is_own(*to.block);
  emit(copy, processor, {from, to});
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
    const std::int64_t bytes = bytes_of(rect, store);
    Region left = rect;
    for (const auto& instance : from.instances) {
      const Region here = left & instance->valid;
      for (const Rect& part : here.rects()) {
        emit_copy(make_copy({instance->address(part.lo), instance->pitch}, within(target, rect, part), part, store),
                  Touch{instance->block, part, false}, Touch{to, byte_range(offset, offset + bytes), true}, processor);
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
  for (const Rect& rect : cells.rects()) {
    unpack_box(from, at, rect, rect, to, store, processor);
    at += bytes_of(rect, store);
  }
}

void PlanBuilder::unpack_box(Block* from, std::int64_t at, const Rect& box, const Region& cells, const Instance& to,
                             const Store& store, int processor) {
  const Strided source = packed(from->data + at, box, itemsize(store.dtype));
  const Rect read = byte_range(at, at + bytes_of(box, store));
  const Region here = cells & box;
  for (const Rect& part : here.rects()) {
    emit_copy(make_copy(within(source, box, part), {to.address(part.lo), to.pitch}, part, store),
              Touch{from, read, false}, Touch{to.block, part, true}, processor);
  }
}

}  // namespace pilum::scheduler
