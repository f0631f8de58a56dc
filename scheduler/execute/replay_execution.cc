// The executor's way with plans that are played again: no graph of nodes is built, and no lock taken from item to item.
#include <algorithm>
#include <string>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "scheduler/execute/executor.h"
#include "scheduler/execute/instruction_job.h"
#include "scheduler/record/instruction_facts.h"

namespace pilum::scheduler {
namespace {

// Looks for something that is ready, before a thread leaves a run.
constexpr int kPatience = 400;     // some 10 µs
constexpr int kShortPatience = 2;  // of one that has more to record

bool is_message(const Instruction& instruction) {
  return std::holds_alternative<Send>(instruction.what) || std::holds_alternative<Receive>(instruction.what);
}

}  // namespace

// A worker is asked to take part in a run, which may be over, or another time round, when it comes to it.
class Executor::RunJob final : public device::Job {
 public:
  RunJob(Executor& executor, std::shared_ptr<BoundPlan> run)
      : executor_(executor), run_(std::move(run)), submitted_(HandOver::Clock::now()) {}
  std::int64_t chunks() const override { return 1; }
  void run(std::int64_t) override {
    executor_.hand_over_.learn(HandOver::Clock::now() - submitted_);
    if (executor_.join(*run_)) executor_.work_on(*run_, kPatience);
    run_->lookers().fetch_sub(1, std::memory_order_seq_cst);
    executor_.look_again(*run_);
  }
  void done() override {}

