#include "scheduler/plan/early_reads.h"

#include <algorithm>

namespace pilum::scheduler {
namespace {

bool writes(const Task& task, const Store& store) {
  const auto is_store = [&store](const Argument& argument) { return argument.store().get() == &store; };
  return std::ranges::any_of(task.writes, is_store) || std::ranges::any_of(task.reductions, is_store);
}

}  // namespace

Incoming EarlyReads::plan_read(PlanBuilder& builder, Exchange& exchange, std::size_t number,
                               std::vector<Instance*>& bound) {
  const Argument& read = builder.task().reads[number];
  PlanBuilder::CopiesTogether together(builder);
  Incoming incoming = exchange.plan_read(read, bound);
  if (const auto early = early_.find({builder.task_number(), number}); early != early_.end()) {
    for (std::size_t p = 0; p < incoming.size(); ++p) incoming[p] += early->second[p];
    early_.erase(early);
  }
  if (builder.task().kernel()) plan_later(builder, exchange, *read.store());
  together.end();
  return incoming;
}

void EarlyReads::plan_later(PlanBuilder& builder, Exchange& exchange, const Store& store) {
  std::size_t& looked = looked_[&store];
  std::size_t next = builder.task_number();
  if (looked > next) return;
  for (; next < tasks_.size() && !writes(tasks_[next], store); ++next) {
    const Task& task = tasks_[next];
    if (next == builder.task_number() || !task.kernel() || task.distribution.is_replicated()) continue;
    const PlanBuilder::Instead later(builder, task);
    for (std::size_t number = 0; number < task.reads.size(); ++number) {
      if (task.reads[number].store().get() != &store) continue;
      std::vector<Instance*> bound;
      early_[{next, number}] = exchange.plan_read(task.reads[number], bound);
    }
  }
  looked = next;
}

}  // namespace pilum::scheduler
