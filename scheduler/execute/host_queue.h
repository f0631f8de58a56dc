// Work of the host: on this thread, or dispatched to a processor's lane.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/device/host_lane.h"
#include "runtime/profile/recorder.h"
#include "scheduler/execute/failure.h"
#include "scheduler/execute/hand_off_cost.h"
#include "scheduler/execute/ready_graph.h"

namespace pilum::scheduler {

class Executor;

// Runs the host's instructions, each chunk once, and tells the executor when a node's are all done. What takes less
// time than the hand-off runs at once, where processors are cores; all else is a job of its processor's lane, whose
// workers and helpers share its chunks. After a failure chunks are counted, and not run.
//
// Locks: none. Lanes are given before the first plan; from then on any thread calls it. A node must not be touched once
// it is submitted: it may be done and gone.
class HostQueue {
 public:
  using Node = ReadyGraph::Node;

  HostQueue(Executor& executor, Failure& failure, profile::Recorder& profile)
      : executor_(executor), failure_(failure), profile_(profile) {}
  // By processor of this rank.
  void set_lanes(std::vector<device::HostLane*> lanes) {
    lanes_ = std::move(lanes);
    participants_ = lanes_.empty() ? 1 : workers() + 1;
  }
  // Processors are GPUs: the first lane runs what they leave.
  void set_beside_gpus(bool beside_gpus) { beside_gpus_ = beside_gpus; }
  // What work is worth dispatching.
  HandOffCost& hand_off_cost() { return hand_off_cost_; }

  void submit(Node& node);
  void submit_to_worker(std::shared_ptr<device::Job> job) { lanes_[0]->submit_to_worker(std::move(job)); }
  // What throws is the failure, with the instruction's name and line.
  void run_chunk(const Instruction& instruction, std::int64_t chunk);
  // A chunk of each lane's work. False when there was none.
  bool help();

  // Of the first lane, too: the workers that there are.
  bool all_asleep() const { return lanes_[0]->all_asleep(); }
  int workers() const { return lanes_[0]->workers(); }  // of the first lane
  // Threads that may take part in a run: the first lane's workers, and the one that waits.
  int participants() const { return participants_; }

 private:
  class InstructionJob;
  void run_inline(Node& node);
  std::size_t lane_of(const Instruction& instruction) const;

  Executor& executor_;
  Failure& failure_;
  profile::Recorder& profile_;
  std::vector<device::HostLane*> lanes_;
  int participants_ = 1;
  bool beside_gpus_ = false;
  HandOffCost hand_off_cost_;
};

}  // namespace pilum::scheduler
