// Messages that set out together: small ones between two processors are one.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "scheduler/plan/plan_builder.h"

namespace pilum::scheduler {

// A message costs its latency, and on GPUs a flag, a wait and two copies, whatever it carries. What goes as one
// follows from cells and bytes in the order in which they are added: both ends find the same. Processors of other ranks
// go by their numbers of the machine, those of this one by their places in it.
class MessageBatch {
 public:
  explicit MessageBatch(PlanBuilder& builder);

  void send(int owner, int to, const Region& cells, const Store& store, const ProcessorStore& holder);
  void receive(int from, int receiver, const Region& cells, const Store& store, const Instance& instance);
  // Plans what was added, pair by pair.
  void plan_sends();
  void plan_receives();

 private:
  template <class Part>
  using Messages = std::map<std::pair<int, int>, std::vector<Part>>;
  template <class Part>
  Part& add(std::vector<Part>& parts, const Region& cells, const Store& store) const;
  template <class Part, class Plan>
  void for_each_message(const std::vector<Part>& parts, Plan plan) const;

  PlanBuilder& builder_;
  std::int64_t most_of_part_ = 0, most_of_message_ = 0;  // bytes that join others
  Messages<PlanBuilder::Outgoing> outgoing_;
  Messages<PlanBuilder::Arriving> arriving_;
};

}  // namespace pilum::scheduler
