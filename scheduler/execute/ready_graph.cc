#include "scheduler/execute/ready_graph.h"

#include <algorithm>
#include <utility>

#include "runtime/base/check.h"

namespace pilum::scheduler {

ReadyGraph::Added ReadyGraph::add(std::unique_ptr<const Plan> plan, FindQueue find_queue) {
  Added added;
  std::int64_t id = plan->first.value;
  if (nodes_.empty()) first_ = id;
  PILUM_CHECK(first_ + static_cast<std::int64_t>(nodes_.size()) == id, "plan {} starts at {}", plan->window, id);
  for (const Instruction& instruction : plan->instructions) {
    Node& node = nodes_.emplace_back();
    node.instruction = &instruction;
    node.id = InstructionId{id++};
    if (find_queue) node.queue = find_queue(instruction);
    for (const InstructionId number : instruction.after) {
      if (Node* before = find(number)) depend(node, *before);
    }
    if (node.queue != kHost) {
      added.on_queues.push_back(&node);
    } else if (node.pending == 0) {
      added.ready.push_back(&node);
    }
  }
  plans_.push_back(std::move(plan));
  return added;
}

ReadyGraph::Node* ReadyGraph::find(InstructionId id) {
  if (id.value < first_) return nullptr;
  return &nodes_[static_cast<std::size_t>(id.value - first_)];
}

void ReadyGraph::depend(Node& node, Node& before) {
  if (before.done) return;
  const auto wait_in = [&](std::vector<Node*>& line) {
    // Were it in line already, it would be the last one: what comes later is not added yet.
    PILUM_CHECK(line.empty() || line.back() != &node, "instruction {} names {} twice", node.id.value, before.id.value);
    line.push_back(&node);
    ++node.pending;
  };
  if (node.queue == kHost || before.queue == kHost) {
    before.awaited = true;
    wait_in(before.dependents);
    return;
  }
  before.awaited = before.awaited || before.queue != node.queue;
  if (!before.issued) wait_in(before.followers);
}

bool ReadyGraph::is_next(const Node& node) {
  for (next_ = std::max(next_, first_); next_ < node.id.value; ++next_) {
    const Node& before = nodes_[static_cast<std::size_t>(next_ - first_)];
    if (!before.done && !before.issued) return false;
  }
  return true;
}

void ReadyGraph::issue(Node& node) {
  node.issued = true;
  for (Node* follower : node.followers) --follower->pending;
}

void ReadyGraph::move_to_queue(Node& node, int queue) {
  node.queue = queue;
  node.issued = true;
}

void ReadyGraph::finish(Node& node, std::vector<Node*>& ready) {
  node.done = true;
  for (Node* dependent : node.dependents) {
    if (--dependent->pending == 0) ready.push_back(dependent);
  }
}

void ReadyGraph::drop_done() {
  while (!nodes_.empty() && nodes_.front().done) {
    nodes_.pop_front();
    ++first_;
  }
  const auto is_done = [this](const Plan& plan) {
    return plan.first.value + static_cast<std::int64_t>(plan.instructions.size()) <= first_;
  };
  while (!plans_.empty() && is_done(*plans_.front())) plans_.pop_front();
}

}  // namespace pilum::scheduler
