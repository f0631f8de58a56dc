#include "scheduler/analyze/fuser.h"

#include <algorithm>
#include <list>
#include <span>

#include "scheduler/analyze/group.h"
#include "scheduler/analyze/launch_placement.h"
#include "scheduler/analyze/postpone.h"
#include "scheduler/analyze/read_through.h"
#include "scheduler/analyze/recompute.h"
#include "scheduler/analyze/shared_domain.h"
#include "scheduler/analyze/staggered.h"

namespace pilum::scheduler {
namespace {

constexpr std::size_t kLookBack = 12;         // groups an operation may be moved before
constexpr std::size_t kLookBackOfParts = 32;  // the same for one that was cut: its rims are groups too

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

  void apply_to(AffineMap& map) const {
    for (int k = 0; k < map.store_rank; ++k) {
      if (map[k].axis < 0) continue;
      map[k].axis = to[static_cast<std::size_t>(map[k].axis)];
      if (map[k].axis < 0) map[k].scale = 0;  // its one point is 0
    }
    map.view_rank = std::max(count, 1);
  }
};

PlacedOperation place(const Operation& operation, const std::vector<WindowStore>& stores, bool one_processor,
                      int number) {
  PlacedOperation placed{&operation, domain_of(operation), output_map(operation), {}, 0, {}, number};
  for_each_input(operation, [&placed](std::size_t place, const View& view) {
    placed.inputs[place] = view.map;
    placed.inputs[place].view_rank = std::max(view.map.view_rank, 1);
  });
  if (const Elementwise* elementwise = operation.elementwise()) {
    const AxisOrder order(placed.domain, placed.output);
    placed.domain = order.apply(placed.domain);
    order.apply_to(placed.output);
    for_each_input(operation, [&](std::size_t place, const View&) { order.apply_to(placed.inputs[place]); });
    if (elementwise->op == kernel::Op::Index) placed.axis = order.to[static_cast<std::size_t>(elementwise->axis)];
  }
  const auto tiling_of = [&stores](const View& view) -> const Tiling& {
    return stores[static_cast<std::size_t>(view.store->window_index)].tiling;
  };
  if (one_processor) {
    placed.distribution = Tiling::replicated(placed.domain);
  } else if (const Reduction* reduction = operation.reduction()) {
    placed.distribution = tiling_of(reduction->input).pull_back(placed.inputs[0], placed.domain);
  } else {
    placed.distribution = tiling_of(*operation.output()).pull_back(placed.output, placed.domain);
  }
  return placed;
}

// The one view that the operation computes from; null: it has none, or several.
const View* only_view(const Operation& operation) {
  const View* only = nullptr;
  int count = 0;
  for_each_input(operation, [&](std::size_t, const View& view) {
    only = &view;
    ++count;
  });
  return count == 1 ? only : nullptr;
}

// Some cell that both see.
bool meet(const View& a, const View& b) {
  if (a.store != b.store) return false;
  if (a.map == b.map && a.shape == b.shape) return a.shape.elements() > 0;
  return overlaps(image(a.map, Rect::of(a.shape)), image(b.map, Rect::of(b.shape)));
}

bool touches(const Operation& operation, const View& cells) {
  bool found = false;
  for_each_view(operation, [&](const View& view, bool) { found = found || meet(view, cells); });
  return found;
}

// Appends operations to groups. A value made of one array that is there already waits for the first operation that uses
// it, and is computed with that: else it joined the group in which this array is at hand, and where that is not its
// consumer's, it was written and read again (2 * b of a next sweep). What waits follows from the recorded calls alone.
class Fuser {
 public:
  Fuser(std::vector<WindowStore>& stores, FusionNotes* notes) : stores_(stores), notes_(notes) {}

  void add(PlacedOperation&& placed) {
    touched_.resize(stores_.size(), kNobody);  // a task's writes may be staged in new ones
    made_here_.resize(stores_.size());
    const Elementwise* elementwise = placed.operation->elementwise();
    if (elementwise && placed.is_whole) {
      const int toucher = touched_[place_of(*elementwise->output.store)];
      placed.fresh = toucher == kNobody || (placed.is_part && toucher == placed.number);
    }
    if (!waiting_.empty()) settle(placed);
    const Operation& operation = *placed.operation;
    const int number = placed.number;
    const bool waits = may_wait(placed);
    if (placed.fresh) made_here_[place_of(*elementwise->output.store)] = true;
    if (waits) {
      waiting_.push_back(placed);
    } else if (waiting_.empty()) {
      append({&placed, 1});
    } else {
      append(take_with_inputs(placed));
    }
    for_each_view(operation, [&](const View& view, bool write) {
      int& last = touched_[place_of(*view.store)];
      last = write && (last == kNobody || last == number) ? number : kOthers;
    });
  }

