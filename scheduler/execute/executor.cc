#include "scheduler/execute/executor.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "scheduler/execute/count_instruction.h"
#include "scheduler/record/instruction_facts.h"

namespace pilum::scheduler {

namespace {

// How long a thread that waits has found nothing to do.
class Backoff {
 public:
  using Clock = std::chrono::steady_clock;

  bool is_asleep() const { return asleep_; }
  // Nothing to do: spins, then yields, then sleeps, with a proportional back-off: a sixteenth of the time waited so
  // far, at most 2 ms; after a quarter of a second a 128th, at most 20 ms. `awake`: how long it does not sleep.
  void pause(bool shares_cores, Clock::duration awake) {
    using namespace std::chrono_literals;
    constexpr int kSpins = 200;
    constexpr Clock::duration kShortest = 50us, kMiddling = 2ms, kLongest = 20ms;
    // Who is waited for may need this core: it is given away at every round.
    if (shares_cores && rounds_ < kSpins) std::this_thread::yield();
    if (++rounds_ < kSpins) return;
    const Clock::time_point now = Clock::now();
    if (rounds_ == kSpins) since_ = now;
    const Clock::duration waited = now - since_;
    if (waited < awake) {
      std::this_thread::yield();
      return;
    }
    asleep_ = true;
    std::this_thread::sleep_for(
        std::clamp(std::max(std::min(waited / 16, kMiddling), waited / 128), kShortest, kLongest));
  }

 private:
  int rounds_ = 0;
  Clock::time_point since_;  // of the end of its spinning
  bool asleep_ = false;
};

}  // namespace

Executor::~Executor() = default;

void Executor::submit(std::unique_ptr<const Plan> plan) {
  if (plan->instructions.empty()) return;
  for (const Instruction& instruction : plan->instructions) count(profile_.counters, instruction);
  profile_.counters.instructions.add(static_cast<std::int64_t>(plan->instructions.size()));
  ReadyGraph::Added added;
  {
    const ScopedLock lock(graph_lock_);
    const ReadyGraph::FindQueue find_queue =
        has_gpus_ ? static_cast<ReadyGraph::FindQueue>(&GpuQueue::find_queue) : nullptr;
    added = graph_.add(std::move(plan), find_queue);
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

void Executor::start_all(const std::vector<Node*>& ready) {
  std::vector<Node*> for_gpus;
  for (Node* node : ready) {
    if (node->queue != ReadyGraph::kHost) {
      for_gpus.push_back(node);
    } else {
      start(*node);
    }
  }
  if (for_gpus.empty()) return;
  const ScopedLock lock(graph_lock_);
  gpus_.issue_ready(for_gpus);
}

void Executor::start(Node& node) {
  const auto& what = node.instruction->what;
  if (std::holds_alternative<Allocate>(what) || std::holds_alternative<Free>(what)) return complete(node);
  if (is_message(*node.instruction)) return transfer(node);
  if (const auto* again = std::get_if<ReplayedPlan>(&what)) return replays_.begin(node, *again);
  host_.submit(node);
}

// Shared data of GPUs are offered: not while the communicator is held, for GPUs may be busy with others for a while.
void Executor::transfer(Node& node) {
  if (const auto* send = std::get_if<Send>(&node.instruction->what); send && send->shared) {
    const ScopedLock lock(graph_lock_);
    try {
      gpus_.make_offer(node, *send);
    } catch (...) {
      return fail(std::current_exception());
    }
  }
  if (!count_posted(*node.instruction)) return complete(node);
  messages_.post(node);
}

bool Executor::count_posted(const Instruction& instruction) {
  if (has_no_items(instruction)) return false;
  scheduler::count_posted(profile_.counters, instruction);
  return true;
}

// The offer is here.
void Executor::take(Node& node) {
  const ScopedLock lock(graph_lock_);
  gpus_.take(node, std::get<Receive>(node.instruction->what));
}

bool Executor::poll() {
  return messages_.poll([this](const MessagePump::Transfer& transfer) {
    if (transfer.run) {
      replays_.finish_message(*transfer.run, transfer.batch);
    } else if (transfer.node->message && transfer.node->message->is_receive) {
      take(*transfer.node);
    } else {
      complete(*transfer.node);
    }
  });
}

void Executor::complete(Node& node) {
  std::vector<Node*> ready;
  {
    const ScopedLock lock(graph_lock_);
    finish(node, ready);
    drop_done();
    gpus_.issue_held();
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
  if (!graph_lock_.try_lock()) return false;
  ScopedLock lock(graph_lock_, std::adopt_lock);
  if (failed()) return false;
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
  gpus_.issue_held();
  lock.unlock();
  start_all(ready);
  for (Node* node : taken) {
    messages_.acknowledge(std::get<Receive>(node->instruction->what));
    complete(*node);
  }
  return true;
}

void Executor::make_program_wait(void* program_stream) {
  wait_until([this] {
    const ScopedLock lock(graph_lock_);
    return std::ranges::all_of(graph_.nodes(), [](const Node& node) { return node.done || node.issued; });
  });
  const ScopedLock lock(graph_lock_);
  gpus_.make_program_wait(program_stream);
}

void Executor::wait_for_program(void* program_stream) {
  const ScopedLock lock(graph_lock_);
  gpus_.wait_for_program(program_stream);
}

void Executor::set_gpus(std::vector<device::Gpu*> gpus, jit::DeviceJit* jit) {
  has_gpus_ = !gpus.empty();
  host_.set_beside_gpus(has_gpus_);
  failure_.set_on_failure([gpus] {  // whom a GPU waits for may have failed
    for (device::Gpu* gpu : gpus) gpu->give_up_flags();
  });
  const ScopedLock lock(graph_lock_);
  gpus_.set_gpus(std::move(gpus), jit);
}

bool Executor::step(int spin_budget) {
  bool worked = poll();
  worked = poll_gpus() || worked;
  worked = replays_.work(spin_budget) || worked;
  return host_.help() || worked;
}

void Executor::wait_for_plans(int max_in_flight) {
  if (plans_in_flight() <= max_in_flight) return check();
  wait_until([&] { return plans_in_flight() <= max_in_flight; });
}

void Executor::wait_until(const std::function<bool()>& is_true) {
  const struct Waiting {
    std::atomic<bool>& flag;
    const bool outer = flag.exchange(true, std::memory_order_relaxed);
    ~Waiting() { flag.store(outer, std::memory_order_relaxed); }
  } waiting{waiting_};
  Backoff backoff;
  while (!is_true()) {
    check();
    if (step(backoff.is_asleep() || shares_cores_ ? kShortSpinBudget : kSpinBudget)) {
      backoff = {};
    } else {
      using namespace std::chrono_literals;
      backoff.pause(shares_cores_, on_gpus_.load(std::memory_order_relaxed) ? 200ms : 2ms);  // GPUs wake nobody
      if (on_idle_) on_idle_();
    }
  }
  check();
}

bool Executor::are_done(InstructionId first, InstructionId end) {
  const ScopedLock lock(graph_lock_);
  for (InstructionId id = first; id.value < end.value; ++id.value) {
    const Node* node = graph_.find(id);
    if (node && !node->done) return false;
  }
  return true;
}

void Executor::wait_for_messages() {
  wait_until([&] { return messages_.idle(); });
  messages_.wait_until_left();
}

void Executor::wait() {
  wait_for_plans(0);
}

}  // namespace pilum::scheduler
