#include "scheduler/plan/early_reads.h"

#include <algorithm>

namespace pilum::scheduler {
namespace {

bool writes(const Task& task, const Store& store) {
  const auto is_store = [&store](const Argument& argument) { return argument.store().get() == &store; };
  return std::ranges::any_of(task.writes, is_store) || std::ranges::any_of(task.reductions, is_store);
}

}  // namespace

std::vector<BoundRead> EarlyReads::plan_reads(PlanBuilder& builder, Exchange& exchange) {
  const std::size_t current = builder.task_number(), own = builder.task().reads.size();
  std::vector<Place> places;
  for (std::size_t number = 0; number < own; ++number) places.emplace_back(current, number);
  if (builder.task().kernel()) {
    for (const Argument& read : builder.task().reads) find_later(current, *read.store(), places);
  }
  std::vector<Reading> readings;
  readings.reserve(places.size());
  for (const auto& [task, number] : places) readings.push_back({&tasks_[task], &tasks_[task].reads[number]});
  PlanBuilder::CopiesTogether together(builder);
  std::vector<BoundRead> bound = exchange.plan_reads(readings);
  together.end();
  for (std::size_t i = own; i < bound.size(); ++i) early_[places[i]] = std::move(bound[i].incoming);
  bound.resize(own);
  for (std::size_t number = 0; number < own; ++number) {
    const auto early = early_.find({current, number});
    if (early == early_.end()) continue;
    Incoming& incoming = bound[number].incoming;
    for (std::size_t p = 0; p < incoming.size(); ++p) incoming[p] += early->second[p];
    early_.erase(early);
  }
  return bound;
}

// A task that writes the store reads it before.
void EarlyReads::find_later(std::size_t current, const Store& store, std::vector<Place>& later) {
  std::size_t& looked = looked_[&store];
  if (looked > current || writes(tasks_[current], store)) return;
  std::size_t next = current + 1;
  for (bool unwritten = true; unwritten && next < tasks_.size(); ++next) {
    const Task& task = tasks_[next];
    unwritten = !writes(task, store);
    if (!task.kernel() || task.distribution.is_replicated()) continue;
    for (std::size_t number = 0; number < task.reads.size(); ++number) {
      if (task.reads[number].store().get() == &store) later.emplace_back(next, number);
    }
  }
  looked = next;
}

}  // namespace pilum::scheduler
