#include "scheduler/execute/host_queue.h"

#include <deque>
#include <exception>
#include <string>

#include "runtime/device/shared_work.h"
#include "scheduler/execute/executor.h"
#include "scheduler/execute/instruction_job.h"
#include "scheduler/record/instruction_facts.h"

namespace pilum::scheduler {
// An instruction on a lane. Its node outlives it: nodes are dropped when they are done.
class HostQueue::InstructionJob final : public device::Job {
 public:
  InstructionJob(HostQueue& queue, Node& node) : queue_(queue), node_(node) {}
  std::int64_t chunks() const override { return count_chunks(*node_.instruction); }
  void run(std::int64_t chunk) override { queue_.run_chunk(*node_.instruction, chunk); }
  void done() override { queue_.executor_.complete(node_); }
  std::string label() const override { return node_.instruction->name; }

 private:
  HostQueue& queue_;
  Node& node_;
};

void HostQueue::submit(Node& node) {
  const Instruction& instruction = *node.instruction;
  device::HostLane& lane = *lanes_[lane_of(instruction)];
  if (!beside_gpus_ && count_chunks(instruction) == 1 &&
      !hand_off_cost_.is_worth(bytes_touched(instruction), 1, lane.all_asleep()))
    return run_inline(node);
  lane.submit(std::make_shared<InstructionJob>(*this, node));
}

std::size_t HostQueue::lane_of(const Instruction& instruction) const {
  return beside_gpus_ ? 0 : static_cast<std::size_t>(instruction.processor);
}

// On this thread. What gets ready by that and is tiny too comes after it, not inside it.
void HostQueue::run_inline(Node& node) {
  thread_local std::deque<Node*> waiting;
  thread_local bool running = false;
  waiting.push_back(&node);
  if (std::exchange(running, true)) return;
  while (!waiting.empty()) {
    Node& next = *waiting.front();
    waiting.pop_front();
    run_chunk(*next.instruction, 0);
    executor_.complete(next);
  }
  running = false;
}

void HostQueue::run_chunk(const Instruction& instruction, std::int64_t chunk) {
  if (failure_.failed()) return;
  const profile::ScopedSpan span(profile_, category_of(instruction), device::current_worker() + 1,
                                 [&] { return std::string(instruction.name); });
  try {
    if (profile_.busy.on()) wait_for_code(instruction);
    const profile::BusyScope busy(profile_.busy);
    const device::SharingScope sharing(lanes_.empty() ? nullptr : lanes_[lane_of(instruction)]);
    scheduler::run_chunk(instruction, chunk);
  } catch (const std::exception& error) {
    failure_.fail(instruction, error);
  }
}

bool HostQueue::help() {
  bool worked = false;
  for (device::HostLane* lane : lanes_) worked = lane->help() || worked;
  return worked;
}

}  // namespace pilum::scheduler
