#include "scheduler/plan/message_batch.h"

#include <span>

namespace pilum::scheduler {

// What joins others is packed, also where cores could send it as it lies.
MessageBatch::MessageBatch(PlanBuilder& builder)
    : builder_(builder),
      most_of_part_(builder.rank().on_gpus() ? 256 << 10 : 1 << 10),
      most_of_message_(builder.rank().on_gpus() ? 1 << 20 : 8 << 10) {}

// To what is there of the store, as long as that is still small, or one box.
template <class Part>
Part& MessageBatch::add(std::vector<Part>& parts, const Region& cells, const Store& store) const {
  for (Part& part : parts) {
    if (part.store != &store) continue;
    const Region both = part.cells + cells;
    if (both.rects().size() > 1 && bytes_of(both, store) > most_of_part_) continue;
    part.cells = both;
    return part;
  }
  return parts.emplace_back(cells, &store);
}

void MessageBatch::send(int owner, int to, const Region& cells, const Store& store, const ProcessorStore& holder) {
  add(outgoing_[{owner, to}], cells, store).from = &holder;
}

void MessageBatch::receive(int from, int receiver, const Region& cells, const Store& store, const Instance& instance) {
  auto& to = add(arriving_[{from, receiver}], cells, store).to;
  for (auto& [there, other] : to) {
    if (other == &instance) return void(there += cells);
  }
  to.emplace_back(cells, &instance);
}

// Large parts alone; small ones together, at the place of the first.
template <class Part, class Plan>
void MessageBatch::for_each_message(const std::vector<Part>& parts, Plan plan) const {
  std::vector<Part> joined;
  std::int64_t bytes = 0;
  const auto plan_joined = [&] {
    if (!joined.empty()) plan(std::span<const Part>(joined));
    joined.clear();
    bytes = 0;
  };
  for (const Part& part : parts) {
    const std::int64_t more = bytes_of(part.cells, *part.store);
    if (more > most_of_part_) {
      plan(std::span<const Part>(&part, 1));
      continue;
    }
    if (bytes + more > most_of_message_) plan_joined();
    bytes += more;
    joined.push_back(part);
  }
  plan_joined();
}

void MessageBatch::plan_sends() {
  for (const auto& [pair, parts] : outgoing_) {
    const int owner = pair.first, to = builder_.rank().machine.rank_of(pair.second);
    for_each_message(parts, [&, this](auto together) { builder_.send_joined(to, together, owner); });
  }
  outgoing_.clear();
}

void MessageBatch::plan_receives() {
  for (const auto& [pair, parts] : arriving_) {
    const int from = builder_.rank().machine.rank_of(pair.first), receiver = pair.second;
    for_each_message(parts, [&, this](auto together) { builder_.receive_joined(from, together, receiver); });
  }
  arriving_.clear();
}

}  // namespace pilum::scheduler
