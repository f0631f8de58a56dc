// Runs plans.
#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/comm/communicator.h"
#include "runtime/device/host_lane.h"
#include "runtime/profile/recorder.h"
#include "scheduler/plan.h"

namespace pilum::scheduler {

// Runs each instruction as soon as those it comes after are done; plans overlap. Passive but for the workers of its
// lanes: communication moves inside step(), called by whoever waits, one thread at a time.
// The first failure is kept and thrown by check() and wait(); after it no further instruction starts.
class Executor {
 public:
  Executor(comm::Communicator& communicator, profile::Recorder& profile)
      : communicator_(communicator), profile_(profile) {}
  ~Executor();

  // The lanes, by processor of this rank; once, before the first plan. Their when_idle may call poll(), their
  // on_error fail().
  void set_lanes(std::vector<device::HostLane*> lanes) { lanes_ = std::move(lanes); }

  // Called by wait() when there is nothing to do: heartbeats, peers that left.
  void set_on_idle(std::function<void()> on_idle) { on_idle_ = std::move(on_idle); }

  void submit(std::unique_ptr<const Plan> plan);
  // Does what it can at once: a chunk of work, or the messages that are there. False when there was nothing.
  bool step();
  // Messages alone. False when nothing moved, or another thread is at it.
  bool poll();
  // Returns when all that was submitted is done; throws the failure.
  void wait();
  void wait_for_plans(int most_in_flight);
  void check();
  void fail(std::exception_ptr error);

  // All instructions with smaller ids are done.
  InstructionId done_before() const { return InstructionId{done_before_.load(std::memory_order_acquire)}; }
  int plans_in_flight() const { return plans_in_flight_.load(std::memory_order_acquire); }
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  comm::Communicator& communicator() { return communicator_; }
  std::mutex& communication() { return communication_; }

 private:
  struct Node {
    const Instruction* instruction = nullptr;
    InstructionId id;
    int pending = 0;
    bool done = false;
    std::vector<Node*> dependents;
  };
  struct Transfer {
    comm::Request request;
    Node* node;
  };
  class InstructionJob;

  void start(Node* node);
  void complete(Node* node);
  void start_all(std::vector<Node*>& ready);
  void transfer(Node* node);
  void count(const Instruction& instruction);
  void idle(int& rounds);
  void report_stall();

  comm::Communicator& communicator_;
  profile::Recorder& profile_;
  std::vector<device::HostLane*> lanes_;

  std::mutex graph_;        // guards the three below
  std::deque<Node> nodes_;  // nodes_[i] has id first_ + i
  std::int64_t first_ = 0;
  std::deque<std::unique_ptr<const Plan>> plans_;
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::atomic<std::int64_t> done_before_{0};
  std::atomic<int> plans_in_flight_{0};
  std::atomic<bool> failed_{false};

  std::mutex communication_;  // guards the communicator and transfers_
  std::vector<Transfer> transfers_;
  std::atomic<int> transfer_count_{0};
  std::function<void()> on_idle_;
};

}  // namespace pilum::scheduler
