#include "scheduler/plan/planner.h"

#include <algorithm>
#include <optional>

#include "runtime/base/check.h"
#include "scheduler/plan/allreduce.h"
#include "scheduler/plan/opaque.h"
#include "scheduler/plan/picked_read.h"
#include "scheduler/plan/picked_write.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

// True where the piece's work is long enough to hide a halo's way behind it: then its boundaries are launched apart.
// Always on cores: their launches cost next to nothing.
bool hides_messages(const Task& task, const Rect& piece, const PlanningRank& rank) {
  if (!rank.on_gpus()) return true;
  std::int64_t bytes = 0;
  if (const kernel::Kernel* kernel = task.kernel()) {
    for (const kernel::ArrayArgument& array : kernel->arrays) bytes += static_cast<std::int64_t>(itemsize(array.dtype));
  } else if (const TaskLaunch* launch = task.launch(); launch && launch->body->gpu) {
    for (const Argument& argument : launch->arguments)
      bytes += static_cast<std::int64_t>(itemsize(argument.footprint.dtype));
  }
  return static_cast<double>(bytes * piece.cells()) > 2 * rank.machine.message_latency * rank.machine.memory_bandwidth;
}

bool same_map(const Argument& read, const TaskWrite& write) {
  return read.store() == write.store() && (!read.footprint.offsets() || read.is_pointwise()) &&
         read.map() == write.map();
}

// With all writes of the store that is read: they go where the others do.
Conflict worst_conflict(const Task& task, const Argument& read, const Rect& piece) {
  Conflict worst = Conflict::None;
  for (const TaskWrite& write : task.writes) {
    if (!write.kept || !(write.store() == read.store())) continue;
    const Conflict conflict = find_conflict(read, write, piece);
    if (worst == Conflict::None || conflict == Conflict::Partial) worst = conflict;
  }
  return worst;
}

}  // namespace

Planner::Planner(PlanningRank rank) : rank_(std::move(rank)), spiller_(states_) {
  if (!rank_.staging) return;
  rank_.make_room = [this](PlanBuilder& builder, int processor, std::size_t bytes) {
    return spiller_.make_room(builder, processor, bytes);
  };
}

StoreState& Planner::state_of(const StoreRef& store, const Tiling& tiling) {
  if (store->state) {
    if (store->state->tiling.is_replicated() && !tiling.is_replicated()) share_out(*store->state, tiling);
    return *store->state;
  }
  auto state = std::make_unique<StoreState>();
  state->store = store;
  state->tiling = tiling;
  state->local.resize(static_cast<std::size_t>(processors()));
  for (int p = 0; p < processors(); ++p) {
    state->local[static_cast<std::size_t>(p)].tile = tiling.tile(rank_.first_processor() + p);
  }
  state->place = states_.size();
  state->born = plan_number_;
  store->state = state.get();
  states_.push_back(std::move(state));
  return *store->state;
}

// Every processor has all cells, and owns some of them from now on.
void Planner::share_out(StoreState& state, const Tiling& tiling) {
  state.tiling = tiling;
  state.everywhere = Rect::of(state.store->shape);
  for (int p = 0; p < processors(); ++p)
    state.local[static_cast<std::size_t>(p)].tile = tiling.tile(rank_.first_processor() + p);
}

void Planner::plan(std::span<const Task> tasks, std::span<const std::vector<Store*>> deaths, Plan& plan) {
  PlanBuilder builder(rank_, plan, tasks);
  const PlanBuilder::SmallApart apart(rank_);
  OpenSums sums(rank_, tasks);
  EarlyReads early(tasks);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    builder.begin_task(i);
    plan_task(builder, sums, early);
    for (Store* store : deaths[i]) {
      if (!sums.postpone_death(*store)) release(*store, plan);
    }
    for (Store* store : sums.finish(builder)) release(*store, plan);
  }
  builder.wait_until_taken();
}

void Planner::release(Store& store, Plan& plan) {
  if (store.resting) return release_resting(store);
  if (!store.state) return;
  PlanBuilder builder(rank_, plan, {});
  Instances(builder).free(*store.state);
  forget(store);
}

