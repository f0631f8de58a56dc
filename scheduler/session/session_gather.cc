// Arrays that are cut come together where that costs more than it gains, as where a program sees few of their cells at
// a time; and are cut again where it no longer does.
#include <algorithm>
#include <cmath>

#include "pilum/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/log.h"
#include "scheduler/analyze/cut_gain.h"
#include "scheduler/analyze/small_operation.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

constexpr double kSecondsOfSmall = 50e-6;  // an operation of a window that is planned, and its messages
constexpr double kSecondsOfMany = 20e-6;   // on so many points that it is planned on one processor, too: for each
constexpr double kLatenciesOfPass = 0.25;  // of messages: what one costs that is found again
constexpr double kLatenciesOfFold = 2;
constexpr double kLatenciesOfNew = 8;            // what one costs whose plan is new
constexpr double kSecondsToMove = 50e-6;         // an array, beside its bytes
constexpr double kSecondsBefore = 2e-3;          // what a program's first operations may cost, which do not come again
constexpr double kSurelyOfCopies = 2;            // times what tasks gain: what the copies of a loop may cost
constexpr double kHostCopy = 20e9;               // bytes/s, between a GPU's memory and the host's
constexpr std::int64_t kMostGathered = 1 << 30;  // of an array
constexpr std::int64_t kShareOfMemory = 8;
constexpr double kMorePatience = 8;  // that much longer until they are cut again
// Of what tasks seem to gain that gained less, cut, than their cells' ways cost.
constexpr double kWorthAgain = 1.0 / 16;
constexpr double kSoon = 20;  // times what a change takes
constexpr std::size_t kMostKinds = 4096;
constexpr int kSettling = 4;            // windows
constexpr std::int64_t kTimesRim = 64;  // as many cells has an array
constexpr int kDrawn = 8;               // see Session::is_drawn

bool is_pinned(const View& view) {
  for (int axis = 0; axis < view.map.store_rank; ++axis) {
    if (view.map[axis].axis < 0) return true;
  }
  return false;
}

// It sees the cells of some processors alone: one row, say, of an array that is cut by rows, or would be.
bool is_pinned_across_cut(const View& view) {
  const Store& store = *view.store;
  for (int axis = 0; axis < view.map.store_rank; ++axis) {
    if (view.map[axis].axis >= 0) continue;
    const bool was_cut = store.kind && store.kind->cut_axes >> axis & 1;
    if (store.gathered ? was_cut : store.state && store.state->tiling.axis(axis).parts > 1) return true;
  }
  return false;
}

std::uint8_t axes_of_cut(const partitioner::Tiling& tiling) {
  std::uint8_t axes = 0;
  for (int axis = 0; axis < tiling.box().rank; ++axis) {
    if (tiling.axis(axis).parts > 1) axes |= static_cast<std::uint8_t>(1U << axis);
  }
  return axes;
}

// It computes few of its arrays' cells.
bool is_rim(const Task& task) {
  if (!task.kernel()) return false;
  std::int64_t largest = 0;
  for_each_argument(
      task, [&largest](const Argument& argument) { largest = std::max(largest, argument.store()->shape.elements()); });
  return task.domain.cells() * kTimesRim < largest;
}

// Its large arrays do, and it is computed so.
bool lies_whole(const Task& task) {
  bool whole = task.distribution.is_replicated() || task.distribution.is_on_one();
  for_each_argument(task, [&whole](const Argument& argument) {
    const Store& store = *argument.store();
    whole &= !store.large || store.gathered;
  });
  return whole;
}

