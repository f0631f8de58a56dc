#include "scheduler/fuser.h"

#include <algorithm>
#include <list>

#include "scheduler/group.h"
#include "scheduler/launch_placement.h"

namespace pilum::scheduler {
namespace {

constexpr std::size_t kLookBack = 12;  // groups an operation may be moved before

// The order in which a task's domain keeps an operation's axes: along the output's memory, without axes of one point.
struct AxisOrder {
  int count = 0;
  std::array<std::int8_t, kMaxAxes> from{};  // new axis -> old
  std::array<std::int8_t, kMaxAxes> to{};    // old axis -> new; -1: it has one point

  AxisOrder(const Rect& domain, const AffineMap& output) {
    to.fill(-1);
    for (int k = 0; k < output.store_rank; ++k) {
      const std::int8_t axis = output[k].axis;
      if (axis < 0 || domain.extent(axis) == 1) continue;
      to[static_cast<std::size_t>(axis)] = static_cast<std::int8_t>(count);
      from[static_cast<std::size_t>(count++)] = axis;
    }
  }

  Rect apply(const Rect& domain) const {
    Rect result{std::max(count, 1)};
    result.hi[0] = 1;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(count); ++axis) {
      result.hi[axis] = domain.hi[static_cast<std::size_t>(from[axis])];
    }
    return result;
  }

  AffineMap apply(AffineMap map) const {
    for (int k = 0; k < map.store_rank; ++k) {
      if (map[k].axis < 0) continue;
      map[k].axis = to[static_cast<std::size_t>(map[k].axis)];
      if (map[k].axis < 0) map[k].scale = 0;  // its one point is 0
    }
    map.view_rank = std::max(count, 1);
    return map;
  }
};

PlacedOperation place(const Operation& operation, const std::vector<WindowStore>& stores, bool one_processor,
                      int number) {
  PlacedOperation placed{&operation, domain_of(operation), output_map(operation), {}, operation.axis, {}, number};
  for (int i = 0; i < operation.input_count; ++i) {
    const Operand& input = operation.inputs[static_cast<std::size_t>(i)];
    if (!input.is_view()) continue;
    placed.inputs[static_cast<std::size_t>(i)] = input.view.map;
    placed.inputs[static_cast<std::size_t>(i)].view_rank = std::max(input.view.map.view_rank, 1);
  }
  if (operation.kind == OperationKind::Elementwise) {
    const AxisOrder order(placed.domain, placed.output);
    placed.domain = order.apply(placed.domain);
    placed.output = order.apply(placed.output);
    for (AffineMap& map : placed.inputs) map = order.apply(map);
    if (operation.op == kernel::Op::Index) placed.axis = order.to[static_cast<std::size_t>(operation.axis)];
  }
  const Tiling& output = stores[static_cast<std::size_t>(operation.output.store->window_index)].tiling;
  if (one_processor) {
    placed.distribution = Tiling::replicated(placed.domain);
  } else if (operation.kind == OperationKind::Reduce) {
    const Tiling& input = stores[static_cast<std::size_t>(operation.inputs[0].view.store->window_index)].tiling;
    placed.distribution = input.pull_back(placed.inputs[0], placed.domain);
  } else {
    placed.distribution = output.pull_back(placed.output, placed.domain);
  }
  return placed;
}

void mark(const Store& store, std::vector<WindowStore>& stores, int group) {
  int& only = stores[static_cast<std::size_t>(store.window_index)].group;
  only = only == WindowStore::kNoGroup || only == group ? group : WindowStore::kSeveral;
}

// Appends operations to groups.
class Fuser {
 public:
  explicit Fuser(std::vector<WindowStore>& stores) : stores_(stores) {}

  void add(const PlacedOperation& placed) {
    std::vector<std::unique_ptr<Group>>& groups = groups_;
    std::size_t target = groups.size();
    for (std::size_t back = 0; back < std::min(kLookBack, groups.size()); ++back) {
      const std::size_t candidate = groups.size() - 1 - back;
      if (groups[candidate]->can_join(placed)) {
        target = candidate;
        break;
      }
      if (groups[candidate]->depends(placed)) break;
    }
    if (target == groups.size()) {
      groups.push_back(std::make_unique<Group>(placed));
    } else {
      groups[target]->join(placed);
    }
    for_each_view(*placed.operation,
                  [&](const View& view, bool) { mark(*view.store, stores_, static_cast<int>(target)); });
  }

  std::vector<Task> finish() {
    std::vector<Task> tasks;
    tasks.reserve(groups_.size());
    for (std::size_t i = 0; i < groups_.size(); ++i) tasks.push_back(groups_[i]->finish(stores_, static_cast<int>(i)));
    return tasks;
  }

 private:
  std::vector<WindowStore>& stores_;
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace

std::vector<Task> fuse(std::vector<Operation>& operations, std::vector<WindowStore>& stores,
                       const machine::Machine& machine) {
  const bool one_processor = machine.processors() == 1;
  Fuser fuser(stores);
  std::list<std::vector<Operation>> expanded;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const int number = static_cast<int>(i);
    if (!operations[i].launch) {
      fuser.add(place(operations[i], stores, one_processor, number));
      continue;
    }
    const Tiling distribution = place_launch(*operations[i].launch, stores, machine);
    for (const Operation& operation : expanded.emplace_back(stage_writes(operations[i], distribution, stores))) {
      if (operation.launch) {
        fuser.add(PlacedOperation{&operation, operation.launch->domain, {}, {}, 0, distribution, number});
      } else {
        fuser.add(place(operation, stores, one_processor, number));
      }
    }
  }
  return fuser.finish();
}

std::vector<std::vector<Store*>> find_deaths(const std::vector<Task>& tasks, const std::vector<WindowStore>& stores) {
  std::vector<std::vector<Store*>> deaths(tasks.size());
  std::vector<bool> seen(stores.size(), false);
  for (std::size_t i = tasks.size(); i-- > 0;) {
    const auto meet = [&](const StoreRef& store) {
      const auto number = static_cast<std::size_t>(store->window_index);
      if (!seen[number] && stores[number].dies) deaths[i].push_back(store.get());
      seen[number] = true;
    };
    for (const TaskRead& read : tasks[i].reads) meet(read.store);
    for (const TaskWrite& write : tasks[i].writes) meet(write.store);
    for (const TaskReduction& reduction : tasks[i].reductions) meet(reduction.store);
  }
  return deaths;
}

}  // namespace pilum::scheduler