void Planner::forget(Store& store) {
  const std::size_t place = std::exchange(store.state, nullptr)->place;
  states_.back()->place = place;
  std::swap(states_[place], states_.back());
  states_.pop_back();
}

// As the snapshot says: as a plan left it when it was made, in this time's blocks.
void Planner::leave_state(const StoreRef& store, const StoreSnapshot& snapshot, std::span<Block* const> blocks) {
  if (!snapshot.exists) {
    if (store->state) forget(*store);
    return;
  }
  StoreState& state = state_of(store, snapshot.tiling);
  state.tiling = snapshot.tiling;
  state.everywhere = snapshot.everywhere;
  state.witnessed = snapshot.witnessed;
  state.asked = snapshot.asked;
  for (std::size_t p = 0; p < snapshot.local.size(); ++p) {
    const StoreSnapshot::ProcessorSnapshot& from = snapshot.local[p];
    ProcessorStore& to = state.local[p];
    to.tile = from.tile;
    to.ghosts = from.ghosts;
    to.peers = from.peers;
    to.instances.resize(from.instances.size());
    for (std::size_t k = 0; k < from.instances.size(); ++k) {
      const StoreSnapshot::InstanceSnapshot& instance = from.instances[k];
      Instance now{blocks[static_cast<std::size_t>(instance.role)], instance.rect, instance.pitch, instance.origin,
                   instance.valid};
      if (to.instances[k]) {
        *to.instances[k] = std::move(now);
      } else {
        to.instances[k] = std::make_unique<Instance>(std::move(now));
      }
    }
  }
}

template <class Visit>
void Planner::for_each_book(Visit visit) const {
  // Processors of cores share one.
  for (MemoryBook* last = nullptr; MemoryBook * book : rank_.memories) {
    if (book != std::exchange(last, book)) visit(*book);
  }
  for (MemoryBook* book : rank_.shared) visit(*book);
  if (rank_.staging) visit(*rank_.staging);
  if (rank_.lent) visit(*rank_.lent);
}

void Planner::keep_freed(bool keep) {
  plan_number_ += keep ? 1 : 0;
  for_each_book([keep](MemoryBook& book) { book.keep_freed(keep); });
}

std::size_t Planner::freed_in_plan() const {
  std::size_t bytes = 0;
  for_each_book([&bytes](const MemoryBook& book) { bytes += book.freed_in_plan(); });
  return bytes;
}

void Planner::undo(const StateSnapshots& before) {
  for (std::size_t i = states_.size(); i-- > 0;) {
    if (states_[i]->born == plan_number_) forget(*states_[i]->store);
  }
  for (std::size_t i = 0; i < before.stores.size(); ++i)
    leave_state(before.stores[i], before.snapshots[i], before.blocks);
  std::unordered_set<const Block*> in_use;
  for (const auto& state : states_) {
    for (const ProcessorStore& local : state->local) {
      for (const auto& instance : local.instances) in_use.insert(instance->block);
    }
  }
  for_each_book([&in_use](MemoryBook& book) { book.undo(in_use); });
}

const Instance& Planner::collect(Store& store, const Rect& cells, Plan& plan) {
  PlanBuilder builder(rank_, plan, {});
  return Instances(builder).for_read(*store.state, 0, cells);
}

Instance Planner::copy_to_host(const Instance& instance, const Rect& cells, const Store& store, Plan& plan) {
  PlanBuilder builder(rank_, plan, {});
  Instance here = make_packed_on_host(builder, 0, cells, store);
  builder.copy(instance, here, cells, store, 0);
  builder.free(here.block, 0);
  return here;
}

void Planner::plan_task(PlanBuilder& builder, OpenSums& sums, EarlyReads& early) {
  Instances instances(builder);
  Exchange exchange(builder, instances);
  const Task& task = builder.task();
  if (pays_to_ask(task, rank_)) {
    plan_picked(builder, instances, exchange);
    task.reads[0].store()->state->asked = true;
  } else if (pays_to_send(task, rank_)) {
    plan_sent(builder, instances, exchange);
    for (const Argument& read : task.reads) read.store()->state->asked = true;
  } else if (task.kernel() || task.launch()) {
    plan_points(builder, instances, exchange, sums, early);
  } else {
    plan_opaque(builder, instances, exchange);
  }
  // On all ranks, whatever of it is theirs.
  for (const TaskWrite& write : task.writes) {
    if (write.kept) write.store()->state->asked = false;
  }
  for (const Argument& reduction : task.reductions) reduction.store()->state->asked = false;
}

