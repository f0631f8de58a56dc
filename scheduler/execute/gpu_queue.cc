#include "scheduler/execute/gpu_queue.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <string>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "scheduler/execute/explain.h"
#include "scheduler/execute/gpu_instruction.h"
#include "scheduler/execute/plan_graph.h"
#include "scheduler/record/instruction_facts.h"
#include "scheduler/record/refused_values.h"

namespace pilum::scheduler {

void GpuQueue::set_gpus(std::vector<device::Gpu*> gpus, jit::DeviceJit* jit) {
  gpus_ = std::move(gpus);
  device_jit_ = jit;
  timeline_.set_gpus(gpus_);
  queues_.resize(gpus_.size() * device::kStreams.size());
  for (Queue& queue : queues_) queue.waited.assign(queues_.size(), 0);
}

int GpuQueue::find_queue(int gpu, device::Stream stream) {
  return gpu * static_cast<int>(device::kStreams.size()) + static_cast<int>(stream);
}

int GpuQueue::find_queue(const Instruction& instruction) {
  if (!runs_on_gpu(instruction) && !std::holds_alternative<ReplayedPlan>(instruction.what)) return ReadyGraph::kHost;
  return find_queue(instruction.processor, scheduler::stream_of(instruction));
}

void GpuQueue::issue_in_order(const std::vector<Node*>& nodes) {
  for (Node* node : nodes) {
    if (node->pending == 0 && !node->issued && !holds_back(*node)) issue(*node);
  }
  if (!nodes.empty()) mark_tails();
}

bool GpuQueue::waits_for_peers(const Node& node) {
  const auto* again = std::get_if<ReplayedPlan>(&node.instruction->what);
  return again ? again->run->plan_template().waits_for_peers() : waits_for_peer(*node.instruction);
}

bool GpuQueue::has_to_wait(const Node& node) {
  if (waits_for_peers(node) && !graph_.is_next(node)) return true;
  if (peers_awaited_ == 0) return false;
  if (const auto* again = std::get_if<ReplayedPlan>(&node.instruction->what))
    return again->run->plan_template().has_calls() || !again->run->graph;
  try {
    return !is_loaded(*node.instruction, gpu_of(node.queue), *device_jit_);
  } catch (const std::exception&) {
    return false;  // there will be no code; issue() finds that out again, and says whose it was
  }
}

bool GpuQueue::holds_back(Node& node) {
  if (!has_to_wait(node)) return false;
  held_.push_back(&node);
  return true;
}

void GpuQueue::issue_held() {
  if (held_.empty()) return;
  const auto first = std::ranges::min_element(held_, {}, [](const Node* node) { return node->id.value; });
  if (has_to_wait(**first)) return;
  std::vector<Node*> ready{*first};
  held_.erase(first);
  issue_ready(ready);  // with what is held behind it
}

void GpuQueue::issue_ready(std::vector<Node*>& ready) {
  if (ready.empty()) return;
  issue_with_followers(ready);
  mark_tails();
  issue_held();
}

void GpuQueue::issue_with_followers(std::vector<Node*>& ready) {
  const auto later = [](const Node* a, const Node* b) { return a->id > b->id; };
  std::make_heap(ready.begin(), ready.end(), later);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    Node* node = ready.back();
    ready.pop_back();
    if (holds_back(*node)) continue;
    issue(*node);
    for (Node* follower : node->followers) {
      if (follower->pending > 0 || follower->issued) continue;
      ready.push_back(follower);
      std::push_heap(ready.begin(), ready.end(), later);
    }
  }
}

// Issuing one may free those that follow it: issue_in_order() comes to them, issue_ready() takes them along.
void GpuQueue::issue(Node& node) {
  if (!failure_.failed()) {
    try {
      for (const InstructionId id : node.instruction->after) {
        if (Node* before = graph_.find(id)) wait_for(node, *before);
      }
      issue(*node.instruction, node.queue);
      if (node.awaited) node.event = gpu_of(node.queue).record_event(stream_of(node.queue));
    } catch (const std::exception& error) {
      failure_.fail(*node.instruction, error);
    }
  }
  append(node);
  graph_.issue(node);
}

void GpuQueue::issue(const Instruction& instruction, int queue) {
  device::Gpu& gpu = gpu_of(queue);
  gpu.push_range(instruction.name);
  if (const auto* again = std::get_if<ReplayedPlan>(&instruction.what)) {
    issue_run(*again->run, queue, instruction.name);
    again->run->end();
  } else {
    issue_call(instruction, queue);
  }
  gpu.pop_range();
}

