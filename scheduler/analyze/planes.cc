#include "scheduler/analyze/planes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "scheduler/analyze/own_planes.h"
#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/short_folds.h"
#include "scheduler/analyze/window_values.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr std::size_t kMostOperations = 1024;  // that a window's become

// Plane after plane with the first axis of the operation's points.
bool is_of_each_plane(const View& view) {
  const bool is_led = view.map.store_rank > 1 && view.map[0].axis == 0;
  return is_led && view.map[0].scale == 1 && view.map[0].offset == 0 && view.shape[0] == view.store->shape[0];
}

// Which operations of a window become one for each plane.
class PlaneSplitter {
 public:
  PlaneSplitter(const WindowOperations& window, std::vector<WindowStore>& stores, const machine::Machine& machine)
      : window_(window),
        operations_(window.operations),
        stores_(stores),
        machine_(machine),
        values_(window.operations, stores),
        is_apart_(stores.size(), false),
        is_whole_(stores.size(), false),
        is_split_(window.operations.size(), false),
        feeds_fold_(window.operations.size(), false),
        planes_(stores.size()) {}

  Rewritten rewrite() {
    find_arrays();
    if (!find_operations()) return {};
    for (std::size_t number = 0; number < operations_.size(); ++number) {
      if (!is_split_[number]) {
        if (!may_pass_run(number)) end_run();
        rewritten_.add(operations_[number], window_.origin_of(number));
        continue;
      }
      if (!may_join_run(number)) end_run();
      run_.push_back(number);
    }
    end_run();
    return std::move(rewritten_);
  }

 private:
  // An operation that may become one for each plane.
  bool goes_by_planes(const Operation& operation) const {
    const Elementwise* elementwise = operation.elementwise();
    if (!elementwise || !is_of_each_plane(elementwise->output) || !has_planes(*elementwise->output.store, machine_))
      return false;
    return is_divisible(operation) && (elementwise->op != kernel::Op::Index || elementwise->axis > 0);
  }

  // Arrays of which single planes are used, and whole ones only side by side.
  void find_arrays() {
    for (const Operation& operation : operations_) {
      const bool by_planes = goes_by_planes(operation);
      for_each_view(operation, [&](const View& view, bool) {
        if (!has_planes(*view.store, machine_)) return;
        const bool is_single = operation.elementwise() && is_of_one_plane(view);
        if (is_single) is_apart_[place_of(view)] = true;
        if (!is_single && !(by_planes && is_of_each_plane(view))) is_whole_[place_of(view)] = true;
      });
    }
    for (std::size_t store = 0; store < stores_.size(); ++store) {
      is_whole_[store] = is_whole_[store] || !lie_alike(stores_[store]);
      is_apart_[store] = is_apart_[store] && !is_whole_[store];
    }
  }
  // Each plane is cut as any other is.
  static bool lie_alike(const WindowStore& store) {
    return store.tiling.is_replicated() || store.tiling.axis(0).parts == 1;
  }

  // What a fold of all planes is computed from: it goes into the fold's task, over all of them.
  void find_folds() {
    for (std::size_t number = operations_.size(); number-- > 0;) {
      const View* output = operations_[number].output();
      if (!output) continue;
      feeds_fold_[number] = std::ranges::any_of(values_.readers_of(*output->store), [&](std::size_t reader) {
        return reader > number && (operations_[reader].reduction() || feeds_fold_[reader]);
      });
    }
  }

  // False: none.
  bool find_operations() {
    std::size_t count = 0;
    find_folds();
    for (bool more = true; more;) {
      more = false;
      for (std::size_t number = 0; number < operations_.size(); ++number) {
        if (is_split_[number] || !goes_by_planes(operations_[number]) || !touches_apart(number)) continue;
        is_split_[number] = more = true;
        count += static_cast<std::size_t>(operations_[number].output()->shape[0]);
        for_each_view(operations_[number], [&](const View& view, bool) {
          if (is_of_each_plane(view) && has_planes(*view.store, machine_) && !is_whole_[place_of(view)])
            is_apart_[place_of(view)] = true;
        });
      }
    }
    return 0 < count && count <= kMostOperations;
  }
  bool touches_apart(std::size_t number) const {
    bool touches = false;
    for_each_view(operations_[number], [&](const View& view, bool write) {
      const bool is_there = is_of_each_plane(view) || (!write && is_of_one_plane(view) && !feeds_fold_[number]);
      touches = touches || (is_there && is_apart_[place_of(view)]);
    });
    return touches;
  }

  // A run's operations are done plane by plane: so none may write what another one reads for other planes.
  bool may_join_run(std::size_t number) const {
    if (run_.empty()) return true;
    const Shape &shape = operations_[number].output()->shape, &others = operations_[run_[0]].output()->shape;
    return shape[0] == others[0] && std::ranges::none_of(run_, [&](std::size_t other) {
             return reads_across(operations_[number], *operations_[other].output()->store) ||
                    reads_across(operations_[other], *operations_[number].output()->store);
           });
  }
  static bool reads_across(const Operation& operation, const Store& store) {
    bool across = false;
    for_each_input(operation, [&](std::size_t, const View& view) {
      across = across || (view.store.get() == &store && !is_of_each_plane(view));
    });
    return across;
  }