void Planner::plan_points(PlanBuilder& builder, Instances& instances, Exchange& exchange, OpenSums& sums,
                          EarlyReads& early) {
  const Task& task = builder.task();
  const auto count = static_cast<std::size_t>(processors());
  std::vector<BoundPiece> pieces(count);
  std::vector<std::vector<Binding>> reads(count);
  for (std::size_t p = 0; p < count; ++p) {
    pieces[p].processor = static_cast<int>(p);
    pieces[p].piece = task.distribution.tile(rank_.first_processor() + static_cast<int>(p));
    pieces[p].reads.reserve(task.reads.size());
    pieces[p].writes.reserve(task.writes.size());
    reads[p].reserve(task.reads.size());
  }
  std::vector<BoundRead> bound;
  if (task.distribution.is_replicated()) {
    bound.resize(task.reads.size());
    for (std::size_t number = 0; number < task.reads.size(); ++number)
      exchange.plan_read_everywhere(task.reads[number], task.domain, bound[number].instances);
  } else {
    bound = early.plan_reads(builder, exchange);
  }
  for (std::size_t number = 0; number < task.reads.size(); ++number) {
    const Incoming& incoming = bound[number].incoming;  // empty: nothing comes
    for (std::size_t p = 0; p < count; ++p) {
      reads[p].push_back({bound[number].instances[p], nullptr});
      if (!incoming.empty() && !incoming[p].empty() && hides_messages(task, pieces[p].piece, rank_))
        pieces[p].halo_points += task.reads[number].points_touching(incoming[p], pieces[p].piece);
    }
  }
  for (std::size_t p = 0; p < count; ++p) {
    if (pieces[p].piece.empty()) continue;
    bind_writes(builder, instances, pieces[p], reads[p]);
    for (const Binding& binding : reads[p]) {
      pieces[p].reads.push_back(binding.temporary ? binding.temporary.get() : binding.instance);
    }
    if (task.reductions.empty()) emit_launches(builder, pieces[p]);
  }
  if (!task.reductions.empty()) plan_reductions(builder, instances, pieces, sums);
  for (std::size_t p = 0; p < count; ++p) free_temporaries(builder, reads[p], static_cast<int>(p));
  apply_writes(builder, instances, pieces);
}

// The indices are read as by other tasks; for the cells that they name their owners are asked.
void Planner::plan_picked(PlanBuilder& builder, Instances& instances, Exchange& exchange) {
  const Task& task = builder.task();
  const auto count = static_cast<std::size_t>(processors());
  std::vector<BoundPiece> pieces(count);
  std::vector<std::vector<Binding>> reads(count);
  for (std::vector<Binding>& of_piece : reads) of_piece.emplace_back();  // of the array: in pieces nowhere
  std::vector<Instance*> bound;
  for (std::size_t i = 1; i < task.reads.size(); ++i) {
    if (task.distribution.is_replicated()) {
      exchange.plan_read_everywhere(task.reads[i], task.domain, bound);
    } else {
      exchange.plan_read(task.reads[i], bound);
    }
    for (std::size_t p = 0; p < count; ++p) reads[p].push_back({bound[p], nullptr});
  }
  for (std::size_t p = 0; p < count; ++p) {
    pieces[p].processor = static_cast<int>(p);
    pieces[p].piece = task.distribution.tile(rank_.first_processor() + static_cast<int>(p));
    if (pieces[p].piece.empty()) continue;
    bind_writes(builder, instances, pieces[p], reads[p]);
    for (const Binding& binding : reads[p]) pieces[p].reads.push_back(binding.instance);
  }
  PickedRead(builder, instances, pieces).plan();
  apply_writes(builder, instances, pieces);
}

