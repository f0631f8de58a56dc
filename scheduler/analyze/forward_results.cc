#include "scheduler/analyze/forward_results.h"

#include <algorithm>
#include <memory>

#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/window_values.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

// All cells of its store, whatever the order of the axes; but for axes of one cell, which it may lack.
bool is_whole(const View& view) {
  if (view.shape.elements() != view.store->shape.elements()) return false;
  for (int k = 0; k < view.map.store_rank; ++k) {
    const bool is_lacking = view.map[k].axis < 0 && view.store->shape[k] == 1;
    if (!is_lacking && (view.map[k].axis < 0 || view.map[k].scale != 1 || view.map[k].offset != 0)) return false;
  }
  return true;
}

// The view of cells that are copied, of where they are copied to: `source` to `target`, both whole. An axis that one of
// them lacks has one cell.
View moved(const View& view, const View& source, const View& target) {
  View other = view;
  other.store = target.store;
  other.map.store_rank = target.map.store_rank;
  for (int k = 0; k < target.map.store_rank; ++k) {
    const int from = source.map.store_axis_of(target.map[k].axis);
    other.map[k] = from < 0 ? partitioner::AxisMap{} : view.map[from];
  }
  return other;
}

// The launch's argument that is the store, where it is one and is only written; -1: it is not so.
int find_result(const TaskLaunch& launch, const Store& store) {
  int found = -1;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    if (argument.store().get() != &store) continue;
    if (found >= 0 || argument.footprint.access != kernel::Access::Write) return -1;
    found = static_cast<int>(i);
  }
  return found;
}

class Forwarding {
 public:
  Forwarding(const WindowOperations& window, const std::vector<WindowStore>& stores)
      : window_(window), stores_(stores), values_(window.operations, stores) {}

  // The launch that makes what this operation copies, and may write where that is copied to; -1: there is none.
  int launch_for(std::size_t copy) const {
    const View* source = copied_view(window_.operations[copy]);
    if (!source || source->map.store_rank == 0 || source->store->state || !is_gone(*source->store) ||
        !is_whole(*source))
      return -1;
    const View& target = *window_.operations[copy].output();
    const auto& writers = values_.writers_of(*source->store);
    const auto& readers = values_.readers_of(*source->store);
    if (!is_whole(target) || writers.size() != 1 || readers.size() != 1 || writers[0] >= copy) return -1;
    const TaskLaunch* launch = window_.operations[writers[0]].launch();
    if (!launch || launch->body->does_io || find_result(*launch, *source->store) < 0) return -1;
    const auto is_near = [&](std::size_t number) { return number >= writers[0] && number < copy; };
    if (std::ranges::any_of(values_.writers_of(*target.store), is_near)) return -1;
    if (std::ranges::any_of(values_.readers_of(*target.store), is_near)) return -1;
    return static_cast<int>(writers[0]);
  }

  // The operation, writing what the copy writes.
  Operation forwarded(std::size_t number, std::size_t copy) const {
    Operation operation = window_.operations[number];
    auto& launch = std::get<TaskCall>(operation.what).launch;
    const View& source = *copied_view(window_.operations[copy]);
    auto other = std::make_shared<TaskLaunch>(*launch);
    View& result = other->arguments[static_cast<std::size_t>(find_result(*launch, *source.store))].view;
    result = moved(result, source, *window_.operations[copy].output());
    launch = std::move(other);
    return operation;
  }

 private:
  bool is_gone(const Store& store) const { return stores_[place_of(store)].is_gone; }

  const WindowOperations& window_;
  const std::vector<WindowStore>& stores_;
  WindowValues values_;
};

}  // namespace

Rewritten forward_results(const WindowOperations& window, std::vector<WindowStore>& stores, const machine::Machine&) {
  const std::vector<Operation>& operations = window.operations;
  const auto is_launch = [](const Operation& operation) { return operation.launch() != nullptr; };
  if (std::ranges::none_of(operations, is_launch)) return {};
  const Forwarding forwarding(window, stores);
  std::vector<int> copies(operations.size(), -1);  // by launch
  std::vector<bool> is_forwarded(operations.size());
  for (std::size_t number = 0; number < operations.size(); ++number) {
    const int launch = forwarding.launch_for(number);
    if (launch < 0 || copies[static_cast<std::size_t>(launch)] >= 0) continue;
    copies[static_cast<std::size_t>(launch)] = static_cast<int>(number);
    is_forwarded[number] = true;
  }
  if (std::ranges::none_of(is_forwarded, [](bool is) { return is; })) return {};
  Rewritten rewritten;
  for (std::size_t number = 0; number < operations.size(); ++number) {
    if (is_forwarded[number]) continue;
    const int copy = copies[number];
    rewritten.add(copy < 0 ? operations[number] : forwarding.forwarded(number, static_cast<std::size_t>(copy)),
                  window.origin_of(number));
  }
  return rewritten;
}

}  // namespace pilum::scheduler