// The same on all ranks, where addresses differ.
std::uint64_t kind_of(const Store& store) {
  auto hash = static_cast<std::uint64_t>(store.dtype);
  for (int axis = 0; axis < store.shape.rank(); ++axis) {
    hash = (hash ^ static_cast<std::uint64_t>(store.shape[axis])) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

// Factorizations, substitutions, sweeps along the axis that is cut: loops of which each round sees other cells take
// messages or launches for a few cells each time, and most of them are planned anew. Others bring more cells from
// processor to processor than several processors save them. So what it gains and costs that arrays are cut is added up,
// shape by shape: of arrays that are cut task by task, as plans have them, and of windows that no plan is found for
// operation by operation; of those that lie whole by what tasks would gain. Once it has cost as much as bringing
// an array together does, those of this shape come together as they are used, and once it would have gained as much as
// that took they are cut again: so a program never takes much more than twice as long as if all had been known before.
// What is computed from such arrays alone lies as they do. A function of the recorded calls: every rank counts alike.
// One rank alone also sees which plans were found, and weighs by that.
void Session::note_uses(const Operation& operation) {
  const bool is_due = parts_.machine.processors() > 1 && weigh_cuts(operation);
  if (staging_) note_small_uses(operation);
  if (is_due) gather_used(operation);
}

// True where an array of the operation's is to come together.
bool Session::weigh_cuts(const Operation& operation) {
  const bool is_of_loop = period_.period() > 0;
  const View* output = operation.output();
  const auto is_new = [output](const Store& store) {
    return output && output->store.get() == &store && !store.state && !store.gathered;
  };
  bool is_cut = false, makes_cut = false, some_follow = false, is_due = false;
  ArrayKind *first = nullptr, *whole = nullptr;
  for_each_view(operation, [&](const View& view, bool write) {
    Store& store = *view.store;
    if (store.resting) planner_->wake(store);  // what rests is each rank's own business
    const bool is_made = write && is_new(store), comes_whole = store.kind && store.kind->decider().whole;
    is_cut |= store.large && !store.gathered && !is_made;
    makes_cut |= store.large && is_made && !comes_whole;
    if (!store.kind) return;
    if (is_of_loop && first) first->meet(*store.kind);
    first = store.kind;
    some_follow |= store.kind->decider().whole != store.gathered;
    if (!write && store.gathered) whole = store.kind;
  });
  is_cut |= makes_cut && !whole;
  since_cut_ = is_cut ? 0 : since_cut_ + 1;
  if (!first) return false;
  const bool is_one_rank = parts_.machine.ranks == 1;  // which sees of each window whether its plan is found
  if ((is_cut ? !is_one_rank : is_drawn()) && !is_found_again(operation)) {
    const CutGain gain = gain_of_cut(operation, parts_.machine);
    if (gain.arrays > 0) {
      // What lies whole says what it would gain task by task.
      const double seconds =
          (is_cut ? gain.seconds - cost_of_cut(operation) : -kDrawn * cost_of_cut(operation)) / gain.arrays;
      for_each_view(operation, [&](const View& view, bool) { some_follow |= weigh_cut(*view.store, seconds); });
    }
  }
  bool stays_cut = false;
  if (some_follow || is_cut) {
    whole = nullptr;
    for_each_view(operation, [&](const View& view, bool write) {
      Store& store = *view.store;
      is_due |= follow_kind(store);
      if (write) return;
      stays_cut |= store.large && !store.gathered;
      if (store.gathered) whole = store.kind;
    });
  }
  if (whole && !stays_cut && output && is_new(*output->store)) {
    output->store->kind = whole;
    output->store->gathered = true;
  }
  return is_due;
}

// Of operations on arrays that lie whole, of which there may be many, one of kDrawn stands for as many: drawn, for
// those of a loop come in turns.
bool Session::is_drawn() {
  weighed_whole_ = mix(weighed_whole_, std::uint64_t{1});
  return weighed_whole_ % kDrawn == 0;
}

// Takes note of what it gains that the store is cut. True where its kind changes. What being cut costs is known, what
// it would gain is not: so those that come together in vain do so at once again, but are cut again later and later, and
// what tasks would gain says little where their cells' ways have cost more.
bool Session::weigh_cut(const Store& store, double seconds) {
  if (!store.large || !store.kind) return false;
  ArrayKind& kind = store.kind->decider();
  if (kind.whole && kind.lost && seconds > 0) seconds *= kWorthAgain;
  kind.gain += seconds;
  kind.seen += std::abs(seconds);
  if (kind.whole ? kind.gain < 0 : kind.gain > 0 || kind.stays) kind.gain = 0;
  const bool is_one_rank = parts_.machine.ranks == 1;
  const double change = seconds_to_plan_loop();
  const double least = kind.whole ? kind.patience * (std::max(kind.to_gather, kind.moved) + change)
                                  : kind.to_gather + (is_one_rank ? kSecondsBefore : 0) + change;
  if (std::abs(kind.gain) < least) return false;
  kind.whole = !kind.whole;
  kind.lost = false;
  if (kind.whole) kind.patience = kind.seen < kSoon * least ? kind.patience * kMorePatience : 1;
  kind.gain = kind.moved = kind.seen = 0;
  kind.settled_at = next_window_ + kSettling;
  log("scheduler")
      .debug("arrays of {} {} {} in window {}", pilum::name(store.dtype), to_string(store.shape),
             kind.whole ? "come together: being cut costs more than it gains" : "are cut again", next_window_);
  return true;
}

std::vector<StoreRef> Session::stores_with_kinds(const std::vector<Operation>& operations) {
  std::vector<StoreRef> stores;
  for (const Operation& operation : operations) {
    for_each_view(operation, [&stores](const View& view, bool) {
      if (view.store->kind) stores.push_back(view.store);
    });
  }
  return stores;
}

// Of the plan that has been made, by the number of its stores.
std::vector<CutCost> Session::take_cut_costs(const std::vector<StoreRef>& stores) {
  std::vector<CutCost> costs;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    ArrayKind* kind = stores[i]->kind;
    if (!kind || kind->cost == 0) continue;
    costs.push_back({static_cast<int>(i), kind->cost});
    kind->cost = 0;
  }
  return costs;
}

// Of what is cut: of loops alone, whose plans come again; and not of new ones, by which arrays come to where the loop
// has them. Ranks do not know of each other which plans were new: there some first windows do not count.
void Session::charge(const std::vector<CutCost>& costs, const std::vector<StoreRef>& stores, PlanIs plan) {
  if (plan == PlanIs::Found) planned_anew_.note_found();
  const bool counts_cut = period_.period() > 0 && (plan == PlanIs::Found || parts_.machine.ranks > 1);
  for (const CutCost& cost : costs) {
    const Store& store = *stores[static_cast<std::size_t>(cost.store)];
    if (!store.kind) continue;
    ArrayKind& kind = store.kind->decider();
    if ((!kind.whole && !counts_cut) || next_window_ < kind.settled_at) continue;
    if (weigh_cut(store, -cost.seconds)) kind.lost = kind.whole;
  }
}

// Of one rank: no plan was found for these operations. What a loop's first windows take does not come again.
void Session::weigh_unfound(const std::vector<Operation>& operations) {
  planned_anew_.add(operations);
  if (!planned_anew_.goes_on()) return;
  for (const Operation& operation : operations) {
    const CutGain gain = gain_of_cut(operation, parts_.machine);
    if (gain.arrays == 0) continue;
    const double seconds = (gain.seconds - cost_of_planning(operation)) / gain.arrays;
    for_each_view(operation, [&](const View& view, bool) {
      const Store& store = *view.store;
      if (store.kind && !store.gathered && !store.kind->decider().whole) weigh_cut(store, seconds);
    });
  }
}

// What it gains the tasks of a new plan that arrays are cut goes with what their cells' ways cost. It counts for more
// than that: both are estimates, ways are hidden behind launches, and both ways of an exchange are gone at once. Edges
// and corners gain nothing, and take as long where arrays lie whole: their ways alone count. Where they do lie whole it
// is what the tasks would gain. Where a task is computed in parts for a large array that is in no memory, as of all
// pairs of few bodies, it is that one's gain, and nothing hides the ways.
void Session::note_gains(const std::vector<Task>& tasks, const std::vector<WindowStore>& stores) {
  const auto large =
      std::ranges::find_if(stores, [](const WindowStore& row) { return row.store->large && row.store->kind; });
  for (const Task& task : tasks) {
    const bool is_whole = lies_whole(task);
    const CutGain gain = is_whole ? gain_if_cut(task, parts_.machine) : gain_of_cut(task, parts_.machine);
    const double surely = parts_.machine.ranks == 1 && !is_whole ? kSurelyOfCopies : 1;
    if (gain.seconds <= 0 || is_rim(task) || (gain.arrays == 0 && large == stores.end())) continue;
    const bool is_hidden = gain.arrays > 0 && task.reductions.empty();
    const double latencies = is_hidden ? kLatenciesOfPass : kLatenciesOfFold;
    const double all = surely * gain.seconds - latencies * parts_.machine.message_latency;
    if (gain.arrays == 0) {
      large->store->kind->cost -= all;
      continue;
    }
    const double seconds = all / gain.arrays;
    for_each_argument(task, [seconds](const Argument& argument) {
      const Store& store = *argument.store();
      if (store.large && store.kind) store.kind->cost -= seconds;
    });
  }
}

// True where the store is to come together.
bool Session::follow_kind(Store& store) {
  if (!store.kind || store.kind->decider().whole == store.gathered) return false;
  if (store.gathered) {
    store.gathered = false;
    store.cut_pays = store.large;
    return false;
  }
  if (!store.large || !may_gather(store)) return false;
  if (store.state) return true;
  store.gathered = true;
  return false;
}

// What it costs an operation that an array is cut: that of a loop is found again, but not where each round sees another
// row of what is cut by rows, or where arrays that lie whole meet those that are cut.
bool Session::is_found_again(const Operation& operation) const {
  bool is_found = period_.period() > 0 || parts_.machine.ranks == 1, some_whole = false, some_cut = false;
  for_each_view(operation, [&](const View& view, bool write) {
    const Store& store = *view.store;
    is_found = is_found && !(is_pinned_across_cut(view) && !period_.saw_whole(store) && !roams(store));
    some_whole |= store.large && store.gathered;
    some_cut |= store.large && !store.gathered && !(write && !store.state);
  });
  return is_found && !(some_whole && some_cut);
}

// One that no plan is found for. Where that goes on, and is not the beginning of a loop, a rank waits for what it plans
// and issues for each processor of its own.
double Session::cost_of_planning(const Operation& operation) const {
  const bool goes_on = planned_anew_.goes_on() || parts_.machine.ranks > 1;
  const int processors = goes_on ? parts_.machine.processors_per_rank : 1;
  return is_small(operation) ? kSecondsOfSmall : kSecondsOfMany * processors;
}

double Session::cost_of_cut(const Operation& operation) const {
  if (is_found_again(operation))
    return (operation.reduction() ? kLatenciesOfFold : kLatenciesOfPass) * parts_.machine.message_latency;
  bool some_pinned = false;  // whose cells the other ranks ask for
  for_each_view(operation, [&](const View& view, bool write) {
    some_pinned |= view.store->state ? is_pinned_across_cut(view) : !write && view.store->large && is_pinned(view);
  });
  const bool has_messages = some_pinned && parts_.machine.ranks > 1;
  return cost_of_planning(operation) + (has_messages ? kLatenciesOfNew * parts_.machine.message_latency : 0);
}

// What a change takes beside the arrays' ways: a loop's next windows are planned and issued anew.
double Session::seconds_to_plan_loop() const {
  return static_cast<double>(period_.period()) * kSettling * kSecondsOfMany * parts_.machine.processors_per_rank;
}

double Session::seconds_to_gather(const Store& store) const {
  const machine::Machine& machine = parts_.machine;
  const double bytes = static_cast<double>(bytes_of(store)) * (1 - 1.0 / machine.processors());
  const double before = machine.ranks > 1 ? parts_.config.direct_after * kSecondsOfSmall : kSecondsToMove;
  return before + bytes / machine.message_bandwidth;
}

// A GPU's arrays go to the host's memory, where windows can run directly, once the program has seen few of their cells
// at a time for long.
void Session::note_small_uses(const Operation& operation) {
  const bool small = is_small(operation);
  for_each_view(operation, [&](const View& view, bool) {
    Store& store = *view.store;
    if (!small) {
      store.small_uses = 0;
      store.to_host = false;
      return;
    }
    const double most =
        parts_.config.direct_after + static_cast<double>(bytes_of(store)) / (kSecondsOfSmall * kHostCopy);
    if (++store.small_uses < most) return;
    if (store.resting) planner_->wake(store);
    store.to_host = may_gather(store) && store.state && store.state->is_whole(parts_.machine.ranks);
    store.small_uses = 0;
  });
}

bool Session::may_gather(const Store& store) const {
  const bool is_lent =
      std::ranges::any_of(lent_stores_, [&store](const Handle& handle) { return handle.store().get() == &store; });
  return !is_lent && !store.split_axes && bytes_of(store) <= most_gathered();
}

std::int64_t Session::most_gathered() const {
  const std::int64_t memory = parts_.machine.memory_bytes;
  return memory > 0 ? std::min(kMostGathered, memory / kShareOfMemory) : kMostGathered;
}

// Of a new store that is large.
void Session::begin_kind(Store& store) {
  const std::uint64_t key = kind_of(store);
  const auto found = kinds_.find(key);
  if (found == kinds_.end() && kinds_.size() == kMostKinds) return;
  store.kind = found == kinds_.end() ? &kinds_[key] : &found->second;
  if (found != kinds_.end()) return;
  store.kind->to_gather = seconds_to_gather(store);
  store.kind->stays = bytes_of(store) > most_gathered();
}

// Those that are due, and with them the small ones that meet them.
void Session::gather_used(const Operation& next) {
  put_together();
  std::vector<StoreRef> used;
  const auto add = [&](const View& view, bool) {
    const Store& store = *view.store;
    const bool is_due = !store.large || (store.kind && store.kind->decider().whole && !store.gathered);
    if (is_due && may_gather(store) && std::ranges::find(used, view.store) == used.end()) used.push_back(view.store);
  };
  for (const Operation& operation : window_) for_each_view(operation, add);
  for_each_view(next, add);
  flush({WindowEnd::Why::Gathered});
  for (const StoreRef& store : used) gather(*store);
}

// Not where there is no memory for it.
void Session::gather(Store& store) {
  if (store.resting) planner_->wake(store);
  if (!store.state) return;
  if (store.state->is_whole(parts_.machine.ranks)) {
    store.gathered = store.large;
    return;
  }
  auto plan = std::make_unique<Plan>();
  plan->window = next_window_++;
  plan->first = InstructionId{next_instruction_};
  const StoreRef held(&store);
  const StateSnapshots before = take_snapshots({&held, 1});
  if (store.kind) store.kind->cut_axes = axes_of_cut(store.state->tiling);
  begin_undoable();
  try {
    planner_->gather(store, *plan);
  } catch (const MemoryError& error) {
    undo(before);
    if (!undone_) fail_for_good(error.what());
    if (store.kind) store.kind->decider().whole = false;
    return;
  }
  end_undoable();
  store.gathered = true;
  store.cut_pays = false;
  store.stays = false;  // in no place of which plans know
  if (store.kind) store.kind->decider().moved += seconds_to_gather(store);
  printer_->print_plan(*plan);
  if (on_plan_) on_plan_(*plan);
  submit(std::move(plan));
}

}  // namespace pilum::scheduler
