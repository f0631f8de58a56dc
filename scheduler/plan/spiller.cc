#include "scheduler/plan/spiller.h"

#include <algorithm>

#include "runtime/base/log.h"

namespace pilum::scheduler {
namespace {

struct Candidate {
  const Store* store;
  Instance* instance;
  std::size_t next_use;  // the window's task; its number of tasks: none
};

bool uses(const Task& task, const Store* store) {
  const auto is = [store](const auto& argument) { return argument.store().get() == store; };
  return std::any_of(task.reads.begin(), task.reads.end(), is) ||
         std::any_of(task.writes.begin(), task.writes.end(), is) ||
         std::any_of(task.reductions.begin(), task.reductions.end(), is);
}

// The valid cells go to `target`, laid out as they are.
void move(PlanBuilder& builder, const Store& store, Instance& instance, Block* target, int processor) {
  Instance moved = instance;
  moved.block = target;
  for (const Rect& rect : instance.valid.rects()) builder.copy(instance, moved, rect, store, processor);
  builder.free(instance.block, processor);
  instance.block = target;
}

}  // namespace

bool Spiller::make_room(PlanBuilder& builder, int processor, std::size_t bytes) {
  MemoryBook& memory = *builder.rank().memories[static_cast<std::size_t>(processor)];
  const std::span<const Task> tasks = builder.tasks();
  std::vector<Candidate> candidates;
  for (const auto& state : states_) {
    const Store* store = state->store.get();
    if (store->guards > 0) continue;  // the program has its addresses
    std::size_t next = builder.task_number();
    while (next < tasks.size() && !uses(tasks[next], store)) ++next;
    if (next == builder.task_number() && next < tasks.size()) continue;
    for (const auto& instance : state->local[static_cast<std::size_t>(processor)].instances) {
      if (instance->block->book == &memory) candidates.push_back({store, instance.get(), next});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.next_use > b.next_use; });
  std::size_t moved = 0;
  for (const Candidate& candidate : candidates) {
    if (moved >= bytes) break;
    const std::size_t size = candidate.instance->block->bytes;
    Block* target = builder.rank().staging->allocate(size);
    if (!target) break;
    builder.emit(Allocate{target->id, size, candidate.store->id}, processor, {});
    move(builder, *candidate.store, *candidate.instance, target, processor);
    moved += size;
  }
  if (moved == 0) return false;
  log("scheduler").debug("GPU memory is full: {} bytes of arrays were moved to the host", moved);
  builder.execute_so_far();  // blocks of other sizes can be made of what is free only when nobody uses it any more
  memory.trim();
  return true;
}

void move_to_host(PlanBuilder& builder, const Store& store, Instance& instance, int processor) {
  if (!builder.rank().staging || instance.block->book == builder.rank().staging) return;
  move(builder, store, instance, builder.allocate_on_host(instance.block->bytes, processor, store.id), processor);
}

void restore(PlanBuilder& builder, const Store& store, Instance& instance, int processor) {
  if (!builder.rank().staging || instance.block->book != builder.rank().staging) return;
  if (Block* target = builder.allocate_on_processor(instance.block->bytes, processor, store.id))
    move(builder, store, instance, target, processor);
}

}  // namespace pilum::scheduler
