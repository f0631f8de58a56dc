// Windows that do not come again are run without a plan.
#include <algorithm>

#include "scheduler/print/printer.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

constexpr int kOften = 1;  // times that a window came and ran directly, after which a plan of it is worth its while

}  // namespace

// On one rank, or one processor a rank. What is gathered for it all ranks see; whether windows run so is each rank's
// own business: where somebody wants to see plans they do not.
void Session::make_direct() {
  if (parts_.config.direct_after == 0) return;
  if (parts_.machine.ranks > 1 && parts_.machine.processors_per_rank > 1) return;
  gathers_ = parts_.machine.processors() > 1 || staging_;
  const bool is_told = prints_every_plan(parts_.config) || !parts_.config.profile.empty();
  if (executes() && !is_told) direct_ = std::make_unique<DirectWindow>(*planner_, *parts_.jit);
}

// Operations that were planned in vain, after which windows run directly. Where arrays leave a GPU for it, more.
std::size_t Session::direct_after() const {
  constexpr std::size_t kTimesOnGpus = 8;
  return static_cast<std::size_t>(parts_.config.direct_after) * (staging_ ? kTimesOnGpus : 1);
}

void Session::note_planned(std::size_t operations) {
  planned_in_vain_ = std::min(planned_in_vain_ + operations, 2 * direct_after());
}

// Times that a plan is used before it has taken less time than no plan. A GPU's is issued as soon as its operations
// would have run here.
void Session::note_found(std::size_t operations) {
  const std::size_t worth = staging_ ? 8 : 32;
  planned_in_vain_ -= std::min(planned_in_vain_, operations / worth);
}

// Of a window that could: false where it is to be planned, as one is that was seen before, as long as the plans that
// are kept for that are found. `window`: null where it brings cells from outside.
bool Session::is_to_run_directly(std::size_t operations, const WindowKey* window) {
  if (staging_ && direct_->has_left_gpus()) return true;  // a plan would move its arrays back
  if (planned_in_vain_ + 1 < direct_after()) {
    note_planned(operations);
    return false;
  }
  if (window && cache_.count_unplanned(window->key.hash) >= kOften && !cache_.wastes_plans()) return false;
  return !staging_ || parts_.jit->is_quick();  // else each form of an operation would be a compiler's run
}

// Windows that could not, large ones or with arrays that are cut, say nothing of what plans are worth.
bool Session::run_directly(const std::vector<Operation>& operations, const std::vector<Operation>& later,
                           WindowKey* window, Plan& plan) {
  could_run_directly_ = direct_ && cache_.enabled() && !on_plan_ && direct_->find_places(operations, later);
  if (!could_run_directly_) return false;
  if (!is_to_run_directly(operations.size(), window)) {
    direct_->forget_places();
    return false;
  }
  if (direct_->needs_memory()) {
    if (window) window->take_states();
    direct_->make_memory(plan);
  }
  if (plan.instructions.empty()) {
    wait_for_executor();
  } else {
    execute_so_far(plan);
  }
  if (first_plan_at_ == 0 && parts_.config.show_stats) first_plan_at_ = profile::now();
  try {
    const profile::BusyScope busy(profile_.busy);
    direct_->run(operations);
  } catch (const std::exception& error) {
    Instruction failed;
    failed.name = direct_->running().name;
    failed.where = direct_->running().where;
    executor_.fail(failed, error);
    executor_.check();
  }
  count_direct(operations);
  profile_.counters.tasks.add(static_cast<std::int64_t>(operations.size()));
  profile_.counters.launches.add(static_cast<std::int64_t>(operations.size()));
  return true;
}

}  // namespace pilum::scheduler