 private:
  Executor& executor_;
  std::shared_ptr<BoundPlan> run_;
  HandOver::Clock::time_point submitted_;
};

void Executor::count(const PlanTemplate::Totals& totals) {
  profile::Counters& counters = profile_.counters;
  counters.launches.add(totals.launches);
  counters.copies.add(totals.copies);
  counters.bytes_copied.add(totals.bytes_copied);
  counters.messages_sent.add(totals.messages_sent);
  counters.bytes_sent.add(totals.bytes_sent);
  counters.messages_received.add(totals.messages_received);
  counters.bytes_received.add(totals.bytes_received);
  counters.edges.add(totals.dependences);
}

void Executor::start(Node* node, std::shared_ptr<BoundPlan> run) {
  run->node = node;
  run->next = 0;
  run->begin();
  const PlanTemplate& replay = run->plan_template();
  if (run->size() == 0) {
    run->end();
    return complete(node);
  }
  {
    const std::lock_guard lock(runs_lock_);
    runs_.push_back(run);
    run_count_.fetch_add(1, std::memory_order_release);
    run->join();
  }
  for (const int item : replay.roots()) {
    if (is_message(run->instruction(item))) transfer(*run, item);
  }
  const int workers = lanes_[0]->workers();
  if (workers == 0 || !hand_over_.is_worth(replay.bytes_touched(), run->size())) {
    work_on(*run, workers == 0 ? kShortPatience : kPatience);
    return;
  }
  invite(*run, replay.most_chunks());
  run->leave();
}

// Workers enough for so many chunks, if they are not here.
void Executor::invite(BoundPlan& run, std::int64_t chunks) {
  const int wanted = static_cast<int>(std::min<std::int64_t>(lanes_[0]->workers(), chunks));
  int here = run.lookers().load(std::memory_order_seq_cst);
  while (here < wanted) {
    if (!run.lookers().compare_exchange_weak(here, here + 1, std::memory_order_seq_cst)) continue;
    lanes_[0]->submit_to_worker(std::make_shared<RunJob>(*this, run.shared_from_this()));
    ++here;
  }
}

// The run that began as the place-th of those that are not over; null: there are not as many.
std::shared_ptr<BoundPlan> Executor::join_at(std::size_t place) {
  const std::lock_guard lock(runs_lock_);
  if (place >= runs_.size()) return nullptr;
  runs_[place]->join();
  return runs_[place];
}

// A run that waits for a message must not keep others back: what the peer waits for, before it sends, may be in them.
bool Executor::work_on_any(int patience) {
  for (int looks = 0; looks < patience && run_count_.load(std::memory_order_acquire) > 0; looks += kShortPatience) {
    if (run_count_.load(std::memory_order_acquire) == 1) {
      const std::shared_ptr<BoundPlan> run = join_at(0);
      return run && work_on(*run, patience - looks);
    }
    bool worked = false;
    std::shared_ptr<BoundPlan> run;
    for (std::size_t place = 0; (run = join_at(place)); ++place) worked = work_on(*run, kShortPatience) || worked;
    if (worked) return true;
  }
  return false;
}

void Executor::work_meanwhile() {
  if (run_count_.load(std::memory_order_relaxed) == 0 || players() > 1) return;
  if (const std::shared_ptr<BoundPlan> run = join_at(0)) work_on(*run, 1);
}

bool Executor::join(BoundPlan& run) {
  const std::lock_guard lock(runs_lock_);
  if (std::none_of(runs_.begin(), runs_.end(), [&](const auto& one) { return one.get() == &run; })) return false;
  run.join();
  return true;
}

// Of a run that this thread has joined; leaves it when it is over, or nothing has been ready for a while. False where
// there was nothing to do.
bool Executor::work_on(BoundPlan& run, int patience) {
  const int worker = device::current_worker();
  const int player = worker < 0 ? players() - 1 : worker;
  const bool alone = players() == 1;
  bool worked = false;
  int own = 0, first = 0;  // what is before them is taken: by this thread's share, altogether
  int& next = alone ? run.next : own;
  const int far = alone ? 1 : 8;  // looks until others' shares, and later items, are looked at
  for (int looks = 0; looks < patience && !run.is_over() && !failed(); ++looks) {
    if (alone) first = next;
    const bool found = looks % 16 != far ? work_in_order(run, next, player) : work_ahead(run, first, player);
    if (found || poll()) {
      worked = worked || found;
      looks = -1;
    } else {
      device::pause_core();
    }
  }
  run.leave();
  return worked;
}

// What became ready while a worker was about to leave.
void Executor::look_again(BoundPlan& run) {
  if (failed() || !join(run)) return;
  for (int item = 0; item < run.size() && !run.is_over(); ++item) {
    if (is_message(run.instruction(item)) || !run.is_ready(item) || !run.has_chunks(item)) continue;
    invite(run, 1);
    break;
  }
  run.leave();
}

// This thread's share of the next item, if that is ready: nothing is looked at that others write, but whether it is.
bool Executor::work_in_order(BoundPlan& run, int& next, int player) {
  bool worked = false;
  for (; next < run.size() && run.is_ready(next); ++next) {
    if (is_message(run.instruction(next))) continue;
    for (std::int64_t chunk = run.take_own(next, player); chunk >= 0; chunk = run.take_own(next, player)) {
      worked = true;
      run_chunk(run, next, chunk);
    }
  }
  return worked;
}

// A chunk of whoever's share, of the first item that has one, or of the next ones behind those that are not ready.
bool Executor::work_ahead(BoundPlan& run, int& first, int player) {
  constexpr int kAhead = 8;
  int waiting = 0;
  for (int item = first; item < run.size() && waiting < kAhead; ++item) {
    if (!run.is_ready(item)) {
      ++waiting;
      continue;
    }
    const std::int64_t chunk = is_message(run.instruction(item)) ? -1 : run.take_any(item, player);
    if (chunk >= 0) {
      run_chunk(run, item, chunk);
      return true;
    }
    if (item == first) ++first;
  }
  return false;
}

void Executor::run_chunk(BoundPlan& run, int item, std::int64_t chunk) {
  run_chunk(run.instruction(item), chunk);
  finish_chunk(run, item);
}

// What waited for it, and waits for nothing more, is ready: messages go at once; the rest is found by those who take
// part, and where there are too few, others are asked to.
void Executor::finish_chunk(BoundPlan& run, int item) {
  if (failed()) return;
  const auto& items = run.plan_template().items();
  const std::vector<int>& dependents = items[static_cast<std::size_t>(item)].dependents;
  if (dependents.empty()) {
    if (run.finish_one()) end(run);
    return;
  }
  for (const int dependent : dependents) {
    if (!run.arrive(dependent)) continue;
    if (is_message(run.instruction(dependent))) {
      transfer(run, dependent);
    } else {
      invite(run, items[static_cast<std::size_t>(dependent)].chunks);
    }
  }
}

// A message is here.
void Executor::finish_message(BoundPlan& run, int item) {
  run.join();
  finish_chunk(run, item);
  run.leave();
}

void Executor::end(BoundPlan& run) {
  Node* node = static_cast<Node*>(run.node);
  {
    const std::lock_guard lock(runs_lock_);
    std::erase_if(runs_, [&](const auto& one) { return one.get() == &run; });
    run_count_.fetch_sub(1, std::memory_order_release);
    run.end();
  }
  complete(node);
}

// A small message is gone at once: nobody need ask for it.
void Executor::transfer(BoundPlan& run, int item) {
  if (messages_.post(run, item)) finish_message(run, item);
}

}  // namespace pilum::scheduler
