#include "scheduler/execute/replay_engine.h"

#include <algorithm>
#include <utility>

#include "runtime/base/hash.h"
#include "scheduler/execute/executor.h"
#include "scheduler/execute/explain.h"

namespace pilum::scheduler {
namespace {

// Looks for something that is ready, before a thread leaves a run.
constexpr int kSpinBudget = 400;     // some 10 µs
constexpr int kShortSpinBudget = 2;  // of one that has more to record

bool is_message(const BoundPlan& run, int batch) {
  return is_message(run.first_of(batch));  // a message is a batch of its own
}

}  // namespace

// A worker is asked to take part in a run, which may be over, or another time round, when it comes to it.
class ReplayEngine::RunJob final : public device::Job {
 public:
  RunJob(ReplayEngine& engine, std::shared_ptr<BoundPlan> run)
      : engine_(engine),
        run_(std::move(run)),
        wakes_(engine.host_.all_asleep()),
        submitted_(HandOffCost::Clock::now()) {}
  std::int64_t chunks() const override { return 1; }
  void run(std::int64_t) override {
    if (!wakes_) engine_.host_.hand_off_cost().learn(HandOffCost::Clock::now() - submitted_);
    if (engine_.join(*run_)) engine_.work_on(*run_, kSpinBudget);
    run_->searchers().fetch_sub(1, std::memory_order_seq_cst);
    engine_.search_again(*run_);
  }
  void done() override {}

