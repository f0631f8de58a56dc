// What the executor is doing, for whoever asks why nothing moves.
#include "runtime/base/hash.h"
#include "scheduler/execute/executor.h"

namespace pilum::scheduler {

std::uint64_t Executor::progress_signature() {
  std::uint64_t signature = mix(0, done_before_.load(std::memory_order_acquire));
  {
    const std::lock_guard lock(graph_lock_);
    std::int64_t done = 0;
    for (const Node& node : graph_.nodes()) done += node.done;
    signature = mix(signature, done);
  }
  const std::lock_guard lock(runs_lock_);
  for (const auto& run : runs_) signature = mix(signature, run->progress());
  return signature;
}

Executor::Activity Executor::describe_activity() {
  const auto named = [](const Instruction& instruction) {
    return std::string("[") + instruction.name + "] at " + instruction.where.file_name() + ":" +
           std::to_string(instruction.where.line());
  };
  {
    const std::lock_guard lock(communication_);
    const Instruction* sending = nullptr;
    for (const Transfer& transfer : transfers_) {
      const Instruction& instruction = transfer.instruction();
      const auto* receive = std::get_if<Receive>(&instruction.what);
      if (!receive) {
        sending = &instruction;
        continue;
      }
      return {receive->from, "waits for message " + std::to_string(receive->tag.message) + " of window " +
                                 std::to_string(receive->tag.window) + " from rank " + std::to_string(receive->from) +
                                 ", for " + named(instruction)};
    }
    if (sending) {
      const Send& send = std::get<Send>(sending->what);
      return {send.to, "waits for rank " + std::to_string(send.to) + " to take message " +
                           std::to_string(send.tag.message) + " of window " + std::to_string(send.tag.window) +
                           ", for " + named(*sending)};
    }
  }
  {
    const std::lock_guard lock(runs_lock_);
    for (const auto& run : runs_) {
      for (int item = 0; item < run->size(); ++item) {
        if (run->is_ready(item) && !run->is_done(item)) return {-1, "runs " + named(run->instruction(item))};
      }
    }
  }
  const std::lock_guard lock(graph_lock_);
  for (const Node& node : graph_.nodes()) {
    if (node.done || node.pending > 0) continue;
    const std::string where =
        node.queue == ReadyGraph::kHost ? "" : " on GPU " + std::to_string(node.instruction->processor);
    return {-1, "runs " + named(*node.instruction) + where};
  }
  return {};
}

}  // namespace pilum::scheduler
