#include "scheduler/execute/gpu_timeline.h"

#include <array>
#include <optional>

namespace pilum::scheduler {
namespace {

constexpr int kFirstLane = 1000;  // threads have those below
constexpr std::array<const char*, device::kStreams.size()> kStreamNames{"kernels", "boundaries", "copies"};

}  // namespace

void GpuTimeline::set_gpus(const std::vector<device::Gpu*>& gpus) {
  queues_.clear();
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (const device::Stream stream : device::kStreams) {
      const int lane = kFirstLane + static_cast<int>(queues_.size());
      recorder_.name_lane(lane, "GPU " + std::to_string(gpu) + ": " + kStreamNames[static_cast<std::size_t>(stream)]);
      queues_.push_back({gpus[gpu], stream, lane, {}});
    }
  }
}

std::int64_t GpuTimeline::begin(int queue) {
  if (!recorder_.on()) return 0;
  const Queue& own = queues_[static_cast<std::size_t>(queue)];
  return own.gpu->mark_time(own.stream);
}

void GpuTimeline::end(int queue, std::int64_t begun, const char* category, const char* name) {
  if (!recorder_.on()) return;
  Queue& own = queues_[static_cast<std::size_t>(queue)];
  own.pending.push_back({category, name, begun, own.gpu->mark_time(own.stream)});
}

void GpuTimeline::collect() {
  for (Queue& queue : queues_) {
    for (; !queue.pending.empty(); queue.pending.pop_front()) {
      const Pending& next = queue.pending.front();
      const std::optional<std::int64_t> end = queue.gpu->take_time(next.end);
      if (!end) break;
      const std::int64_t begun = queue.gpu->take_time(next.begun).value_or(*end);
      recorder_.add({next.name, next.category, queue.lane, begun, *end});
    }
  }
}

}  // namespace pilum::scheduler