// Only the array is bound: what the values and indices are for is found out piece by piece of the points.
void Planner::plan_sent(PlanBuilder& builder, Instances& instances, Exchange& exchange) {
  const Task& task = builder.task();
  const auto count = static_cast<std::size_t>(processors());
  std::vector<BoundPiece> pieces(count);
  std::vector<Binding> reads(task.reads.size());  // of other stores than the array
  for (std::size_t p = 0; p < count; ++p) {
    pieces[p].processor = static_cast<int>(p);
    pieces[p].piece = task.distribution.tile(rank_.first_processor() + static_cast<int>(p));
    if (!pieces[p].piece.empty()) bind_writes(builder, instances, pieces[p], reads);
  }
  {
    const Task points = points_of_write(task, rank_.machine);
    const PlanBuilder::Instead instead(builder, points);
    PickedWrite(builder, points, task, pieces).plan(exchange);
  }
  apply_writes(builder, instances, pieces);
}

// Chooses where each kept write goes, and copies aside the reads that it would spoil.
void Planner::bind_writes(PlanBuilder& builder, Instances& instances, BoundPiece& piece, std::vector<Binding>& reads) {
  const Task& task = builder.task();
  for (const TaskWrite& write : task.writes) {
    if (!write.kept) continue;
    StoreState& state = *write.store()->state;
    const Rect cells = write.hull(piece.piece);
    Conflict worst = Conflict::None;
    std::vector<Instance*> avoid;
    Instance* prefer = nullptr;
    std::vector<Conflict> conflicts;  // by read; empty: none is of this store
    for (std::size_t i = 0; i < task.reads.size(); ++i) {
      if (!(task.reads[i].store() == write.store())) continue;
      conflicts.resize(task.reads.size(), Conflict::None);
      if (same_map(task.reads[i], write)) prefer = reads[i].instance;
      conflicts[i] = worst_conflict(task, task.reads[i], piece.piece);
      if (conflicts[i] == Conflict::None) continue;
      worst = worst == Conflict::Partial ? worst : conflicts[i];
      avoid.push_back(reads[i].instance);
    }
    if (worst != Conflict::Wide) avoid.clear();
    // A kernel reads there and writes here as fast as in place. A rim belongs to its array's other cells: who reads
    // them together finds them together.
    if (worst == Conflict::Wide ||
        (prefer && task.kernel() && instances.is_rim(state, piece.processor, *prefer, cells)))
      prefer = nullptr;
    piece.writes.push_back(
        &instances.for_write(state, piece.processor, cells, avoid, prefer,
                             write.footprint.access == kernel::Access::ReadWrite || leaves_holes(write, piece.piece)));
    if (worst != Conflict::Partial) continue;
    for (std::size_t i = 0; i < task.reads.size(); ++i) {
      if (conflicts[i] == Conflict::None || reads[i].temporary || reads[i].instance != piece.writes.back()) continue;
      reads[i].temporary =
          instances.copy_aside(state, piece.processor, *reads[i].instance, task.reads[i].hull(piece.piece));
    }
  }
}

void Planner::free_temporaries(PlanBuilder& builder, std::vector<Binding>& reads, int processor) {
  for (Binding& binding : reads) {
    if (binding.temporary) builder.free(binding.temporary->block, processor);
  }
}

void Planner::apply_writes(PlanBuilder& builder, Instances& instances, const std::vector<BoundPiece>& pieces) {
  const Task& task = builder.task();
  std::size_t kept = 0;
  for (const TaskWrite& write : task.writes) {
    if (!write.kept) continue;
    StoreState& state = *write.store()->state;
    const Rect all = write.hull(task.domain);
    for (const BoundPiece& piece : pieces) {
      if (piece.piece.empty()) {
        instances.written_elsewhere(state, piece.processor, all);
      } else {
        instances.mark_written(state, piece.processor, *piece.writes[kept], write.hull(piece.piece), all);
      }
    }
    state.everywhere -= all;
    ++kept;
  }
  // What is written next may be in an instance that has no valid cell yet.
  for (const TaskWrite& write : task.writes) {
    if (!write.kept) continue;
    for (const BoundPiece& piece : pieces) instances.drop_empty(*write.store()->state, piece.processor);
  }
}