  std::vector<Task> finish() {
    for (PlacedOperation& waiting : waiting_) waiting.waits_no_longer = true;
    place_those_that_wait_no_longer();
    std::vector<Task> tasks;
    tasks.reserve(groups_.size());
    for (const auto& group : groups_) group->mark_loads(stores_);
    for (std::size_t i = 0; notes_ && i < groups_.size(); ++i)
      (*notes_)[i].held = groups_[i]->held_values(stores_, groups_);
    for (const auto& group : groups_) tasks.push_back(group->finish(stores_));
    return tasks;
  }

 private:
  static std::size_t place_of(const Store& store) { return static_cast<std::size_t>(store.window_index); }

  bool may_wait(const PlacedOperation& placed) const {
    const Operation& operation = *placed.operation;
    if (!operation.elementwise() || !placed.fresh || !placed.has_consumers) return false;
    if (placed.is_repeated) return true;
    const View* input = only_view(operation);
    if (!input) return false;
    // A value of this window may be in a register only where it was made; one that waits comes along.
    return !made_here_[place_of(*input->store)] ||
           std::any_of(waiting_.begin(), waiting_.end(), [&](const PlacedOperation& waiting) {
             return meet(*waiting.operation->output(), *input) && finds_register(placed, waiting);
           });
  }

  // True where the value that waits can be computed at the same points as this operation, which reads it.
  static bool finds_register(const PlacedOperation& placed, const PlacedOperation& waiting) {
    if (!(waiting.domain == placed.domain) || !(waiting.distribution == placed.distribution)) return false;
    bool finds = true;
    for_each_input(*placed.operation, [&](std::size_t place, const View& view) {
      finds = finds && (placed.inputs[place] == waiting.output || !meet(view, *waiting.operation->output()));
    });
    return finds;
  }

  // Places those that cannot wait any longer: this operation writes what they touch, or reads them at other points.
  void settle(const PlacedOperation& placed) {
    for (PlacedOperation& waiting : waiting_) {
      for_each_view(*placed.operation, [&](const View& view, bool write) {
        if (waiting.waits_no_longer) return;
        waiting.waits_no_longer = write ? touches(*waiting.operation, view)
                                        : meet(view, *waiting.operation->output()) && !joins_registers(placed, waiting);
      });
    }
    place_those_that_wait_no_longer();
  }

  static bool joins_registers(const PlacedOperation& placed, const PlacedOperation& waiting) {
    const Operation& operation = *placed.operation;
    return (operation.elementwise() || operation.reduction()) && finds_register(placed, waiting);
  }

  // Each with those that it is computed from.
  void place_those_that_wait_no_longer() {
    const auto is_next = [&](const PlacedOperation& one) {
      return one.waits_no_longer && std::none_of(waiting_.begin(), waiting_.end(), [&](const PlacedOperation& other) {
               return other.waits_no_longer && &other != &one && touches(*other.operation, *one.operation->output());
             });
    };
    for (auto next = waiting_.begin();
         (next = std::find_if(waiting_.begin(), waiting_.end(), is_next)) != waiting_.end();) {
      const PlacedOperation placed = *next;
      waiting_.erase(next);
      append(take_with_inputs(placed));
    }
  }

  // Those that wait and that this operation is computed from, in their order, and itself.
  std::span<const PlacedOperation> take_with_inputs(const PlacedOperation& placed) {
    std::vector<bool>& is_taken = is_taken_;
    is_taken.assign(waiting_.size(), false);
    for (std::size_t i = waiting_.size(); i-- > 0;) {
      const View& value = *waiting_[i].operation->output();
      is_taken[i] = touches(*placed.operation, value);
      for (std::size_t later = i + 1; later < waiting_.size() && !is_taken[i]; ++later)
        is_taken[i] = is_taken[later] && touches(*waiting_[later].operation, value);
    }
    taken_.clear();
    std::size_t left = 0;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (is_taken[i]) {
        taken_.push_back(waiting_[i]);
      } else if (left++ != i) {
        waiting_[left - 1] = waiting_[i];
      }
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(left), waiting_.end());
    taken_.push_back(placed);
    return taken_;
  }

  // All into one group, where they do not hinder one another: the latest that they may join, or a new one.
  void append(std::span<const PlacedOperation> together) {
    std::size_t target = groups_.size();
    const std::size_t look_back = together.back().is_part ? kLookBackOfParts : kLookBack;
    for (std::size_t back = 0; back < std::min(look_back, groups_.size()); ++back) {
      const std::size_t candidate = groups_.size() - 1 - back;
      const Group& group = *groups_[candidate];
      int more = 0;
      if (std::all_of(together.begin(), together.end(),
                      [&](const PlacedOperation& placed) { return group.can_join(placed, more++); })) {
        target = candidate;
        break;
      }
      if (std::any_of(together.begin(), together.end(),
                      [&](const PlacedOperation& placed) { return group.depends(placed); }))
        break;
    }
    if (notes_ && target == groups_.size()) note_refusals(together);
    for (std::size_t i = 0; i < together.size(); ++i) {
      if (target == groups_.size()) {
        groups_.push_back(std::make_unique<Group>(together[i]));
      } else if (i == 0 || groups_[target]->can_join(together[i])) {
        groups_[target]->join(together[i]);
      } else {  // it writes what one of those before it wrote, at other points
        append(together.subspan(i));
        return;
      }
      if (notes_) note_member(target, together[i]);
    }
  }

