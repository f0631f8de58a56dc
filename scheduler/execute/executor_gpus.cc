// The executor's way with GPUs: instructions are issued in program order, their ends seen by events.
#include <algorithm>
#include <string>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "scheduler/execute/executor.h"
#include "scheduler/execute/explain.h"
#include "scheduler/execute/gpu_instruction.h"
#include "scheduler/record/instruction_facts.h"

namespace pilum::scheduler {

void Executor::set_gpus(std::vector<device::Gpu*> gpus, jit::DeviceJit* jit) {
  gpus_ = std::move(gpus);
  device_jit_ = jit;
  gpu_streams_.resize(gpus_.size() * device::kStreams.size());
  for (GpuStream& stream : gpu_streams_) stream.waited.assign(gpu_streams_.size(), 0);
}

int Executor::queue_of(int gpu, device::Stream stream) {
  return gpu * static_cast<int>(device::kStreams.size()) + static_cast<int>(stream);
}

int Executor::queue_of(const Instruction& instruction) {
  if (!runs_on_gpu(instruction) && !std::holds_alternative<ReplayedPlan>(instruction.what)) return ReadyGraph::kHost;
  return queue_of(instruction.processor, scheduler::stream_of(instruction));
}

// With the lock held, as all that follows to poll_gpus(). Issuing one may free those that follow it: submit() comes to
// them in order, issue_ready() takes them along.
void Executor::issue(Node& node) {
  const Instruction& instruction = *node.instruction;
  GpuStream& own = stream(node.queue);
  if (!failed()) {
    try {
      for (const InstructionId id : instruction.after) {
        if (Node* before = graph_.find(id)) wait_for(node, *before);
      }
      device::Gpu& gpu = gpu_of(node.queue);
      gpu.push_range(instruction.name);
      if (const auto* again = std::get_if<ReplayedPlan>(&instruction.what)) {
        issue(*again->run, gpu, stream_of(node.queue));
      } else {
        scheduler::issue(instruction, gpu, *device_jit_, reports_);
      }
      gpu.pop_range();
      if (node.awaited) node.event = gpu.record_event(stream_of(node.queue));
    } catch (const std::exception& error) {
      failure_.fail(instruction, error.what());
    }
  }
  node.order = own.next_order++;
  own.issued.push_back(&node);
  on_gpus_.fetch_add(1, std::memory_order_relaxed);
  graph_.issue(node);
}

// The node's stream waits for what the other one is behind.
void Executor::wait_for(Node& node, Node& before) {
  if (before.done || before.queue == ReadyGraph::kHost || before.queue == node.queue) return;
  const device::Event event = event_of(before);
  std::int64_t& waited = stream(node.queue).waited[static_cast<std::size_t>(before.queue)];
  if (waited >= event.number) return;
  gpu_of(node.queue).wait(stream_of(node.queue), gpu_of(before.queue), event);
  waited = event.number;
}

// A mark of its own, or the next one of its stream; else one is made now.
device::Event Executor::event_of(Node& node) {
  if (node.event) return *node.event;
  GpuStream& own = stream(node.queue);
  auto place = std::lower_bound(own.issued.begin(), own.issued.end(), &node,
                                [](const Node* a, const Node* b) { return a->order < b->order; });
  for (; place != own.issued.end(); ++place) {
    if ((*place)->event) return *(node.event = (*place)->event);
  }
  return *(node.event = own.issued.back()->event = gpu_of(node.queue).record_event(stream_of(node.queue)));
}

// So that the end of everything that is issued will be seen.
void Executor::mark_tails() {
  if (failed()) return;
  for (GpuStream& stream : gpu_streams_) {
    if (!stream.issued.empty()) (void)event_of(*stream.issued.back());
  }
}

void Executor::issue_ready(std::vector<Node*>& ready) {
  if (ready.empty()) return;
  const auto later = [](const Node* a, const Node* b) { return a->id > b->id; };
  std::make_heap(ready.begin(), ready.end(), later);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    Node* node = ready.back();
    ready.pop_back();
    issue(*node);
    for (Node* follower : node->followers) {
      if (follower->pending > 0 || follower->issued) continue;
      ready.push_back(follower);
      std::push_heap(ready.begin(), ready.end(), later);
    }
  }
  mark_tails();
}

