// What the executor is doing, for whoever asks why nothing moves.
#include "runtime/base/hash.h"
#include "scheduler/execute/executor.h"
#include "scheduler/execute/explain.h"

namespace pilum::scheduler {

std::uint64_t Executor::progress_signature() {
  std::uint64_t signature = mix(0, done_before_.load(std::memory_order_acquire));
  {
    const ScopedLock lock(graph_lock_);
    std::int64_t done = 0;
    for (const Node& node : graph_.nodes()) done += node.done;
    signature = mix(signature, done);
  }
  return mix(signature, replays_.progress_signature());
}

Activity Executor::describe_activity() {
  if (Activity waiting = messages_.describe_activity(); !waiting.text.empty()) return waiting;
  if (Activity running = replays_.describe_activity(); !running.text.empty()) return running;
  const ScopedLock lock(graph_lock_);
  for (const Node& node : graph_.nodes()) {
    if (node.done || node.pending > 0) continue;
    const std::string where =
        node.queue == ReadyGraph::kHost ? "" : " on GPU " + std::to_string(node.instruction->processor);
    return {-1, "runs " + name_and_place(*node.instruction) + where};
  }
  return {};
}

}  // namespace pilum::scheduler
