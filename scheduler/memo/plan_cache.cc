#include "scheduler/memo/plan_cache.h"

#include <algorithm>
#include <utility>

namespace pilum::scheduler {

const std::shared_ptr<const PlanTemplate>& CachedPlan::get_template(const WavefrontMachine& machine) {
  if (times == 1 && machine.cache_bytes > 0 && !wavefront) {
    wavefront = std::make_shared<const PlanTemplate>(trace, machine);
    if (!wavefront->is_wavefront()) wavefront.reset();
  } else if (times > 1 && wavefront) {
    plan_template = std::exchange(wavefront, nullptr);
    runs = {};
  }
  return get_template();
}

void CachedPlan::end(WindowKey& window) {
  key.hash = window.key.hash;
  key.window = window.key.window;  // copies, without room for more
  key.facts = window.key.facts;
  key.states = std::move(window.key.states);
  for (std::size_t i = 0; i < window.stores.size(); ++i) {
    const StoreState* state = window.stores[i]->state;
    final_states.push_back(take_snapshot(state, [this](Block* block) { return trace.role_of(block); }));
    if (final_states.back() != key.states[i]) changed.push_back(static_cast<int>(i));
  }
  trace.end();
}

void PlanCache::disable() {
  capacity_ = 0;
  entries_.clear();
  by_hash_.clear();
  statistics_.entries = 0;
}

CachedPlan* PlanCache::find(const WindowKey& window) {
  const auto is_of = [&window](CachedPlan& plan) {
    const PlanKey& key = plan.key;
    const bool is_known = window.known != 0 && plan.known == window.known;
    if (!is_known && !(key.window == window.operation_words())) return false;
    plan.known = window.known;
    // Which stores have a state is said among the facts.
    return key.facts == window.key.facts && std::ranges::all_of(window.placed, [&](int number) {
             const auto i = static_cast<std::size_t>(number);
             return is_as(window.stores[i]->state, key.states[i]);
           });
  };
  note_lookup();
  const auto [first, last] = by_hash_.equal_range(window.key.hash);
  for (auto place = first; place != last; ++place) {
    if (!is_of(*place->second)) continue;
    entries_.splice(entries_.begin(), entries_, place->second);
    ++statistics_.hits;
    statistics_.known += window.words ? 1 : 0;
    ++place->second->times;
    return &*place->second;
  }
  return nullptr;
}

void PlanCache::add(CachedPlan plan) {
  if (capacity_ == 0) return;
  while (entries_.size() >= capacity_) drop_last();
  entries_.push_front(std::move(plan));
  by_hash_.emplace(entries_.front().key.hash, entries_.begin());
  statistics_.entries = entries_.size();
}

int PlanCache::count_unplanned(std::uint64_t hash) {
  constexpr std::size_t kMost = 1 << 14;
  if (unplanned_.size() >= kMost) unplanned_.clear();
  return unplanned_[hash]++;
}

std::size_t PlanCache::compute_bytes() const {
  std::size_t bytes = 0;
  for (const CachedPlan& plan : entries_) {
    bytes += (plan.key.window.size() + plan.key.facts.size()) * sizeof(std::uint64_t) + plan.trace.bytes() +
             plan.runs.bytes();
    if (plan.plan_template) bytes += plan.plan_template->bytes();
  }
  return bytes;
}

// What is old is forgotten: a program's next part may be another one.
void PlanCache::note_lookup() {
  constexpr int kOfLate = 4096;
  if (++lookups_ < kOfLate) return;
  lookups_ = 0;
  wasted_ /= 2;
}

void PlanCache::drop_last() {
  constexpr int kWorth = 8;  // times
  const auto last = std::prev(entries_.end());
  if (last->was_choice) wasted_ = last->times < kWorth ? wasted_ + 1 : std::max(wasted_ - 1, 0);
  const auto [first, end] = by_hash_.equal_range(last->key.hash);
  for (auto place = first; place != end; ++place) {
    if (place->second != last) continue;
    by_hash_.erase(place);
    break;
  }
  entries_.erase(last);
  statistics_.entries = entries_.size();
}

}  // namespace pilum::scheduler