// Where the data of a shared send are.
void Executor::share(Node& node, const Send& send) {
  const std::lock_guard lock(graph_lock_);
  device::Gpu& gpu = *gpus_[static_cast<std::size_t>(node.instruction->processor)];
  node.message = std::make_unique<SharedMessage>();
  node.message->offer = {gpu.share(const_cast<std::byte*>(send.data)), send.bytes};
}

// The offer is here: the node goes on as a copy of the GPU.
void Executor::take(Node& node) {
  const auto& receive = std::get<Receive>(node.instruction->what);
  const std::lock_guard lock(graph_lock_);
  if (failed()) return;
  try {
    PILUM_CHECK(node.message->offer.bytes == receive.bytes, "an offer of {} bytes for {}", node.message->offer.bytes,
                receive.bytes);
    const int queue = queue_of(node.instruction->processor, device::Stream::Copies);
    device::Gpu& gpu = gpu_of(queue);
    gpu.copy(device::Stream::Copies, {receive.data, gpu.open_share(node.message->offer.share), receive.bytes});
    node.event = gpu.record_event(device::Stream::Copies);
    graph_.move_to_queue(node, queue);
    GpuStream& own = stream(queue);
    node.order = own.next_order++;
    own.issued.push_back(&node);
    on_gpus_.fetch_add(1, std::memory_order_relaxed);
  } catch (const std::exception& error) {
    failure_.fail(*node.instruction, error.what());
  }
}

bool Executor::poll_gpus() {
  if (on_gpus_.load(std::memory_order_relaxed) == 0) return false;
  std::unique_lock lock(graph_lock_, std::try_to_lock);
  if (!lock.owns_lock() || failed()) return false;
  std::vector<Node*> ready, taken;
  bool moved = false;
  try {
    for (std::size_t i = 0; i < gpu_streams_.size(); ++i) {
      std::deque<Node*>& issued = gpu_streams_[i].issued;
      device::Gpu& gpu = gpu_of(static_cast<int>(i));
      std::size_t reached = 0;
      for (std::size_t place = 0; place < issued.size(); ++place) {
        const auto& event = issued[place]->event;
        if (!event) continue;
        if (!gpu.completed(*event)) break;
        reached = place + 1;
      }
      if (reached > 0) look_for_offences();  // before anybody uses what is done
      for (; reached > 0; --reached, moved = true) {
        Node* node = issued.front();
        issued.pop_front();
        on_gpus_.fetch_sub(1, std::memory_order_relaxed);
        if (node->message) {
          taken.push_back(node);  // not done before its answer is on its way
        } else {
          finish(*node, ready);
        }
      }
    }
  } catch (...) {
    fail(std::current_exception());
    return false;
  }
  if (moved) drop_done();
  lock.unlock();
  start_all(ready);
  for (Node* node : taken) {
    messages_.acknowledge(std::get<Receive>(node->instruction->what));
    complete(node);
  }
  return moved;
}

void Executor::let_follow(void* program_stream) {
  wait_until([this] {
    const std::lock_guard lock(graph_lock_);
    return std::ranges::all_of(graph_.nodes(), [](const Node& node) { return node.done || node.issued; });
  });
  const std::lock_guard lock(graph_lock_);
  for (device::Gpu* gpu : gpus_) gpu->lead(program_stream);
}

void Executor::follow(void* program_stream) {
  const std::lock_guard lock(graph_lock_);
  for (device::Gpu* gpu : gpus_) gpu->follow(program_stream);
}

// What users' bodies were refused on GPUs.
void Executor::look_for_offences() {
  const kernel::OutOfBoundsReport* report = reports_.find();
  if (!report) return;
  const std::string what = explain_index(static_cast<int>(report->argument), static_cast<int>(report->rank),
                                         report->index, report->lo, report->hi);
  fail(std::make_exception_ptr(RuntimeError(explain(report->task, what, report->file, report->line))));
}

}  // namespace pilum::scheduler
