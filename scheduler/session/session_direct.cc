// Windows that do not come again are run without a plan.
#include <algorithm>

#include "scheduler/print/printer.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

constexpr int kOften = 1;  // times that a window came and ran directly, after which a plan of it is worth its while

}  // namespace

// On one rank of cores; and where nobody wants to see plans.
void Session::make_direct() {
  const bool is_told = prints_every_plan(parts_.config) || !parts_.config.profile.empty();
  if (!executes() || parts_.machine.processors() > 1 || staging_ || is_told || parts_.config.direct_after == 0) return;
  direct_ = std::make_unique<DirectWindow>(*planner_, *planning_memories_[0], *parts_.jit);
}

void Session::note_planned(std::size_t operations) {
  planned_in_vain_ = std::min(planned_in_vain_ + operations, 2 * static_cast<std::size_t>(parts_.config.direct_after));
}

void Session::note_found(std::size_t operations) {
  constexpr std::size_t kWorth = 32;  // times that a plan is used before it has taken less time than no plan
  planned_in_vain_ -= std::min(planned_in_vain_, operations / kWorth);
}

// False: it is to be planned, as one is that was seen before, as long as the plans that are kept for that are found.
// `window`: null where it brings cells from outside.
bool Session::run_directly(const std::vector<Operation>& operations, const std::vector<Operation>& later,
                           WindowKey* window, Plan& plan) {
  if (!direct_ || !cache_.enabled() || on_plan_) return false;
  if (planned_in_vain_ + 1 < static_cast<std::size_t>(parts_.config.direct_after)) {
    note_planned(operations.size());
    return false;
  }
  if (window && cache_.count_unplanned(window->key.hash) >= kOften && !cache_.wastes_plans()) return false;
  if (!direct_->find_places(operations, later)) return false;
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
