#include "scheduler/executor.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "scheduler/instruction_job.h"
#include "scheduler/printer.h"

namespace pilum::scheduler {

// An instruction on a lane. Its node outlives it: nodes are dropped when they are done.
class Executor::InstructionJob : public device::Job {
 public:
  InstructionJob(Executor& executor, Node* node) : executor_(executor), node_(node) {}
  std::int64_t chunks() const override { return count_chunks(*node_->instruction); }
  void run(std::int64_t chunk) override {
    const Instruction& instruction = *node_->instruction;
    if (executor_.failed()) return;
    const profile::ScopedSpan span(executor_.profile_, category(instruction), device::current_worker() + 1,
                                   [&] { return std::string(instruction.name); });
    try {
      run_chunk(instruction, chunk);
    } catch (const std::exception& error) {
      executor_.fail(std::make_exception_ptr(RuntimeError(explain(instruction, error.what()))));
    }
  }
  void done() override { executor_.complete(node_); }
  std::string label() const override { return node_->instruction->name; }

 private:
  // "[zeros] what went wrong. Recorded at app.cc:12"
  static std::string explain(const Instruction& instruction, std::string what) {
    if (what.ends_with('.')) what.pop_back();
    return std::string("[") + instruction.name + "] " + what + ". Recorded at " + instruction.where.file_name() + ":" +
           std::to_string(instruction.where.line());
  }
  static const char* category(const Instruction& instruction) {
    if (std::holds_alternative<Launch>(instruction.what)) return "kernel";
    return std::holds_alternative<Copy>(instruction.what) ? "copy" : "host";
  }

  Executor& executor_;
  Node* node_;
};

Executor::~Executor() = default;

void Executor::count(const Instruction& instruction) {
  profile::Counters& counters = profile_.counters;
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
  std::vector<Node*> ready;
  {
    const std::lock_guard lock(graph_);
    std::int64_t id = plan->first.value;
    if (nodes_.empty()) first_ = id;
    PILUM_CHECK(first_ + static_cast<std::int64_t>(nodes_.size()) == id, "plan {} starts at {}", plan->window, id);
    for (const Instruction& instruction : plan->instructions) {
      count(instruction);
      Node& node = nodes_.emplace_back();
      node.instruction = &instruction;
      node.id = InstructionId{id++};
      for (const InstructionId before : instruction.after) {
        if (before.value < first_) continue;
        Node& other = nodes_[static_cast<std::size_t>(before.value - first_)];
        if (other.done) continue;
        other.dependents.push_back(&node);
        ++node.pending;
      }
      if (node.pending == 0) ready.push_back(&node);
    }
    profile_.counters.instructions.add(static_cast<std::int64_t>(plan->instructions.size()));
    plans_.push_back(std::move(plan));
    plans_in_flight_.store(static_cast<int>(plans_.size()), std::memory_order_release);
  }
  start_all(ready);
}

void Executor::start_all(std::vector<Node*>& ready) {
  // complete() may add to the list: instructions without work finish at once.
  for (std::size_t i = 0; i < ready.size(); ++i) start(ready[i]);
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
  lanes_[static_cast<std::size_t>(instruction.processor)]->submit(std::make_shared<InstructionJob>(*this, node));
}

void Executor::transfer(Node* node) {
  const std::lock_guard lock(communication_);
  if (failed()) return;
  try {
    comm::Request request = 0;
    if (const auto* send = std::get_if<Send>(&node->instruction->what)) {
      request = communicator_.send(send->to, send->tag, {send->data, send->bytes});
    } else {
      const auto& receive = std::get<Receive>(node->instruction->what);
      request = communicator_.receive(receive.from, receive.tag, {receive.data, receive.bytes});
    }
    transfers_.push_back({request, node});
    transfer_count_.fetch_add(1, std::memory_order_release);
  } catch (...) {
    fail(std::current_exception());
  }
}

void Executor::complete(Node* node) {
  std::vector<Node*> ready;
  {
    const std::lock_guard lock(graph_);
    node->done = true;
    if (!failed()) {
      for (Node* dependent : node->dependents) {
        if (--dependent->pending == 0) ready.push_back(dependent);
      }
    }
    while (!nodes_.empty() && nodes_.front().done) {
      nodes_.pop_front();
      ++first_;
    }
    const auto finished = [this](const Plan& plan) {
      return plan.first.value + static_cast<std::int64_t>(plan.instructions.size()) <= first_;
    };
    while (!plans_.empty() && finished(*plans_.front())) plans_.pop_front();
    done_before_.store(first_, std::memory_order_release);
    plans_in_flight_.store(static_cast<int>(plans_.size()), std::memory_order_release);
  }
  start_all(ready);
}

bool Executor::poll() {
  if (transfer_count_.load(std::memory_order_acquire) == 0) return false;
  std::unique_lock lock(communication_, std::try_to_lock);
  if (!lock.owns_lock() || failed()) return false;
  std::vector<Node*> arrived;
  bool moved = false;
  try {
    moved = communicator_.progress();
    std::erase_if(transfers_, [&](const Transfer& transfer) {
      if (!communicator_.test(transfer.request)) return false;
      arrived.push_back(transfer.node);
      return true;
    });
  } catch (...) {
    fail(std::current_exception());
    return false;
  }
  if (arrived.empty()) return moved;
  transfer_count_.fetch_sub(static_cast<int>(arrived.size()), std::memory_order_release);
  lock.unlock();  // what follows an arrival may be another transfer
  for (Node* node : arrived) complete(node);
  return true;
}

bool Executor::step() {
  bool worked = poll();
  for (device::HostLane* lane : lanes_) worked = lane->help() || worked;
  return worked;
}

void Executor::fail(std::exception_ptr error) {
  const std::lock_guard lock(error_mutex_);
  if (!error_) error_ = error;
  failed_.store(true, std::memory_order_release);
}

void Executor::check() {
  if (!failed()) return;
  const std::lock_guard lock(error_mutex_);
  std::rethrow_exception(error_);
}

// What a rank that seems to hang is waiting for.
void Executor::report_stall() {
  constexpr std::size_t kShown = 4;
  std::string text;
  {
    const std::lock_guard lock(communication_);
    for (std::size_t i = 0; i < std::min(kShown, transfers_.size()); ++i) {
      text += "; " + to_text(*transfers_[i].node->instruction, transfers_[i].node->id);
    }
    text = std::to_string(transfers_.size()) + " messages" + text;
  }
  log("scheduler").warn("nothing has moved for a while: {} plans wait for {}", plans_in_flight(), text);
}

// Nothing to do: spin, then let others run, then sleep a little.
void Executor::idle(int& rounds) {
  constexpr int kSpins = 200, kYields = 2000;
  constexpr int kStall = 200'000;  // sleeps: some 20 s
  if (++rounds == kStall) report_stall();
  if (rounds < kSpins) return;
  if (rounds < kYields) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void Executor::wait_for_plans(int most_in_flight) {
  int rounds = 0;
  while (plans_in_flight() > most_in_flight) {
    check();
    if (step()) {
      rounds = 0;
    } else {
      idle(rounds);
      if (on_idle_) on_idle_();
    }
  }
  check();
}

void Executor::wait() {
  wait_for_plans(0);
}

}  // namespace pilum::scheduler