void GpuQueue::issue_call(const Instruction& instruction, int queue) {
  const std::int64_t begun = timeline_.begin(queue);
  scheduler::issue(instruction, gpu_of(queue), *device_jit_, reports_);
  timeline_.end(queue, begun, category_of(instruction), instruction.name);
}

void GpuQueue::issue_run(BoundPlan& run, int home, const char* name) {
  if (run.plan_template().fits_no_graph() || run.is_refused) return issue_items(run, home);
  try {
    issue_graph(run, home, name);
  } catch (const device::GraphRefused& refusal) {
    log("scheduler").debug("{} and what is issued with it is no graph: {}", name, refusal.what());
    run.is_refused = true;
    run.graph.reset();
    issue_items(run, home);
  }
}

// A replayed plan is a graph, which is made at the first time and issued as one.
void GpuQueue::issue_graph(BoundPlan& run, int home, const char* name) {
  device::Gpu& gpu = gpu_of(home);
  if (!run.graph) run.graph = std::make_unique<PlanGraph>(run, gpus_, gpu, *device_jit_, reports_);
  const std::int64_t begun = timeline_.begin(home);
  gpu.launch(stream_of(home), static_cast<PlanGraph&>(*run.graph).update(std::exchange(run.changed, {})));
  timeline_.end(home, begun, "graph", name);
  profile_.counters.graphs.add();
}

// Or one by one, in program order, between what was issued to the run's queue before and what will be after.
void GpuQueue::issue_items(BoundPlan& run, int home) {
  const auto place = [](int item) { return static_cast<std::size_t>(item); };
  if (!run.issue_order) {
    BoundPlan::IssueOrder& order = run.issue_order.emplace();
    order.after = run.plan_template().predecessors();
    order.awaited.resize(order.after.size());
    for (int item = 0; item < run.size(); ++item) {
      order.queues.push_back(find_queue(run.instruction(item)));
      for (const int before : order.after[place(item)]) {
        if (order.queues[place(before)] != order.queues.back()) order.awaited[place(before)] = true;
      }
    }
  }
  const auto& [after, queues, awaited] = *run.issue_order;
  std::vector<int> others;  // queues that take part
  for (const int queue : queues) {
    if (queue != home && std::find(others.begin(), others.end(), queue) == others.end()) others.push_back(queue);
  }
  const auto mark = [this](int queue) { return gpu_of(queue).record_event(stream_of(queue)); };
  if (!others.empty()) {
    const device::Event start = mark(home);
    for (const int queue : others) wait_for(queue, home, start);
  }
  std::vector<device::Event> ends(queues.size());  // of those that are awaited
  for (int item = 0; item < run.size(); ++item) {
    const int queue = queues[place(item)];
    for (const int before : after[place(item)]) {
      if (queues[place(before)] != queue) wait_for(queue, queues[place(before)], ends[place(before)]);
    }
    issue_call(run.instruction(item), queue);
    if (awaited[place(item)]) ends[place(item)] = mark(queue);
  }
  for (const int queue : others) wait_for(home, queue, mark(queue));
}

void GpuQueue::append(Node& node) {
  Queue& own = queue(node.queue);
  node.order = own.next_order++;
  own.issued.push_back(&node);
  if (waits_for_peers(node)) ++peers_awaited_;
  in_flight_.fetch_add(1, std::memory_order_relaxed);
  if (profile_.busy.on()) profile_.busy.enter();
}

// The node's stream waits for what the other one is behind.
void GpuQueue::wait_for(Node& node, Node& before) {
  if (before.done || before.queue == ReadyGraph::kHost || before.queue == node.queue) return;
  wait_for(node.queue, before.queue, event_of(before));
}

void GpuQueue::wait_for(int waiter, int maker, device::Event event) {
  std::int64_t& waited = queue(waiter).waited[static_cast<std::size_t>(maker)];
  if (waited >= event.number) return;
  gpu_of(waiter).wait(stream_of(waiter), gpu_of(maker), event);
  waited = event.number;
}

// Its own, or the next one of its stream; else one is made now.
device::Event GpuQueue::event_of(Node& node) {
  if (node.event) return *node.event;
  const Queue& own = queue(node.queue);
  auto place = std::lower_bound(own.issued.begin(), own.issued.end(), &node,
                                [](const Node* a, const Node* b) { return a->order < b->order; });
  for (; place != own.issued.end(); ++place) {
    if ((*place)->event) return *(node.event = (*place)->event);
  }
  return *(node.event = own.issued.back()->event = gpu_of(node.queue).record_event(stream_of(node.queue)));
}

