// What a window's tasks are made of and what they move, where somebody asks: `--explain` and `--show-stats`.
#include "scheduler/analyze/traffic.h"
#include "scheduler/plan/instruction_counts.h"
#include "scheduler/record/task_launch.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

FusedGroup describe(const Task& task, GroupNotes notes, const Traffic& traffic, const InstructionTotals& instructions,
                    int processors) {
  FusedGroup group;
  group.notes = std::move(notes);
  for (int axis = 0; axis < task.domain.rank; ++axis) group.shape.push_back(task.domain.extent(axis));
  group.traffic = traffic;
  group.on_all = processors > 1 && task.distribution.is_replicated();
  for (const TaskWrite& write : task.writes) group.in_registers += write.kept ? 0 : 1;
  group.instructions = instructions;
  return group;
}

}  // namespace

// While the window's stores have their numbers.
void Session::count_traffic_of(const std::vector<Task>& tasks, const std::vector<WindowStore>& stores, Told& told) {
  if (printer_->shows_fusion()) told.whole = count_traffic(tasks, stores);
  if (!parts_.config.show_stats) return;
  const int processors = parts_.machine.processors_per_rank;
  for (const Traffic& traffic : count_traffic(tasks, stores, {rank() * processors, processors})) told.own += traffic;
  plan_traffic_ += told.own;
}

void Session::plan_and_tell(const std::vector<Task>& tasks, const std::vector<std::vector<Store*>>& deaths, Told& told,
                            Plan& plan) {
  if (!printer_->shows_fusion()) return planner_->plan(tasks, deaths, plan);
  PlanObserver* const observer = planner_->rank().observer;
  InstructionCounts counts(tasks.size(), observer);
  planner_->set_observer(&counts);
  try {
    planner_->plan(tasks, deaths, plan);
  } catch (...) {
    planner_->set_observer(observer);
    throw;
  }
  planner_->set_observer(observer);
  std::vector<FusedGroup> groups;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    groups.push_back(
        describe(tasks[i], std::move(told.notes[i]), told.whole[i], counts.by_task()[i], parts_.machine.processors()));
  told.entry = printer_->print_fusion(plan.window, groups, window_end_);
}

// Operations that ran one by one: each reads and writes memory.
void Session::count_direct(const std::vector<Operation>& operations) {
  printer_->count_direct(operations.size());
  if (!parts_.config.show_stats) return;
  Traffic traffic;
  for (const Operation& operation : operations) {
    for_each_view(operation, [&traffic](const View& view, bool write) {
      std::int64_t bytes = static_cast<std::int64_t>(itemsize(view.store->dtype));
      for (int k = 0; k < view.map.store_rank; ++k) {
        if (view.map[k].axis >= 0) bytes *= view.shape[view.map[k].axis];
      }
      (write ? traffic.written : traffic.read) += bytes;
    });
  }
  traffic.least = traffic.moved();
  plan_traffic_ += traffic;
}

// A plan that was found again; `into`: the plan that it becomes a part of.
void Session::count_again(const CachedPlan& cached, CachedPlan* into) {
  plan_traffic_ += cached.traffic;
  for (const FusionEntry& entry : cached.fusion) printer_->count_again(entry);
  if (!into) return;
  into->traffic += cached.traffic;
  into->fusion.insert(into->fusion.end(), cached.fusion.begin(), cached.fusion.end());
}

}  // namespace pilum::scheduler