 private:
  ReplayEngine& engine_;
  std::shared_ptr<BoundPlan> run_;
  bool wakes_;
  HandOffCost::Clock::time_point submitted_;
};

// How many workers are asked to take part. Where one thread is as fast, nobody is: of a plan of few bytes, or where one
// thing comes after the other and the program, too, waits for it.
int ReplayEngine::count_helpers(const ReplayedPlan& plan) {
  const PlanTemplate& made = plan.run->plan_template();
  if (host_.workers() == 0 || (plan.awaited && made.is_chain())) return 0;
  HandOffCost& cost = host_.hand_off_cost();
  const bool asleep = host_.all_asleep();
  if (!cost.is_worth(made.bytes_touched(), plan.run->size(), asleep)) return 0;
  return std::min(host_.workers(), cost.threads_for(made.bytes_touched(), plan.run->size(), asleep));
}

void ReplayEngine::begin(Node& node, const ReplayedPlan& plan) {
  const std::shared_ptr<BoundPlan> run = plan.run;
  run->node = &node;
  run->next = 0;
  run->begin();
  const PlanTemplate& replay = run->plan_template();
  if (run->size() == 0) {
    run->end();
    return executor_.complete(node);
  }
  run->helpers = count_helpers(plan);
  {
    const ScopedLock lock(lock_);
    runs_.push_back(run);
    run_count_.fetch_add(1, std::memory_order_release);
    run->join();
  }
  for (const int batch : replay.roots()) {
    if (is_message(*run, batch)) transfer(*run, batch);
  }
  if (run->helpers == 0) {
    work_on(*run, host_.workers() == 0 ? kShortSpinBudget : kSpinBudget);
    return;
  }
  invite(*run, replay.most_chunks());
  run->leave();
}

// Workers enough for so many chunks, if they are not here; no more than it is worth.
void ReplayEngine::invite(BoundPlan& run, std::int64_t chunks) {
  const int most = std::min(host_.workers(), std::max(run.helpers, 1));
  const int wanted = static_cast<int>(std::min<std::int64_t>(most, chunks));
  int here = run.searchers().load(std::memory_order_seq_cst);
  while (here < wanted) {
    if (!run.searchers().compare_exchange_weak(here, here + 1, std::memory_order_seq_cst)) continue;
    host_.submit_to_worker(std::make_shared<RunJob>(*this, run.shared_from_this()));
    ++here;
  }
}

// The run that began as the place-th of those that are not over; null: there are not as many.
std::shared_ptr<BoundPlan> ReplayEngine::join_at(std::size_t place) {
  const ScopedLock lock(lock_);
  if (place >= runs_.size()) return nullptr;
  runs_[place]->join();
  return runs_[place];
}

// A run that waits for a message must not keep others back: what the peer waits for, before it sends, may be in them.
bool ReplayEngine::work(int spin_budget) {
  for (int spins = 0; spins < spin_budget && run_count_.load(std::memory_order_acquire) > 0;
       spins += kShortSpinBudget) {
    if (run_count_.load(std::memory_order_acquire) == 1) {
      const std::shared_ptr<BoundPlan> run = join_at(0);
      return run && work_on(*run, spin_budget - spins);
    }
    bool worked = false;
    std::shared_ptr<BoundPlan> run;
    for (std::size_t place = 0; (run = join_at(place)); ++place) worked = work_on(*run, kShortSpinBudget) || worked;
    if (worked) return true;
  }
  return false;
}

void ReplayEngine::work_on_first() {
  if (const std::shared_ptr<BoundPlan> run = join_at(0)) work_on(*run, 1);
}

bool ReplayEngine::join(BoundPlan& run) {
  const ScopedLock lock(lock_);
  if (std::none_of(runs_.begin(), runs_.end(), [&](const auto& one) { return one.get() == &run; })) return false;
  run.join();
  return true;
}

// Of a run that this thread has joined; leaves it when it is over, or nothing has been ready for a while. False where
// there was nothing to do.
bool ReplayEngine::work_on(BoundPlan& run, int spin_budget) {
  const int worker = device::current_worker();
  const int participant = worker < 0 ? host_.participants() - 1 : worker;
  const bool alone = host_.participants() == 1;
  bool worked = false;
  int own = 0, first = 0;  // what is before them is taken: by this thread's share, altogether
  int& next = alone ? run.next : own;
  const int far = alone ? 1 : 8;         // spins until others' shares, and later items, are looked at
  const bool stays = spin_budget > far;  // for whatever becomes ready here
  for (int spins = 0; spins < spin_budget && !run.is_over() && !failure_.failed(); ++spins) {
    if (alone) first = next;
    const bool found =
        spins % 16 != far ? work_in_order(run, next, participant, stays) : work_ahead(run, first, participant, stays);
    if (found || executor_.poll()) {
      worked = worked || found;
      spins = -1;
    } else {
      device::pause_core();
    }
  }
  run.leave();
  return worked;
}

// What became ready while a worker was about to leave.
void ReplayEngine::search_again(BoundPlan& run) {
  if (failure_.failed() || !join(run)) return;
  for (int batch = 0; batch < run.batches() && !run.is_over(); ++batch) {
    if (is_message(run, batch) || !run.is_ready(batch) || !run.has_chunks(batch)) continue;
    invite(run, 1);
    break;
  }
  run.leave();
}

// This thread's share of the next batch, if that is ready: nothing is looked at that others write, but whether it is.
bool ReplayEngine::work_in_order(BoundPlan& run, int& next, int participant, bool stays) {
  bool worked = false;
  const std::vector<Batch>& batches = run.plan_template().batches();
  for (; next < run.batches(); ++next) {
    const int owner = batches[static_cast<std::size_t>(next)].owner;
    if (owner != Batch::kNobody && owner != participant) continue;
    if (is_message(run, next)) continue;
    if (!run.is_ready(next)) break;
    for (std::int64_t chunk = run.take_own(next, participant); chunk >= 0; chunk = run.take_own(next, participant)) {
      worked = true;
      run_chunk(run, next, chunk, participant, stays);
    }
  }
  return worked;
}

// A chunk of whoever's share, of the first batch that has one, or of the next ones behind those that are not ready. In
// a wavefront of several ranks a message may wait for any of them: each rank has an order of its own.
bool ReplayEngine::work_ahead(BoundPlan& run, int& first, int participant, bool stays) {
  const PlanTemplate& made = run.plan_template();
  const int ahead = made.is_wavefront() && made.has_messages() ? run.batches() : 8;
  int waiting = 0;
  for (int batch = first; batch < run.batches() && waiting < ahead; ++batch) {
    if (!run.is_ready(batch)) {
      ++waiting;
      continue;
    }
    const std::int64_t chunk = is_message(run, batch) ? -1 : run.take_any(batch, participant);
    if (chunk >= 0) {
      run_chunk(run, batch, chunk, participant, stays);
      return true;
    }
    if (batch == first) ++first;
  }
  return false;
}

void ReplayEngine::run_chunk(BoundPlan& run, int number, std::int64_t chunk, int participant, bool stays) {
  const Batch& batch = run.plan_template().batches()[static_cast<std::size_t>(number)];
  run.begin_chunk(number, participant);
  for (int item = batch.first; item < batch.first + batch.count; ++item) host_.run_chunk(run.instruction(item), chunk);
  run.end_chunk(participant);
  finish_chunk(run, number, stays);
}

// What waited for it, and waits for nothing more, is ready: messages go at once; the rest is found by those who take
// part, and where there are too few, others are asked to. Who stays takes a chunk himself: for that nobody is woken, so
// a chain is one thread's.
void ReplayEngine::finish_chunk(BoundPlan& run, int number, bool stays) {
  if (failure_.failed()) return;
  const std::vector<Batch>& batches = run.plan_template().batches();
  const std::vector<int>& dependents = batches[static_cast<std::size_t>(number)].dependents;
  if (dependents.empty()) {
    if (run.finish_one()) end(run);
    return;
  }
  std::int64_t chunks = stays ? -1 : 0;
  for (const int dependent : dependents) {
    if (!run.arrive(dependent)) continue;
    if (is_message(run, dependent)) {
      transfer(run, dependent);
    } else {
      chunks += batches[static_cast<std::size_t>(dependent)].chunks;
    }
  }
  if (chunks > 0 && (run.helpers > 0 || !stays)) invite(run, chunks);
}

// A message is here.
void ReplayEngine::finish_message(BoundPlan& run, int batch) {
  run.join();
  run.finish_message(batch);
  finish_chunk(run, batch, /*stays=*/false);
  run.leave();
}

void ReplayEngine::end(BoundPlan& run) {
  Node& node = *static_cast<Node*>(run.node);
  {
    const ScopedLock lock(lock_);
    std::erase_if(runs_, [&](const auto& one) { return one.get() == &run; });
    run_count_.fetch_sub(1, std::memory_order_release);
    run.end();
  }
  executor_.complete(node);
}

// A small message is gone at once: nobody need ask for it.
void ReplayEngine::transfer(BoundPlan& run, int batch) {
  if (!executor_.count_posted(run.first_of(batch)) || messages_.post(run, batch)) finish_message(run, batch);
}

std::uint64_t ReplayEngine::progress_signature() {
  std::uint64_t signature = 0;
  const ScopedLock lock(lock_);
  for (const auto& run : runs_) signature = mix(signature, run->progress());
  return signature;
}

Activity ReplayEngine::describe_activity() {
  const ScopedLock lock(lock_);
  for (const auto& run : runs_) {
    for (int batch = 0; batch < run->batches(); ++batch) {
      if (!run->is_ready(batch) || run->is_done(batch)) continue;
      const int others = run->plan_template().batches()[static_cast<std::size_t>(batch)].count - 1;
      return {-1, "runs " + name_and_place(run->first_of(batch)) +
                      (others > 0 ? ", or one of the next " + std::to_string(others) : std::string())};
    }
  }
  return {};
}

}  // namespace pilum::scheduler
