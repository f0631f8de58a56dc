#include "scheduler/execute/executor.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "scheduler/execute/gpu_instruction.h"
#include "scheduler/execute/instruction_job.h"
#include "scheduler/print/printer.h"
#include "scheduler/record/instruction_facts.h"

namespace pilum::scheduler {

const char* Executor::category(const Instruction& instruction) {
  if (std::holds_alternative<Launch>(instruction.what)) return "kernel";
  return std::holds_alternative<Copy>(instruction.what) ? "copy" : "host";
}

// An instruction on a lane. Its node outlives it: nodes are dropped when they are done.
class Executor::InstructionJob : public device::Job {
 public:
  InstructionJob(Executor& executor, Node* node) : executor_(executor), node_(node) {}
  std::int64_t chunks() const override { return count_chunks(*node_->instruction); }
  void run(std::int64_t chunk) override { executor_.run_chunk(*node_->instruction, chunk); }
  void done() override { executor_.complete(node_); }
  std::string label() const override { return node_->instruction->name; }

 private:
  Executor& executor_;
  Node* node_;
};

Executor::~Executor() = default;

void Executor::count(const Instruction& instruction) {
  profile::Counters& counters = profile_.counters;
  if (const auto* again = std::get_if<ReplayedPlan>(&instruction.what)) count(again->run->plan_template().totals());
  if (std::holds_alternative<Launch>(instruction.what)) counters.launches.add();
  if (const auto* copy = std::get_if<Copy>(&instruction.what)) {
    counters.copies.add();
    counters.bytes_copied.add(copy->bytes());
  }
  if (const auto* send = std::get_if<Send>(&instruction.what)) {
    counters.messages_sent.add();
    counters.bytes_sent.add(static_cast<std::int64_t>(send->bytes));
  }
  if (const auto* receive = std::get_if<Receive>(&instruction.what)) {
    counters.messages_received.add();
    counters.bytes_received.add(static_cast<std::int64_t>(receive->bytes));
  }
  counters.edges.add(static_cast<std::int64_t>(instruction.after.size()));
}

void Executor::submit(std::unique_ptr<const Plan> plan) {
  if (plan->instructions.empty()) return;
  for (const Instruction& instruction : plan->instructions) count(instruction);
  profile_.counters.instructions.add(static_cast<std::int64_t>(plan->instructions.size()));
  ReadyGraph::Added added;
  {
    const std::lock_guard lock(graph_lock_);
    added = graph_.add(std::move(plan), has_gpus_ ? ReadyGraph::FindQueue(&GpuQueue::find_queue) : nullptr);
    plans_in_flight_.store(graph_.plans(), std::memory_order_release);
    gpus_.issue_in_order(added.on_queues);
  }
  start_all(added.ready);
  if (has_gpus_) poll_gpus();
}

// What waited for the node, and waits for nothing more, is ready; nothing is after a failure.
void Executor::finish(Node& node, std::vector<Node*>& ready) {
  if (failed()) return graph_.give_up(node);
  graph_.finish(node, ready);
}

void Executor::start_all(std::vector<Node*>& ready) {
  std::vector<Node*> for_gpus;
  for (Node* node : ready) {
    if (node->queue != ReadyGraph::kHost) {
      for_gpus.push_back(node);
    } else {
      start(node);
    }
  }
  if (for_gpus.empty()) return;
  const std::lock_guard lock(graph_lock_);
  gpus_.issue_ready(for_gpus);
}

void Executor::start(Node* node) {
  const Instruction& instruction = *node->instruction;
  if (std::holds_alternative<Allocate>(instruction.what) || std::holds_alternative<Free>(instruction.what)) {
    complete(node);
    return;
  }
  if (std::holds_alternative<Send>(instruction.what) || std::holds_alternative<Receive>(instruction.what)) {
    transfer(node);
    return;
  }
  if (const auto* again = std::get_if<ReplayedPlan>(&instruction.what)) {
    start(node, again->run);
    return;
  }
  if (!has_gpus_ && count_chunks(instruction) == 1 && !hand_over_.is_worth(bytes_touched(instruction), 1)) {
    run_tiny(node);
    return;
  }
  const std::size_t lane = has_gpus_ ? 0 : static_cast<std::size_t>(instruction.processor);
  lanes_[lane]->submit(std::make_shared<InstructionJob>(*this, node));
}

// On this thread. What gets ready by that and is tiny too comes after it, not inside it.
void Executor::run_tiny(Node* node) {
  thread_local std::deque<Node*> waiting;
  thread_local bool running = false;
  waiting.push_back(node);
  if (std::exchange(running, true)) return;
  while (!waiting.empty()) {
    Node* next = waiting.front();
    waiting.pop_front();
    run_chunk(*next->instruction, 0);
    complete(next);
  }
  running = false;
}

void Executor::run_chunk(const Instruction& instruction, std::int64_t chunk) {
  if (failed()) return;
  const profile::ScopedSpan span(profile_, category(instruction), device::current_worker() + 1,
                                 [&] { return std::string(instruction.name); });
  try {
    scheduler::run_chunk(instruction, chunk);
  } catch (const std::exception& error) {
    failure_.fail(instruction, error.what());
  }
}

// Shared data of GPUs are offered: not while the communicator is held, for GPUs may be busy with others for a while.
void Executor::transfer(Node* node) {
  if (const auto* send = std::get_if<Send>(&node->instruction->what); send && send->shared) {
    const std::lock_guard lock(graph_lock_);
    try {
      gpus_.make_offer(*node, *send);
    } catch (...) {
      return fail(std::current_exception());
    }
  }
  messages_.post(*node);
}

// The offer is here.
void Executor::take(Node& node) {
  const std::lock_guard lock(graph_lock_);
  gpus_.take(node, std::get<Receive>(node.instruction->what));
}

bool Executor::poll() {
  return messages_.poll([this](const MessagePump::Transfer& transfer) {
    if (transfer.run) {
      finish_message(*transfer.run, transfer.item);
    } else if (transfer.node->message && transfer.node->message->is_receive) {
      take(*transfer.node);
    } else {
      complete(transfer.node);
    }
  });
}

void Executor::complete(Node* node) {
  std::vector<Node*> ready;
  {
    const std::lock_guard lock(graph_lock_);
    finish(*node, ready);
    drop_done();
  }
  start_all(ready);
}

void Executor::drop_done() {
  graph_.drop_done();
  done_before_.store(graph_.done_before().value, std::memory_order_release);
  plans_in_flight_.store(graph_.plans(), std::memory_order_release);
}

bool Executor::poll_gpus() {
  if (on_gpus_.load(std::memory_order_relaxed) == 0) return false;
  std::unique_lock lock(graph_lock_, std::try_to_lock);
  if (!lock.owns_lock() || failed()) return false;
  std::vector<Node*> ready, taken;
  try {
    const std::vector<Node*>& done = gpus_.poll();
    if (done.empty()) return false;
    for (Node* node : done) {
      if (node->message) {
        taken.push_back(node);  // not done before its answer is on its way
      } else {
        finish(*node, ready);
      }
    }
  } catch (...) {
    fail(std::current_exception());
    return false;
  }
  drop_done();
  lock.unlock();
  start_all(ready);
  for (Node* node : taken) {
    messages_.acknowledge(std::get<Receive>(node->instruction->what));
    complete(node);
  }
  return true;
}

void Executor::let_follow(void* program_stream) {
  wait_until([this] {
    const std::lock_guard lock(graph_lock_);
    return std::ranges::all_of(graph_.nodes(), [](const Node& node) { return node.done || node.issued; });
  });
  const std::lock_guard lock(graph_lock_);
  gpus_.lead(program_stream);
}

void Executor::follow(void* program_stream) {
  const std::lock_guard lock(graph_lock_);
  gpus_.follow(program_stream);
}

void Executor::set_gpus(std::vector<device::Gpu*> gpus, jit::DeviceJit* jit) {
  has_gpus_ = !gpus.empty();
  gpus_.set_gpus(std::move(gpus), jit);
}

bool Executor::step(int patience) {
  bool worked = poll();
  worked = poll_gpus() || worked;
  worked = work_on_any(patience) || worked;
  for (device::HostLane* lane : lanes_) worked = lane->help() || worked;
  return worked;
}

// Nothing to do: spin, then let others run, then sleep, the longer the longer it has been so: what comes at last is
// seen late by a sixteenth of that, at most by two milliseconds; or, after a quarter of a second, by a
// hundred-and-twenty-eighth, at most by twenty.
void Executor::idle(Idleness& idleness) {
  using namespace std::chrono_literals;
  using Duration = Idleness::Clock::duration;
  constexpr int kSpins = 200;
  constexpr Duration kShortest = 50us, kMiddling = 2ms, kLongest = 20ms;
  // Who is waited for may need this core: it is given away at every round.
  if (shares_cores_ && idleness.rounds < kSpins) std::this_thread::yield();
  const Duration awake = on_gpus_.load(std::memory_order_relaxed) ? 200ms : 2ms;  // GPUs do not wake anybody
  if (++idleness.rounds < kSpins) return;
  const Idleness::Clock::time_point now = Idleness::Clock::now();
  if (idleness.rounds == kSpins) idleness.since = now;
  const Duration waited = now - idleness.since;
  if (waited < awake) {
    std::this_thread::yield();
    return;
  }
  idleness.asleep = true;
  std::this_thread::sleep_for(
      std::clamp(std::max(std::min(waited / 16, kMiddling), waited / 128), kShortest, kLongest));
}

void Executor::wait_for_plans(int most_in_flight) {
  if (plans_in_flight() <= most_in_flight) return check();
  wait_until([&] { return plans_in_flight() <= most_in_flight; });
}

void Executor::wait_until(const std::function<bool()>& is_true) {
  const struct Waiting {
    std::atomic<bool>& flag;
    const bool outer = flag.exchange(true, std::memory_order_relaxed);
    ~Waiting() { flag.store(outer, std::memory_order_relaxed); }
  } waiting{waiting_};
  Idleness idleness;
  while (!is_true()) {
    check();
    if (step(idleness.asleep || shares_cores_ ? kFewLooks : kManyLooks)) {
      idleness = {};
    } else {
      idle(idleness);
      if (on_idle_) on_idle_();
    }
  }
  check();
}

void Executor::wait() {
  wait_for_plans(0);
}

}  // namespace pilum::scheduler
