#include "runtime/profile/recorder.h"

#include <algorithm>

namespace pilum::profile {

Recorder::Shard& Recorder::this_threads_shard() {
  static std::atomic<int> threads{0};
  thread_local const int number = threads.fetch_add(1, std::memory_order_relaxed);
  return shards_[static_cast<std::size_t>(number % kShards)];
}

void Recorder::add(Span span) {
  if (!on_) return;
  if (kept_.fetch_add(1, std::memory_order_relaxed) >= most_spans_) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  Shard& shard = this_threads_shard();
  const std::lock_guard lock(shard.mutex);
  shard.spans.push_back(std::move(span));
}

void Recorder::name_lane(int lane, std::string name) {
  const std::lock_guard lock(names_mutex_);
  std::erase_if(lane_names_, [lane](const auto& entry) { return entry.first == lane; });
  lane_names_.emplace_back(lane, std::move(name));
}

std::vector<Span> Recorder::spans() const {
  std::vector<Span> all;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    all.insert(all.end(), shard.spans.begin(), shard.spans.end());
  }
  std::stable_sort(all.begin(), all.end(), [](const Span& a, const Span& b) { return a.start < b.start; });
  return all;
}

std::vector<std::pair<int, std::string>> Recorder::lane_names() const {
  const std::lock_guard lock(names_mutex_);
  return lane_names_;
}

}  // namespace pilum::profile