// So that the end of everything that is issued will be seen.
void GpuQueue::mark_tails() {
  if (failure_.failed()) return;
  for (Queue& queue : queues_) {
    if (!queue.issued.empty()) (void)event_of(*queue.issued.back());
  }
}

const std::vector<GpuQueue::Node*>& GpuQueue::poll() {
  done_.clear();
  for (std::size_t number = 0; number < queues_.size(); ++number) {
    std::deque<Node*>& issued = queues_[number].issued;
    device::Gpu& gpu = gpu_of(static_cast<int>(number));
    std::size_t reached = 0;
    for (std::size_t place = 0; place < issued.size(); ++place) {
      const auto& event = issued[place]->event;
      if (!event) continue;
      if (!gpu.completed(*event)) break;
      reached = place + 1;
    }
    if (reached > 0) check_reports();  // before anybody uses what is done
    for (; reached > 0; --reached) {
      done_.push_back(issued.front());
      if (waits_for_peers(*issued.front())) --peers_awaited_;
      issued.pop_front();
      in_flight_.fetch_sub(1, std::memory_order_relaxed);
      if (profile_.busy.on()) profile_.busy.leave();
    }
  }
  if (!done_.empty()) timeline_.collect();  // while what is done has its name
  return done_;
}

// What bodies were refused on GPUs: a cell of an argument, an index, or what has no result.
void GpuQueue::check_reports() {
  const kernel::OutOfBoundsReport* report = reports_.find();
  if (!report) return;
  const bool is_picked = report->argument == 0;
  if (const char* text = is_picked ? explain_matrix(report->lo[0]) : nullptr) {
    const std::string what = explain(report->task, text, report->file, report->line);
    return failure_.fail(std::make_exception_ptr(LinAlgError(what)));
  }
  const RefusedValue refused = is_picked ? find_refused_value(report->lo[0]) : RefusedValue::None;
  if (refused != RefusedValue::None) {
    const auto number_of = [](std::int64_t bits) { return std::bit_cast<double>(bits); };
    const std::string what = explain_value(refused, number_of(report->index[0]), number_of(report->hi[0]));
    return failure_.fail(std::make_exception_ptr(ValueError(explain(report->task, what, report->file, report->line))));
  }
  const std::string what = is_picked ? explain_picked(report->index[0], static_cast<int>(report->lo[0]), report->hi[0])
                                     : explain_index(static_cast<int>(report->argument), static_cast<int>(report->rank),
                                                     report->index, report->lo, report->hi);
  failure_.fail(std::make_exception_ptr(IndexError(explain(report->task, what, report->file, report->line))));
}

void GpuQueue::make_offer(Node& node, const Send& send) {
  device::Gpu& gpu = *gpus_[static_cast<std::size_t>(node.instruction->processor)];
  node.message = std::make_unique<SharedMessage>();
  node.message->offer = {gpu.share(const_cast<std::byte*>(send.data)), send.bytes};
}

void GpuQueue::take(Node& node, const Receive& receive) {
  if (failure_.failed()) return;
  try {
    const SharedMessage::Offer& offer = node.message->offer;
    PILUM_CHECK(offer.bytes == receive.bytes, "an offer of {} bytes for {}", offer.bytes, receive.bytes);
    const int queue = find_queue(node.instruction->processor, device::Stream::Copies);
    device::Gpu& gpu = gpu_of(queue);
    const std::int64_t begun = timeline_.begin(queue);
    gpu.copy(stream_of(queue), {receive.data, gpu.open_share(offer.share), receive.bytes});
    timeline_.end(queue, begun, "copy", node.instruction->name);
    node.event = gpu.record_event(stream_of(queue));
    graph_.move_to_queue(node, queue);
    append(node);
  } catch (const std::exception& error) {
    failure_.fail(*node.instruction, error);
  }
}

void GpuQueue::wait_for_program(void* program_stream) {
  for (device::Gpu* gpu : gpus_) gpu->wait_for_program(program_stream);
}

void GpuQueue::make_program_wait(void* program_stream) {
  for (device::Gpu* gpu : gpus_) gpu->make_program_wait(program_stream);
}

}  // namespace pilum::scheduler
