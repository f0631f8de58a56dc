// Runs plans.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/base/mutex.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/gpu.h"
#include "runtime/device/host_lane.h"
#include "runtime/device/spin_lock.h"
#include "runtime/jit/device_jit.h"
#include "runtime/profile/recorder.h"
#include "scheduler/execute/activity.h"
#include "scheduler/execute/failure.h"
#include "scheduler/execute/gpu_queue.h"
#include "scheduler/execute/host_queue.h"
#include "scheduler/execute/message_pump.h"
#include "scheduler/execute/ready_graph.h"
#include "scheduler/execute/replay_engine.h"
#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// Runs each instruction as soon as those it comes after are done; plans overlap. Passive but for the workers of its
// lanes: communication moves inside step(), called by whoever waits, one thread at a time.
// The first failure is kept and thrown by check() and wait(), from the second time on as one of before; after it no
// further instruction starts.
//
// It puts its parts together: the graph says what is ready, and each instruction goes to who runs its kind: the host's
// queue, the GPUs', the messages or the engine of replayed plans. Who has done it says complete().
// Locks: the graph's, here; the parts have theirs. Inside of one no other is taken but Failure's.
class Executor {
 public:
  Executor(comm::Communicator& communicator, profile::Recorder& profile)
      : profile_(profile), messages_(communicator, failure_) {}
  ~Executor();

  // The lanes, by processor of this rank; once, before the first plan. Their when_idle may call poll(), their
  // on_error fail().
  void set_lanes(std::vector<device::HostLane*> lanes) { host_.set_lanes(std::move(lanes)); }
  // Where processors are GPUs: they run what they can, the first lane the rest.
  void set_gpus(std::vector<device::Gpu*> gpus, jit::DeviceJit* jit);

  // Of a processor's memory: tells how long work takes.
  void set_bandwidth(double bytes_per_second) { host_.hand_off_cost().set_bandwidth(bytes_per_second); }
  // Called by wait() when there is nothing to do: heartbeats, peers that left.
  void set_on_idle(std::function<void()> on_idle) { on_idle_ = std::move(on_idle); }
  // With other ranks: whoever waits gives its core away at once. Before anything is submitted.
  void set_shares_cores(bool shares) { shares_cores_ = shares; }

  // Threads that may take part in a run: the first lane's workers, and the one that waits.
  int participants() const { return host_.participants(); }
  void submit(std::unique_ptr<const Plan> plan);
  // Does what it can at once: a chunk of work, or the messages that are there; of a replayed plan, until
  // so many polls have found nothing ready. False when there was nothing.
  static constexpr int kSpinBudget = 200;
  static constexpr int kShortSpinBudget = 16;  // of a thread that is about to sleep
  bool step(int spin_budget);
  // Of a thread that has more to record: what is ready of replayed plans, where nobody else does it.
  void work_meanwhile() { replays_.work_meanwhile(); }
  // Messages alone. False when nothing moved, or another thread is at it.
  bool poll();
  // What GPUs have done meanwhile. False when nothing is new.
  bool poll_gpus();
  // Returns when all that was submitted is done; throws the failure.
  void wait();
  // No message is under way: neither are acknowledgements, which no plan waits for.
  void wait_for_messages();
  // As wait(), but for what GPUs have been told to do and will. Then the program's stream waits for that.
  void make_program_wait(void* program_stream);
  // What GPUs are told from now on waits for what is in the program's stream.
  void wait_for_program(void* program_stream);
  // Works and waits until it is true; throws the failure.
  void wait_until(const std::function<bool()>& is_true);
  void wait_for_plans(int max_in_flight);
  // Instructions of these ids, `end` not among them.
  [[nodiscard]] bool are_done(InstructionId first, InstructionId end);
  void check() { failure_.check(); }
  // `told`: who calls throws it himself.
  void fail(std::exception_ptr error, bool told = false) { failure_.fail(std::move(error), told); }
  // The same of work that another one did, which has this name and place.
  void fail(const Instruction& instruction, const std::exception& error) { failure_.fail(instruction, error); }
  // A message had another size than its receive. What waits for it waits on, so that the ranks' calls can be compared:
  // that tells more. fail_suspicion() makes it the failure after all.
  void suspect(const comm::SizeMismatch& mismatch) PILUM_REQUIRES(communication()) { messages_.suspect(mismatch); }
  bool is_suspicious() const { return failure_.is_suspicious(); }
  void fail_suspicion() { failure_.fail_suspicion(); }

  // All instructions with smaller ids are done.
  InstructionId done_before() const { return InstructionId{done_before_.load(std::memory_order_acquire)}; }
  int plans_in_flight() const { return plans_in_flight_.load(std::memory_order_acquire); }
  bool failed() const { return failure_.failed(); }
  // For whoever looks whether anything moves; any thread. The signature differs once an instruction has been done, or
  // an item of a replayed plan.
  [[nodiscard]] std::uint64_t progress_signature();
  // Something is under way, or somebody waits.
  bool is_busy() const { return plans_in_flight() > 0 || is_waiting(); }
  bool is_waiting() const { return waiting_.load(std::memory_order_relaxed); }
  using Activity = scheduler::Activity;
  [[nodiscard]] Activity describe_activity();
  bool told() { return failure_.told(); }  // the failure was thrown
  comm::Communicator& communicator() { return messages_.communicator(); }
  device::SpinLock& communication() PILUM_RETURN_CAPABILITY(messages_.lock()) { return messages_.lock(); }

  // Of its parts.
  using Node = ReadyGraph::Node;
  // All of the node's work is done. What waited for it starts here.
  void complete(Node& node);
  // Counts a message whose size is known only now. False: it has nothing to carry, and counts as done.
  [[nodiscard]] bool count_posted(const Instruction& instruction);

 private:
  void start(Node& node);
  void start_all(const std::vector<Node*>& ready);
  void transfer(Node& node);
  void take(Node& node);
  void finish(Node& node, std::vector<Node*>& ready) PILUM_REQUIRES(graph_lock_);
  void drop_done() PILUM_REQUIRES(graph_lock_);
  profile::Recorder& profile_;
  Failure failure_;
  bool has_gpus_ = false;
  std::atomic<int> on_gpus_{0};  // instructions issued and not known to be done

  Mutex graph_lock_;
  ReadyGraph graph_ PILUM_GUARDED_BY(graph_lock_);
  GpuQueue gpus_ PILUM_GUARDED_BY(graph_lock_){graph_, failure_, profile_, on_gpus_};
  std::atomic<std::int64_t> done_before_{0};  // of the graph, for who reads it without the lock, as the next one
  std::atomic<int> plans_in_flight_{0};
  std::atomic<bool> waiting_{false};  // a thread is in wait_until()

  MessagePump messages_;
  HostQueue host_{*this, failure_, profile_};
  ReplayEngine replays_{*this, host_, messages_, failure_};
  std::function<void()> on_idle_;
  bool shares_cores_ = false;
};

}  // namespace pilum::scheduler