  // A new group begins with these: what kept the first of them that was refused out of the last one.
  void note_refusals(std::span<const PlacedOperation> together) {
    if (groups_.empty()) return;
    int more = 0;
    for (const PlacedOperation& placed : together) {
      notes_->back().refusals = groups_.back()->refusals_of(placed, more++);
      if (!notes_->back().refusals.empty()) return;
    }
  }

  void note_member(std::size_t group, const PlacedOperation& placed) {
    if (group == notes_->size()) notes_->emplace_back();
    (*notes_)[group].members.push_back(
        {{placed.operation->name, placed.operation->where}, placed.number, placed.is_part});
  }

  std::vector<WindowStore>& stores_;
  FusionNotes* notes_;  // null: nobody asks
  static constexpr int kNobody = -1, kOthers = -2;
  std::vector<int> touched_;     // by store, in this window: the operation that alone wrote it
  std::vector<bool> made_here_;  // by store: in this window
  std::vector<PlacedOperation> waiting_;
  std::vector<PlacedOperation> taken_;  // of those that wait, for the one that goes into a group now; and that one
  std::vector<bool> is_taken_;          // side by side with those that wait
  std::vector<std::unique_ptr<Group>> groups_;
};

// The window's operations with what is seen through, computed again and joined; empty: they are best as they are.
Rewritten rewrite(const std::vector<Operation>& recorded, std::vector<WindowStore>& stores,
                  const machine::Machine& machine) {
  Rewritten rewritten;
  for (const auto pass : {postpone_writes, read_through, recompute_values, join_staggered_updates}) {
    const bool is_first = rewritten.operations.empty();
    Rewritten next =
        pass(is_first ? WindowOperations{recorded} : WindowOperations{rewritten.operations, &rewritten.origins}, stores,
             machine);
    if (!next.operations.empty()) rewritten = std::move(next);
  }
  return rewritten;
}

}  // namespace

std::vector<Task> fuse(std::vector<Operation>& recorded, std::vector<WindowStore>& stores,
                       const machine::Machine& machine, FusionNotes* notes) {
  const bool one_processor = machine.processors() == 1;
  Fuser fuser(stores, notes);
  std::list<std::vector<Operation>> expanded;
  const Rewritten rewritten = rewrite(recorded, stores, machine);
  const bool is_rewritten = !rewritten.operations.empty();
  const std::vector<Operation>& operations = is_rewritten ? rewritten.operations : recorded;
  SharedDomains shared(operations, machine);
  const auto add = [&](const Operation& operation, const Origin& origin) {
    PlacedOperation placed = place(operation, stores, one_processor, origin.number);
    placed.is_part = origin.is_part;
    placed.has_consumers = !origin.is_seen_through;
    placed.is_repeated = origin.is_repeated;
    const auto is_whole = [](const View* output) {
      return output && output->shape.elements() == output->store->shape.elements();
    };
    placed.is_whole =
        is_whole(operation.output()) || is_whole(recorded[static_cast<std::size_t>(origin.number)].output());
    fuser.add(std::move(placed));
  };
  for (std::size_t i = 0; i < operations.size(); ++i) {
    Origin origin = is_rewritten ? rewritten.origins[i] : Origin{.number = static_cast<int>(i)};
    const TaskLaunch* launch = operations[i].launch();
    if (!launch) {
      const std::span<const Operation> parts = shared.parts_of(operations[i], i);
      if (parts.empty()) add(operations[i], origin);
      origin.is_part = true;
      for (const Operation& part : parts) add(part, origin);
      continue;
    }
    const Tiling distribution = place_launch(*launch, stores, machine);
    for (const Operation& operation : expanded.emplace_back(stage_writes(operations[i], distribution, stores))) {
      if (const TaskLaunch* staged = operation.launch()) {
        fuser.add(PlacedOperation{&operation, staged->domain, {}, {}, 0, distribution, origin.number});
      } else {
        add(operation, {.number = origin.number});
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
    for (const Argument& read : tasks[i].reads) meet(read.store());
    for (const TaskWrite& write : tasks[i].writes) meet(write.store());
    for (const Argument& reduction : tasks[i].reductions) meet(reduction.store());
  }
  return deaths;
}

}  // namespace pilum::scheduler
