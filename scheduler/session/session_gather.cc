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
constexpr double kSecondsOfMany = 20e-6;   // on so many points that it is planned on one processor, too
constexpr double kLatenciesOfPass = 0.25;  // of messages: what one costs that is found again
constexpr double kLatenciesOfFold = 2;
constexpr double kSecondsToMove = 50e-6;         // an array, beside its bytes
constexpr double kHostCopy = 20e9;               // bytes/s, between a GPU's memory and the host's
constexpr std::int64_t kMostGathered = 1 << 30;  // of an array
constexpr std::int64_t kShareOfMemory = 8;
constexpr double kMorePatience = 3;  // that much longer from change to change
constexpr double kSoon = 20;         // times what a change takes
constexpr std::size_t kMostKinds = 4096;
constexpr int kDrawn = 8;  // see Session::is_drawn

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
// messages or launches for a few cells each time, and most of them are planned anew. So what it gains and costs that
// arrays are cut is added up, shape by shape, operation by operation. Once it has cost as much as bringing an array
// together does, those of this shape come together as they are used, and once it would have gained as much as that took
// they are cut again: so a program never takes much more than twice as long as if all had been known before. What is
// computed from such arrays alone lies as they do. A function of the recorded calls: every rank counts alike.
void Session::note_uses(const Operation& operation) {
  const bool is_due = parts_.machine.processors() > 1 && weigh_cuts(operation);
  if (staging_) note_small_uses(operation);
  if (is_due) gather_used(operation);
}

// True where an array of the operation's is to come together.
bool Session::weigh_cuts(const Operation& operation) {
  bool is_concerned = false, some_cut = false, some_follow = false, stays_cut = false, is_due = false;
  ArrayKind* whole = nullptr;
  for_each_view(operation, [&](const View& view, bool write) {
    Store& store = *view.store;
    if (store.resting) planner_->wake(store);  // what rests is each rank's own business
    if (store.large && !store.gathered) some_cut = true;
    if (!store.kind) return;
    is_concerned = true;
    some_follow |= store.kind->whole != store.gathered;
    if (!write && store.gathered) whole = store.kind;
  });
  since_cut_ = some_cut ? 0 : since_cut_ + 1;
  if (!is_concerned) return false;
  if (some_cut || is_drawn()) {
    const CutGain gain = gain_of_cut(operation, parts_.machine);
    if (gain.arrays > 0) {
      const double seconds = (some_cut ? 1 : kDrawn) * (gain.seconds - cost_of_cut(operation)) / gain.arrays;
      for_each_view(operation, [&](const View& view, bool) { some_follow |= weigh_cut(*view.store, seconds); });
    }
  }
  if (some_follow || some_cut) {
    whole = nullptr;
    for_each_view(operation, [&](const View& view, bool write) {
      Store& store = *view.store;
      is_due |= follow_kind(store);
      if (write) return;
      stays_cut |= store.large && !store.gathered;
      if (store.gathered) whole = store.kind;
    });
  }
  const View* output = operation.output();
  if (whole && !stays_cut && output && !output->store->state && !output->store->gathered) {
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

// Takes note of what it gains an operation that the store is cut. True where its kind changes.
bool Session::weigh_cut(const Store& store, double seconds) {
  if (!store.large || !store.kind) return false;
  ArrayKind& kind = *store.kind;
  kind.gain += seconds;
  kind.seen += std::abs(seconds);
  if (kind.whole ? kind.gain < 0 : kind.gain > 0) kind.gain = 0;
  const double least =
      kind.patience * (kind.whole ? std::max(seconds_to_gather(store), kind.moved) : seconds_to_gather(store));
  if (std::abs(kind.gain) < least) return false;
  kind.whole = !kind.whole;
  kind.patience = kind.seen < kSoon * least ? kind.patience * kMorePatience : 1;
  kind.gain = kind.moved = kind.seen = 0;
  log("scheduler")
      .debug("arrays of shape {} {}", to_string(store.shape),
             kind.whole ? "come together: being cut costs more than it gains" : "are cut again");
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
std::vector<SentSeconds> Session::take_sent(const std::vector<StoreRef>& stores) {
  std::vector<SentSeconds> sent;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    ArrayKind* kind = stores[i]->kind;
    if (!kind || kind->sent == 0) continue;
    sent.push_back({static_cast<int>(i), kind->sent});
    kind->sent = 0;
  }
  return sent;
}

void Session::charge(const std::vector<SentSeconds>& sent, const std::vector<StoreRef>& stores) {
  for (const SentSeconds& cells : sent) {
    ArrayKind* kind = stores[static_cast<std::size_t>(cells.store)]->kind;
    if (kind && !kind->whole) kind->gain -= cells.seconds;
  }
}

// True where the store is to come together.
bool Session::follow_kind(Store& store) {
  if (!store.kind || store.kind->whole == store.gathered) return false;
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
double Session::cost_of_cut(const Operation& operation) const {
  bool is_found = period_.period() > 0, some_whole = false, some_cut = false;
  for_each_view(operation, [&](const View& view, bool) {
    const Store& store = *view.store;
    is_found = is_found && !(is_pinned_across_cut(view) && !period_.saw_whole(store));
    some_whole |= store.large && store.gathered;
    some_cut |= store.large && !store.gathered;
  });
  if (is_found && !(some_whole && some_cut))
    return (operation.reduction() ? kLatenciesOfFold : kLatenciesOfPass) * parts_.machine.message_latency;
  return is_small(operation) ? kSecondsOfSmall : kSecondsOfMany;
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
  const std::int64_t most = parts_.machine.memory_bytes > 0
                                ? std::min(kMostGathered, parts_.machine.memory_bytes / kShareOfMemory)
                                : kMostGathered;
  return !is_lent && !store.split_axes && bytes_of(store) <= most;
}

// Of a new store that is large.
void Session::begin_kind(Store& store) {
  const std::uint64_t key = kind_of(store);
  const auto found = kinds_.find(key);
  if (found == kinds_.end() && kinds_.size() == kMostKinds) return;
  store.kind = found == kinds_.end() ? &kinds_[key] : &found->second;
}

// Those that are due, and with them the small ones that meet them.
void Session::gather_used(const Operation& next) {
  put_together();
  std::vector<StoreRef> used;
  const auto add = [&](const View& view, bool) {
    const Store& store = *view.store;
    const bool is_due = !store.large || (store.kind && store.kind->whole && !store.gathered);
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
    if (store.kind) store.kind->whole = false;
    return;
  }
  end_undoable();
  store.gathered = true;
  store.cut_pays = false;
  store.stays = false;  // in no place of which plans know
  if (store.kind) store.kind->moved += seconds_to_gather(store);
  printer_->print_plan(*plan);
  if (on_plan_) on_plan_(*plan);
  submit(std::move(plan));
}

}  // namespace pilum::scheduler
