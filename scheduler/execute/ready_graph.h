// What waits for what.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/device/gpu.h"
#include "scheduler/execute/shared_message.h"
#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// The instructions of the plans that are under way, and how many each still waits for. Plans are added in program
// order, and their numbers follow on one another.
// An instruction is ready when all that it comes after are done. One that a queue of a GPU runs waits for others on
// queues only until these are issued: queues wait for each other by themselves.
// A data structure alone: no threads, no input or output. Who shares it holds a lock. A node stays where it is until it
// and all before it are done and drop_done() is called.
class ReadyGraph {
 public:
  static constexpr int kHost = -1;  // in place of a queue's number

  struct Node {
    const Instruction* instruction = nullptr;
    InstructionId id;
    int pending = 0;                         // that it waits for
    bool done = false;                       // see finish()
    std::vector<Node*> dependents;           // that wait until it is done
    int queue = kHost;                       // that runs it
    bool issued = false;                     // to its queue
    bool awaited = false;                    // by another queue, or by the host
    std::vector<Node*> followers;            // on queues, that wait until it is issued
    std::int64_t order = 0;                  // of GpuQueue: on its queue
    std::optional<device::Event> event;      // of GpuQueue: at or after it
    std::unique_ptr<SharedMessage> message;  // of MessagePump
  };
  // The queue that runs an instruction; null: the host runs all.
  using FindQueue = int (*)(const Instruction& instruction);
  // What a plan adds: the host's that wait for nothing, and all that queues run, in program order.
  struct Added {
    std::vector<Node*> ready, on_queues;
  };

  // An instruction names each that it comes after once, or this stops: what waits would be told to start twice.
  [[nodiscard]] Added add(std::unique_ptr<const Plan> plan, FindQueue find_queue);
  // Null: it is done, and so are all before it.
  [[nodiscard]] Node* find(InstructionId id);
  // All before it are done, or issued to their queues.
  [[nodiscard]] bool is_next(const Node& node);
  // What follows it on queues waits no more for it.
  void issue(Node& node);
  // The host's, which goes on as a queue's: it counts as issued. What waits for it still waits until it is done.
  void move_to_queue(Node& node, int queue);
  // What waited for it, and waits for nothing more, is appended to `ready`.
  void finish(Node& node, std::vector<Node*>& ready);
  // It is done, and what waits for it waits for good: after a failure.
  void give_up(Node& node) { node.done = true; }
  // Nodes and plans that are done and have nothing before them that is not.
  void drop_done();

  // All with smaller numbers are done and dropped.
  InstructionId done_before() const { return InstructionId{first_}; }
  int plans() const { return static_cast<int>(plans_.size()); }
  const std::deque<Node>& nodes() const { return nodes_; }  // in program order

 private:
  static void depend(Node& node, Node& before);

  std::deque<Node> nodes_;  // nodes_[i] has the number first_ + i
  std::int64_t first_ = 0;
  std::int64_t next_ = 0;  // all before it are done or issued
  std::deque<std::unique_ptr<const Plan>> plans_;
};

}  // namespace pilum::scheduler
