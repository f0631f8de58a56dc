// What GPUs are told, and what of it they have done.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "runtime/device/gpu.h"
#include "runtime/jit/device_jit.h"
#include "runtime/profile/recorder.h"
#include "scheduler/execute/failure.h"
#include "scheduler/execute/gpu_body.h"
#include "scheduler/execute/gpu_timeline.h"
#include "scheduler/execute/ready_graph.h"
#include "scheduler/memo/bound_plan.h"

namespace pilum::scheduler {

// Issues the graph's instructions to the streams of a rank's GPUs, and tells which are done. A queue of the graph is a
// stream of a GPU. Before an instruction is issued, its stream is told to wait, by events, for what it comes after on
// other streams; the host waits for nothing. Instructions that are awaited elsewhere get an event of their own, others
// share the next one of their stream, and the last of a stream has one whenever a call returns: every end is seen.
// Nodes of a stream are done in the order in which they were issued.
// What waits for another rank's GPU holds its stream up, and with it whatever is issued to that later: it is issued
// when all before it in the program is issued, or done on the host. So what a peer waits for is never behind what waits
// for that peer. What needs code that is not loaded yet is issued when no peer is waited for: the driver waits for the
// GPU before it loads, and this thread, which the peers' hosts may need meanwhile, with it. What throws while an
// instruction is issued is the failure: it still counts as issued, but nothing more is.
//
// Locks: none. Who calls it holds the lock of the graph, for all calls to the GPUs after the start; `in_flight` is read
// without.
class GpuQueue {
 public:
  using Node = ReadyGraph::Node;

  // `in_flight`: how many instructions are issued and not known to be done.
  GpuQueue(ReadyGraph& graph, Failure& failure, profile::Recorder& profile, std::atomic<int>& in_flight)
      : graph_(graph), failure_(failure), profile_(profile), timeline_(profile), in_flight_(in_flight) {}
  void set_gpus(std::vector<device::Gpu*> gpus, jit::DeviceJit* jit);

  // The queue of an instruction, where processors are GPUs.
  static int find_queue(const Instruction& instruction);
  static int find_queue(int gpu, device::Stream stream);

  // Those that wait for nothing, of a plan's in program order: what one waits for on GPUs is issued by then.
  void issue_in_order(const std::vector<Node*>& nodes);
  // All of these, which wait for nothing, and what follows them; empties the list.
  void issue_ready(std::vector<Node*>& ready);
  // What was held back until the host was done with something.
  void issue_held();
  // Those that are done since the last call, until the next one. What users' bodies were refused meanwhile is the
  // failure. Throws what the GPUs throw.
  [[nodiscard]] const std::vector<Node*>& poll();

  // Where the data of a shared send are: the node's offer. Throws what the GPU throws.
  void make_offer(Node& node, const Send& send);
  // A shared receive whose offer is here goes on as a copy of its GPU.
  void take(Node& node, const Receive& receive);

  // What is issued from now on waits for what is in the program's stream; or the other way round.
  void wait_for_program(void* program_stream);
  void make_program_wait(void* program_stream);

 private:
  // In order.
  struct Queue {
    std::deque<Node*> issued;  // and not known to be done
    std::int64_t next_order = 0;
    std::vector<std::int64_t> waited;  // by queue: the latest event that it waits for
  };

  Queue& queue(int number) { return queues_[static_cast<std::size_t>(number)]; }
  device::Gpu& gpu_of(int queue) { return *gpus_[static_cast<std::size_t>(queue) / device::kStreams.size()]; }
  static device::Stream stream_of(int queue) {
    return device::kStreams[static_cast<std::size_t>(queue) % device::kStreams.size()];
  }
  static bool waits_for_peers(const Node& node);
  bool has_to_wait(const Node& node);
  bool holds_back(Node& node);
  void issue_with_followers(std::vector<Node*>& ready);
  void issue(Node& node);
  void issue(const Instruction& instruction, int queue);
  void issue_call(const Instruction& instruction, int queue);
  void issue_run(BoundPlan& run, int home, const char* name);
  void issue_graph(BoundPlan& run, int home, const char* name);
  void issue_items(BoundPlan& run, int home);
  void wait_for(int waiter, int maker, device::Event event);
  void append(Node& node);
  void wait_for(Node& node, Node& before);
  device::Event event_of(Node& node);
  void mark_tails();
  void check_reports();

  ReadyGraph& graph_;
  Failure& failure_;
  profile::Recorder& profile_;
  GpuTimeline timeline_;
  std::atomic<int>& in_flight_;
  std::vector<device::Gpu*> gpus_;
  jit::DeviceJit* device_jit_ = nullptr;
  OutOfBoundsReports reports_;
  std::vector<Queue> queues_;
  // That wait for nothing here but what is before them in the program, as they wait for peers; or for code, until no
  // peer is waited for.
  std::vector<Node*> held_;
  int peers_awaited_ = 0;    // instructions that are issued, wait for peers, and are not known to be done
  std::vector<Node*> done_;  // of poll()
};

}  // namespace pilum::scheduler