  // It comes before what it neither needs nor changes.
  bool may_pass_run(std::size_t number) const {
    const Operation& operation = operations_[number];
    return operation.elementwise() && std::ranges::none_of(run_, [&](std::size_t other) {
             return touches(operation, *operations_[other].output()->store) ||
                    touches(operations_[other], *operation.output()->store);
           });
  }
  static bool touches(const Operation& operation, const Store& store) {
    bool found = false;
    for_each_view(operation, [&](const View& view, bool) { found = found || view.store.get() == &store; });
    return found;
  }

  void end_run() {
    if (run_.empty()) return;
    const std::int64_t planes = operations_[run_[0]].output()->shape[0];
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      for (const std::size_t number : run_) add_plane(number, plane);
    }
    run_.clear();
  }

  void add_plane(std::size_t number, std::int64_t plane) {
    Operation one = operations_[number];
    auto& elementwise = std::get<Elementwise>(one.what);
    if (elementwise.op == kernel::Op::Index) --elementwise.axis;
    for_each_input(one, [&](std::size_t, View& view) { view = plane_of(view, plane); });
    const View whole = pinned(elementwise.output, 0, plane);
    elementwise.output = plane_of(elementwise.output, plane);
    const View own = elementwise.output;
    Origin origin = window_.origin_of(number);
    origin.is_part = true;
    rewritten_.add(std::move(one), origin);
    // Whether the whole is wanted, too, each of several ranks may know for itself alone.
    if (own.store == whole.store || stores_[place_of(whole)].is_gone) return;
    origin.is_seen_through = true;
    rewritten_.add(copy_of(own, whole, operations_[number].name, operations_[number].where), origin);
  }

  View plane_of(const View& view, std::int64_t plane) {
    View here = pinned(view, 0, plane);
    if (!is_of_each_plane(view) || !is_value(view)) return here;
    std::vector<View>& planes = planes_[place_of(view)];
    if (planes.empty()) planes.resize(static_cast<std::size_t>(view.shape[0]));
    View& own = planes[static_cast<std::size_t>(plane)];
    if (!own.store) own = make_value(*view.store, here.shape, distribution_of(here, stores_), stores_);
    return own;
  }
  // Nobody wants it but for its planes, each where it is made.
  bool is_value(const View& view) const {
    const int maker = values_.maker_of(*view.store);
    if (maker < 0 || !is_split_[static_cast<std::size_t>(maker)] || !values_.is_read_in_place(*view.store))
      return false;
    return std::ranges::all_of(values_.readers_of(*view.store),
                               [this](std::size_t reader) { return is_split_[reader]; });
  }

  const WindowOperations window_;
  const std::vector<Operation>& operations_;
  std::vector<WindowStore>& stores_;
  const machine::Machine& machine_;
  const WindowValues values_;
  std::vector<bool> is_apart_;             // by store: its planes are used by themselves
  std::vector<bool> is_whole_;             // by store: somebody uses it otherwise
  std::vector<bool> is_split_;             // by operation
  std::vector<bool> feeds_fold_;           // by operation
  std::vector<std::vector<View>> planes_;  // by store: values instead of its planes
  std::vector<std::size_t> run_;           // operations that are done plane by plane, together
  Rewritten rewritten_;
};

// Over one point along its first axis, which could as well not be there: `f(slice(i, i + 1))`, np::stack().
bool is_over_one_plane(const Operation& operation) {
  const Elementwise* elementwise = operation.elementwise();
  if (!elementwise || elementwise->output.shape.rank() < 2 || elementwise->output.shape[0] != 1) return false;
  return elementwise->op != kernel::Op::Index || elementwise->axis > 0;
}

bool uses_single_planes(const std::vector<Operation>& operations, const machine::Machine& machine) {
  return std::ranges::any_of(operations, [&](const Operation& operation) {
    bool uses = false;
    if (!operation.elementwise()) return false;
    for_each_view(operation, [&](const View& view, bool) {
      uses = uses || ((is_of_one_plane(view) || is_over_one_plane(operation)) && has_planes(*view.store, machine));
    });
    return uses;
  });
}

// Operations over one plane have no axis for it.
Rewritten flatten(const WindowOperations& window) {
  Rewritten flat;
  for (std::size_t number = 0; number < window.operations.size(); ++number) {
    Operation operation = window.operations[number];
    while (is_over_one_plane(operation)) {
      auto& elementwise = std::get<Elementwise>(operation.what);
      if (elementwise.op == kernel::Op::Index) --elementwise.axis;
      for_each_input(operation, [](std::size_t, View& view) { view = pinned(view, 0, 0); });
      elementwise.output = pinned(elementwise.output, 0, 0);
    }
    flat.add(std::move(operation), window.origin_of(number));
  }
  return flat;
}

}  // namespace

Rewritten take_planes_apart(const WindowOperations& window, std::vector<WindowStore>& stores,
                            const machine::Machine& machine) {
  if (!uses_single_planes(window.operations, machine)) return {};
  const std::size_t known = stores.size();
  const Rewritten folded = unroll_short_folds(window, stores, machine);
  const Rewritten flat =
      flatten(folded.operations.empty() ? window : WindowOperations{folded.operations, &folded.origins});
  Rewritten apart = PlaneSplitter({flat.operations, &flat.origins}, stores, machine).rewrite();
  if (apart.operations.empty()) {
    stores.resize(known);
    return {};
  }
  give_planes_arrays(apart.operations, stores, machine);
  return apart;
}

}  // namespace pilum::scheduler
