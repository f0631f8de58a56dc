// Stores that come to rest, and wake up.
#include <utility>

#include "scheduler/memory/resting.h"
#include "scheduler/plan/planner.h"

namespace pilum::scheduler {

void Planner::wake(Store& store) {
  auto state = std::make_unique<StoreState>();
  state->store = StoreRef(&store);
  unpack(store.resting, rank_.memories, *state);
  state->place = states_.size();
  state->born = plan_number_;
  store.state = state.get();
  states_.push_back(std::move(state));
  delete[] std::exchange(store.resting, nullptr);
  --resting_;
}

// Nothing is under way that touches it: no plan need know.
void Planner::release_resting(Store& store) {
  wake(store);
  for (const ProcessorStore& local : store.state->local) {
    for (const auto& instance : local.instances) instance->block->book->free(instance->block);
  }
  forget(store);
}

void Planner::rest_some(std::uint64_t now, std::size_t max_checked) {
  constexpr std::size_t kFew = 1024;           // stores that take no memory worth talking of
  constexpr std::uint64_t kLongUnused = 1024;  // operations
  if (rank_.staging) return;
  const InstructionId done = rank_.done_before();
  for (; max_checked > 0 && states_.size() > kFew; --max_checked) {
    if (hand_ >= states_.size()) hand_ = 0;
    const StoreState& state = *states_[hand_];
    Store& store = *state.store;
    // Nobody has it but its handles: it is in no recorded operation.
    const bool may = store.handles > 0 && store.references == store.handles + 1 && now - store.touched > kLongUnused;
    if (!may || !may_rest(state, rank_.memories, done)) {
      ++hand_;
      continue;
    }
    store.resting = pack(state).release();
    forget(store);
    ++resting_;
  }
}

}  // namespace pilum::scheduler
