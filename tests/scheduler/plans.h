// Plans of simulated machines, and questions to them.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum::scheduler {

inline fakes::SimulatedRanks machine_of(int ranks, int processors_per_rank = 1) {
  fakes::SimulatedRanks machine;
  machine.ranks = ranks;
  machine.processors_per_rank = processors_per_rank;
  return machine;
}

// The plans of one rank for a program that calls cut() where a plan shall end.
using Cut = std::function<void()>;
inline std::vector<Plan> plans_of(const fakes::SimulatedRanks& machine, int rank,
                                  const std::function<void(const Cut&)>& program) {
  fakes::PlanningSession session(machine, rank);
  std::vector<Plan> plans;
  program([&] { plans.push_back(session.take_plan()); });
  return plans;
}

inline std::int64_t copied_bytes(const Plan& plan) {
  std::int64_t sum = 0;
  for (const Copy* copy : plan.all<Copy>()) sum += copy->bytes();
  return sum;
}
inline std::int64_t allocated_bytes(const Plan& plan) {
  std::int64_t sum = 0;
  for (const Allocate* allocate : plan.all<Allocate>()) sum += static_cast<std::int64_t>(allocate->bytes);
  return sum;
}
inline std::int64_t edges(const Plan& plan) {
  std::int64_t sum = 0;
  for (const Launch* launch : plan.all<Launch>()) sum += launch->boundary;
  return sum;
}
// Bytes by peer, message by message.
inline std::map<int, std::vector<std::size_t>> sent(const Plan& plan) {
  std::map<int, std::vector<std::size_t>> bytes;
  for (const Send* send : plan.all<Send>()) bytes[send->to].push_back(send->bytes);
  return bytes;
}
inline std::map<int, std::vector<std::size_t>> received(const Plan& plan) {
  std::map<int, std::vector<std::size_t>> bytes;
  for (const Receive* receive : plan.all<Receive>()) bytes[receive->from].push_back(receive->bytes);
  return bytes;
}

}  // namespace pilum::scheduler
