// Messages between ranks: posted, progressed, done.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/base/mutex.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/spin_lock.h"
#include "scheduler/execute/activity.h"
#include "scheduler/execute/failure.h"
#include "scheduler/execute/ready_graph.h"
#include "scheduler/memo/bound_plan.h"

namespace pilum::scheduler {

// Gives sends and receives to the communicator and hands each out once it is done: to one caller of poll(), in no
// particular order. Passive: messages move inside poll(). Any thread calls it; one is inside at a time, and poll() does
// not wait for its turn.
// Data in GPUs' memory that ranks of one node share are not sent: the sender offers where they lie, the receiver copies
// and acknowledges. An offer is done when it is acknowledged; a receive is handed out when the offer is here.
// A failure is told to Failure: then nothing more is posted or handed out. A message of a wrong size is a suspicion,
// and never handed out.
//
// Locks: lock() guards the communicator and all that is under way. Whoever else calls the communicator holds it.
// Nothing of the graph's is touched but what belongs to the transfer: the node's message.
class MessagePump {
 public:
  using Node = ReadyGraph::Node;
  // Of a node, or of a bound plan's batch.
  struct Transfer {
    comm::Request request = 0;
    Node* node = nullptr;
    std::shared_ptr<BoundPlan> run;
    int batch = 0;
    const Instruction& instruction() const { return run ? run->first_of(batch) : *node->instruction; }
  };

  MessagePump(comm::Communicator& communicator, Failure& failure) : communicator_(communicator), failure_(failure) {}

  // It has something to carry: see has_no_items(). Of a shared send the offer has been made (node.message).
  void post(Node& node);
  // The same. True where it was gone at once, as small messages are: then nobody hands it out.
  [[nodiscard]] bool post(BoundPlan& run, int batch);
  // The receive's shared data have been copied.
  void acknowledge(const Receive& receive);

  // Nothing is under way; a glance without the lock.
  bool idle() const { return transfer_count_.load(std::memory_order_acquire) == 0; }
  // Of one that is idle: until no thread is in poll() with the communicator. From then on none will be.
  void wait_until_left() { const ScopedLock lock(lock_); }
  // Calls arrive(transfer) for each that is done, without the lock: what follows an arrival may be another transfer.
  // False when nothing moved, or another thread is at it.
  template <class Arrive>
  bool poll(Arrive arrive);

  // The message that is awaited first; no text: there is none.
  [[nodiscard]] Activity describe_activity();

  // Called with the lock held, but for what never changes: its rank, size and name.
  comm::Communicator& communicator() PILUM_NO_THREAD_SAFETY_ANALYSIS { return communicator_; }
  device::SpinLock& lock() PILUM_RETURN_CAPABILITY(lock_) { return lock_; }
  // A size mismatch that came to light outside of poll().
  void suspect(const comm::SizeMismatch& mismatch) PILUM_REQUIRES(lock_);

 private:
  // False when nothing moved.
  bool move(std::vector<Transfer>& arrived) PILUM_REQUIRES(lock_);
  comm::Request post(const Instruction& instruction) PILUM_REQUIRES(lock_);
  comm::Request post_offer(Node& node, const Send& send) PILUM_REQUIRES(lock_);
  comm::Request await_offer(Node& node, const Receive& receive) PILUM_REQUIRES(lock_);
  // A plain store: what a message has just written into another core's cache need not arrive first.
  void add_transfers(int more) PILUM_REQUIRES(lock_) {
    transfer_count_.store(transfer_count_.load(std::memory_order_relaxed) + more, std::memory_order_release);
  }

  device::SpinLock lock_;
  comm::Communicator& communicator_ PILUM_GUARDED_BY(lock_);
  std::vector<Transfer> transfers_ PILUM_GUARDED_BY(lock_);
  std::vector<comm::Request> offers_
      PILUM_GUARDED_BY(lock_);          // and acknowledgements: nobody waits for them but their buffers
  std::atomic<int> transfer_count_{0};  // stored with the lock held
  Failure& failure_;
};

template <class Arrive>
bool MessagePump::poll(Arrive arrive) {
  if (idle() || !lock_.try_lock()) return false;
  ScopedLock lock(lock_, std::adopt_lock);
  if (idle()) return false;  // another thread has just handed out the last: the communicator may end now
  thread_local std::vector<Transfer> spare;  // its memory; arrive() may come here again
  std::vector<Transfer> arrived = std::exchange(spare, {});
  const bool moved = move(arrived);
  lock.unlock();
  for (const Transfer& transfer : arrived) arrive(transfer);
  arrived.clear();
  spare = std::move(arrived);
  return moved;
}

}  // namespace pilum::scheduler