void Planner::plan_reductions(PlanBuilder& builder, Instances& instances, const std::vector<BoundPiece>& pieces,
                              OpenSums& sums) {
  const Task& task = builder.task();
  const auto shares =
      std::count_if(pieces.begin(), pieces.end(), [](const auto& piece) { return !piece.piece.empty(); });
  std::vector<Allreduce> folds;
  std::vector<bool> together;
  for (std::size_t i = 0; i < task.reductions.size(); ++i) {
    together.push_back(sums.begin(builder, i));
    // A store cut like the domain is folded where it lies; one that is somewhere whole gathers every processor's share.
    const bool gathered = !together[i] && is_gathered(task, task.reductions[i]);
    folds.emplace_back(builder, task.reductions[i], gathered, static_cast<int>(shares));
  }
  std::vector<std::vector<Instance*>> outputs(task.reductions.size());
  for (const BoundPiece& piece : pieces) {
    std::vector<FoldTarget> targets;
    for (std::size_t i = 0; i < task.reductions.size(); ++i) {
      const Argument& reduction = task.reductions[i];
      if (together[i]) {
        if (!piece.piece.empty()) targets.push_back(sums.target(builder, i, piece.processor));
        continue;
      }
      StoreState& state = *reduction.store()->state;
      const Rect cells = reduction.hull(piece.piece);
      if (folds[i].is_gathered()) {
        const bool is_there = !state.tiling.is_on_one() || piece.processor == 0;
        const Rect whole = Rect::of(reduction.store()->shape);
        outputs[i].push_back(is_there ? &instances.for_write(state, piece.processor, whole, {}, nullptr, false)
                                      : nullptr);
        if (!piece.piece.empty()) targets.push_back(folds[i].next_target(cells));
        continue;
      }
      Instance* instance = nullptr;
      if (!piece.piece.empty()) {
        instance = &instances.for_write(state, piece.processor, cells, {}, nullptr, false);
        targets.push_back({instance->block, cells, {instance->address(cells.lo), instance->pitch}, /*start=*/true});
      }
      outputs[i].push_back(instance);
    }
    if (piece.piece.empty()) continue;
    emit_reduction(builder, piece, targets);
  }
  for (std::size_t i = 0; i < task.reductions.size(); ++i) {
    const Argument& reduction = task.reductions[i];
    StoreState& state = *reduction.store()->state;
    const Rect whole = Rect::of(reduction.store()->shape);
    if (folds[i].is_gathered()) folds[i].finish(outputs[i]);
    for (std::size_t p = 0; p < outputs[i].size(); ++p) {
      if (!outputs[i][p]) {
        instances.written_elsewhere(state, static_cast<int>(p), whole);
        continue;
      }
      const Rect own = folds[i].is_gathered() ? whole : reduction.hull(pieces[p].piece);
      instances.written(state, static_cast<int>(p), *outputs[i][p], own, whole);
    }
  }
}

void Planner::plan_opaque(PlanBuilder& builder, Instances& instances, Exchange& exchange) {
  const Task& task = builder.task();
  std::vector<Instance*> source(static_cast<std::size_t>(processors()), nullptr);
  std::optional<Argument> read;
  if (!task.reads.empty()) {
    read = read_of_reshape(task);
    if (task.distribution.is_replicated()) {
      exchange.plan_read_everywhere(*read, task.domain, source);
    } else {
      static_cast<void>(exchange.plan_read(*read, source));
    }
  }
  std::vector<BoundPiece> pieces(static_cast<std::size_t>(processors()));
  for (int p = 0; p < processors(); ++p) {
    BoundPiece& piece = pieces[static_cast<std::size_t>(p)];
    piece.processor = p;
    piece.piece = task.distribution.tile(rank_.first_processor() + p);
    if (piece.piece.empty()) continue;
    const TaskWrite& write = task.writes[0];
    const Rect cells = write.hull(piece.piece);
    Instance& target =
        instances.for_write(*write.store()->state, p, cells, {}, nullptr, leaves_holes(write, piece.piece));
    piece.writes.push_back(&target);
    emit_opaque(builder, p, piece.piece, target, read ? &*read : nullptr, source[static_cast<std::size_t>(p)]);
  }
  apply_writes(builder, instances, pieces);
}

}  // namespace pilum::scheduler
