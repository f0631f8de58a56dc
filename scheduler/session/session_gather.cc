// Arrays that are cut, or lie on GPUs, and of which a program sees few cells at a time: they come together where
// windows can run directly.
#include <algorithm>

#include "pilum/error.h"
#include "scheduler/analyze/small_operation.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

constexpr double kSecondsOfSmall = 50e-6;        // an operation of a window that is planned, and its messages
constexpr double kHostCopy = 20e9;               // bytes/s, between a GPU's memory and the host's
constexpr std::int64_t kMostGathered = 1 << 30;  // of an array
constexpr std::int64_t kShareOfMemory = 8;

}  // namespace

// Factorizations, substitutions, sweeps along the axis that is cut: loops of which each round sees other cells take
// messages or launches for a few cells each time, and most of them are planned anew. So that is counted, array by
// array, and once it has taken about as long as bringing the array together does, it is. An operation on many points
// begins the count anew, and cuts the array again (window.cc). A function of the recorded calls: every rank counts
// alike.
void Session::note_uses(const Operation& operation) {
  const bool small = is_small(operation);
  bool is_due = false;
  for_each_view(operation, [&](const View& view, bool) {
    Store& store = *view.store;
    if (!small) {
      store.small_uses = 0;
      store.to_host = false;
      return;
    }
    if (++store.small_uses < static_cast<std::uint32_t>(parts_.config.direct_after)) return;
    if (store.small_uses < uses_to_gather(store)) return;
    if (store.resting) planner_->wake(store);  // what rests is each rank's own business
    const bool may = may_gather(store), whole = store.state && store.state->is_whole(parts_.machine.ranks);
    store.to_host = staging_ && may && whole;
    if (may && !whole) {
      is_due = true;
    } else {
      store.small_uses = 0;
    }
  });
  if (is_due) gather_used(operation);
}

std::uint32_t Session::uses_to_gather(const Store& store) const {
  const double rate = staging_ ? kHostCopy : parts_.machine.message_bandwidth;
  return static_cast<std::uint32_t>(parts_.config.direct_after +
                                    static_cast<double>(bytes_of(store)) / (kSecondsOfSmall * rate));
}

bool Session::may_gather(const Store& store) const {
  const bool is_lent =
      std::ranges::any_of(lent_stores_, [&store](const Handle& handle) { return handle.store().get() == &store; });
  const std::int64_t most = parts_.machine.memory_bytes > 0
                                ? std::min(kMostGathered, parts_.machine.memory_bytes / kShareOfMemory)
                                : kMostGathered;
  return !is_lent && !store.split_axes && bytes_of(store) <= most;
}

// Those that are due, and with them what meets them: small arrays, and those that will be due soon.
void Session::gather_used(const Operation& next) {
  put_together();
  std::vector<StoreRef> used;
  const auto add = [&](const View& view, bool) {
    const Store& store = *view.store;
    const bool is_soon = 4 * store.small_uses >= uses_to_gather(store) || bytes_of(store) < parts_.machine.split_bytes;
    if (is_soon && may_gather(store) && std::ranges::find(used, view.store) == used.end()) used.push_back(view.store);
  };
  for (const Operation& operation : window_) for_each_view(operation, add);
  for_each_view(next, add);
  for_each_view(next, [](const View& view, bool) { view.store->small_uses = 0; });
  for (const StoreRef& store : used) {
    store->small_uses = 0;
    store->to_host = staging_ != nullptr;
  }
  flush({WindowEnd::Why::Gathered});
  for (const StoreRef& store : used) gather(*store);
}

// Not where there is no memory for it.
void Session::gather(Store& store) {
  if (store.resting) planner_->wake(store);
  if (!store.state || store.state->is_whole(parts_.machine.ranks)) return;
  auto plan = std::make_unique<Plan>();
  plan->window = next_window_++;
  plan->first = InstructionId{next_instruction_};
  const StoreRef held(&store);
  const StateSnapshots before = take_snapshots({&held, 1});
  begin_undoable();
  try {
    planner_->gather(store, *plan);
  } catch (const MemoryError& error) {
    undo(before);
    if (!undone_) fail_for_good(error.what());
    return;
  }
  end_undoable();
  store.gathered = true;
  store.stays = false;  // in no place of which plans know
  printer_->print_plan(*plan);
  if (on_plan_) on_plan_(*plan);
  submit(std::move(plan));
}

}  // namespace pilum::scheduler
