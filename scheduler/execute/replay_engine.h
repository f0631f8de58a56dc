// Replayed plans: no graph of nodes is built, and no lock taken from item to item.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/base/mutex.h"
#include "runtime/device/spin_lock.h"
#include "scheduler/execute/activity.h"
#include "scheduler/execute/failure.h"
#include "scheduler/execute/host_queue.h"
#include "scheduler/execute/message_pump.h"
#include "scheduler/execute/ready_graph.h"
#include "scheduler/memo/bound_plan.h"

namespace pilum::scheduler {

class Executor;

// Runs bound plans that have begun ("runs") until they are over, several at a time. Threads take part: they join a run,
// take chunks of batches that are ready, their own share first, and leave it when nothing has been ready for a while.
// Messages of a run are posted by whoever makes them ready, and done when poll() hands them out (finish_message). The
// last chunk of all ends the run: then the executor is told that its node is done, and the plan may be bound again as
// soon as all have left. After a failure runs do not end.
//
// Locks: one, of the list of runs; it is held while a run is looked up and joined, never while anything runs. Within a
// run threads meet at its atomic counts alone (BoundPlan). Any thread calls it.
class ReplayEngine {
 public:
  using Node = ReadyGraph::Node;

  ReplayEngine(Executor& executor, HostQueue& host, MessagePump& messages, Failure& failure)
      : executor_(executor), host_(host), messages_(messages), failure_(failure) {}

  // What the run's node comes after is done. Works on it here, or asks workers to: the node may be gone before it
  // returns.
  void begin(Node& node, const ReplayedPlan& plan);
  // What is ready, until so many polls have found nothing. False when there was nothing.
  bool work(int spin_budget);
  // Of a thread that has more to record: what is ready of the first run, where nobody else does it.
  void work_meanwhile() {
    if (run_count_.load(std::memory_order_relaxed) > 0 && host_.participants() == 1) work_on_first();
  }
  // A message of a run is here.
  void finish_message(BoundPlan& run, int batch);

  // Differs once a batch has been taken or done.
  [[nodiscard]] std::uint64_t progress_signature();
  // A batch that is ready and not done; no text: there is none.
  [[nodiscard]] Activity describe_activity();

 private:
  class RunJob;

  int count_helpers(const ReplayedPlan& plan);
  void invite(BoundPlan& run, std::int64_t chunks);
  void work_on_first();
  std::shared_ptr<BoundPlan> join_at(std::size_t place);
  bool join(BoundPlan& run);
  bool work_on(BoundPlan& run, int spin_budget);
  bool work_in_order(BoundPlan& run, int& next, int participant, bool stays);
  bool work_ahead(BoundPlan& run, int& first, int participant, bool stays);
  void search_again(BoundPlan& run);
  void run_chunk(BoundPlan& run, int number, std::int64_t chunk, int participant, bool stays);
  void finish_chunk(BoundPlan& run, int number, bool stays);
  void transfer(BoundPlan& run, int batch);
  void end(BoundPlan& run);

  Executor& executor_;
  HostQueue& host_;
  MessagePump& messages_;
  Failure& failure_;
  device::SpinLock lock_;
  std::vector<std::shared_ptr<BoundPlan>> runs_ PILUM_GUARDED_BY(lock_);  // that have begun
  std::atomic<int> run_count_{0};                                         // a glance without the lock
};

}  // namespace pilum::scheduler
