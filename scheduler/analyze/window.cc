#include "scheduler/analyze/window.h"

#include <algorithm>
#include <utility>

#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/placed_operation.h"
#include "scheduler/memory/store_state.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

bool is_fill(const Operation& operation) {
  const Elementwise* elementwise = operation.elementwise();
  return elementwise && elementwise->op == kernel::Op::Cast && !elementwise->inputs[0].is_view();
}

// Of an array that is put together of pieces of others, as by a roll: it need not be made where its readers are in its
// window (read_through.h).
bool copies_a_piece(const Operation& operation) {
  if (!copied_view(operation)) return false;
  const View& output = *operation.output();
  return output.shape.elements() != output.store->shape.elements();
}

// Of a store that no plan has touched and that lies whole as what it is made of does, or of one that is cut.
std::optional<partitioner::Tiling> known_tiling(const Store& store, const machine::Machine& machine) {
  const Rect all = Rect::of(store.shape);
  if (!store.state) {
    if (!store.gathered || store.split_axes || !store.large) return std::nullopt;
    return machine.ranks > 1 ? partitioner::Tiling::replicated(all) : partitioner::Tiling::on_one(all);
  }
  // What is everywhere may be cut: nothing has to move for that.
  const bool is_demanded = store.split_axes && store.state->tiling.is_replicated();
  const bool may_cut = is_demanded || (store.cut_pays && store.state->is_whole(machine.ranks));
  return may_cut ? std::nullopt : std::optional(store.state->tiling);
}

// How far the program goes back from the one to the other: where a loop begins anew.
std::int64_t lines_back(const Operation& one, const Operation& next) {
  if (one.where.file_name() != next.where.file_name()) return 0;
  return std::max<std::int64_t>(0, std::int64_t{one.where.line()} - next.where.line());
}

}  // namespace

View make_value(const Store& like, const Shape& shape, const partitioner::Tiling& tiling,
                std::vector<WindowStore>& stores) {
  auto* store = new Store;
  store->id = like.id;
  store->shape = shape;
  store->dtype = like.dtype;
  store->operation = like.operation;
  store->where = like.where;
  store->window_index = static_cast<int>(stores.size());
  const View view = whole(StoreRef(store));
  WindowStore row;  // before the rows move: the tiling may be of one of them
  row.store = store;
  row.tiling = tiling;
  row.dies = row.is_gone = row.may_be_gone = true;
  row.own = view.store;
  stores.push_back(std::move(row));
  return view;
}

partitioner::Tiling distribution_of(const View& view, const std::vector<WindowStore>& stores) {
  const auto place = place_of(view);
  return stores[place].tiling.pull_back(view.map, Rect::of(view.shape));
}

Rect domain_of(const Operation& operation) {
  if (const TaskLaunch* launch = operation.launch()) return launch->domain;
  const Reduction* reduction = operation.reduction();
  Rect domain = Rect::of(reduction ? reduction->input.shape : operation.output()->shape);
  if (domain.rank == 0) {
    domain.rank = 1;
    domain.hi[0] = 1;
  }
  return domain;
}

partitioner::AffineMap output_map(const Operation& operation) {
  partitioner::AffineMap map = operation.output()->map;
  map.view_rank = domain_of(operation).rank;
  const Reduction* reduction = operation.reduction();
  if (!reduction) return map;
  std::array<std::int8_t, kMaxAxes> kept{};
  std::size_t count = 0;
  for (int axis = 0; axis < map.view_rank; ++axis) {
    if (!(reduction->reduced_axes >> axis & 1)) kept[count++] = static_cast<std::int8_t>(axis);
  }
  for (int k = 0; k < map.store_rank; ++k) {
    if (map[k].axis >= 0) map[k].axis = kept[static_cast<std::size_t>(map[k].axis)];
  }
  return map;
}

std::size_t choose_cut(const std::vector<Operation>& operations, std::size_t first, std::size_t last) {
  struct Use {
    Store* store;
    std::size_t first, last;  // it is there before this operation; last used by that
    std::int64_t bytes;
    bool written;  // by the last one: it will be used
  };
  std::vector<Use> uses;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for_each_view(operations[i], [&](const View& view, bool write) {
      Store* store = view.store.get();
      if (store->window_index < 0) {
        store->window_index = static_cast<int>(uses.size());
        const int pieces = write && copies_a_piece(operations[i]) ? 2 : 1;
        uses.push_back({store, i + 1, i, bytes_of(*store) * pieces, false});
      }
      Use& use = uses[place_of(*store)];
      use.written = write || (use.written && use.last == i);
      use.last = i;
      // Its first user reads it, or writes a part of what there is: it comes from before.
      const bool is_part = store->state && view.shape.elements() != store->shape.elements();
      if ((!write || is_part) && use.first == i + 1) use.first = 0;
    });
  }
  // flow[i]: of the stores that there are before i and that are last used at i or after it.
  std::vector<std::int64_t> flow(operations.size() + 1, 0);
  for (const Use& use : uses) {
    use.store->window_index = -1;
    flow[use.first] += use.bytes;
    if (!use.written) flow[use.last + 1] -= use.bytes;
  }
  std::size_t best = operations.size();
  std::int64_t least = -1, sum = 0, furthest = 0;
  for (std::size_t i = 0; i < flow.size(); ++i) {
    sum += flow[i];
    // The whole window: what its last stores hold is taken as flowing on if the next operation is not known yet.
    if (i < first || i > last || i >= operations.size() || i == 0 || (least >= 0 && sum > least)) continue;
    const std::int64_t back = lines_back(operations[i - 1], operations[i]);
    if (sum == least && back < furthest) continue;
    least = sum;
    furthest = back;
    best = i;
  }
  return best;
}

std::vector<Operation> take_idle_fills(std::vector<Operation>& operations) {
  for (const Operation& operation : operations) {
    if (is_fill(operation)) continue;
    for_each_view(operation, [](const View& view, bool) { view.store->window_index = 0; });  // marks: in use
  }
  const auto idle = [](const Operation& operation) {
    if (!is_fill(operation)) return false;
    const Store& store = *operation.output()->store;
    return store.window_index < 0 && !store.state && !store.replicate;
  };
  std::vector<Operation> taken, left;
  if (std::any_of(operations.begin(), operations.end(), idle)) {
    for (Operation& operation : operations) (idle(operation) ? taken : left).push_back(std::move(operation));
    operations = std::move(left);
  }
  for (const Operation& operation : operations) {
    for_each_view(operation, [](const View& view, bool) { view.store->window_index = -1; });
  }
  return taken;
}

namespace {

// Not cut yet.
WindowStore row_of(Store& store, const machine::Machine& machine) {
  WindowStore row;
  row.store = &store;
  row.dies = store.handles == 0;
  row.is_gone = machine.ranks == 1 ? row.dies : store.ended == NamesEnded::Yes;
  row.may_be_gone = machine.ranks == 1 ? row.dies : store.ended != NamesEnded::No;
  return row;
}

// Folds are made where their pieces are. A result that is to be cut elsewhere, for what else it meets in the window,
// goes to all processors instead.
void replicate_misplaced_folds(const std::vector<Operation>& operations, std::vector<WindowStore>& stores) {
  for (const Operation& operation : operations) {
    const Reduction* reduction = operation.reduction();
    if (!reduction) continue;
    WindowStore& output = stores[place_of(reduction->output)];
    if (output.tiling.is_replicated() || output.store->state) continue;
    const View& view = reduction->input;
    partitioner::AffineMap input = view.map;
    input.view_rank = std::max(input.view_rank, 1);
    const Rect domain = domain_of(operation);
    const partitioner::Tiling pieces = pieces_of_fold(stores[place_of(view)].tiling, input, domain);
    if (!(output.tiling.pull_back(output_map(operation), domain) == pieces))
      output.tiling = partitioner::Tiling::replicated(Rect::of(output.store->shape));
  }
}

}  // namespace

std::vector<WindowStore> collect_stores(const std::vector<Operation>& operations,
                                        const std::vector<Operation>& used_later, const machine::Machine& machine) {
  std::vector<WindowStore> stores;
  partitioner::SolverWindow solver;
  const bool cut = machine.processors() > 1;
  for (const Operation& operation : operations) {
    const int first = static_cast<int>(solver.accesses.size());
    for_each_view(operation, [&](const View& view, bool write) {
      Store* store = view.store.get();
      if (store->window_index < 0) {
        store->window_index = static_cast<int>(stores.size());
        stores.push_back(row_of(*store, machine));
        if (cut) {
          solver.stores.push_back({Rect::of(store->shape), static_cast<std::int64_t>(itemsize(store->dtype)),
                                   store->replicate, store->split_axes, known_tiling(*store, machine),
                                   store->field_axes, store->lies_apart});
        }
      }
      if (!cut || operation.launch()) return;
      if (!write && std::holds_alternative<ReshapedCopy>(operation.what)) return;  // another domain: no link
      // What is folded over a cut axis is folded across processors, whole.
      if (write && operation.reduction()) solver.stores[place_of(*store)].split_axes = 0;
      partitioner::AffineMap map = write ? output_map(operation) : view.map;
      map.view_rank = domain_of(operation).rank;
      solver.accesses.push_back({store->window_index, map, write});
    });
    if (const TaskLaunch* launch = operation.launch(); cut && launch) {
      for (const Argument& argument : launch->arguments)
        solver.accesses.push_back(
            {argument.view.store->window_index, argument.nearest_map(), argument.footprint.writes()});
    }
    if (cut) {
      solver.operations.push_back({first, static_cast<int>(solver.accesses.size()) - first,
                                   /*spreads=*/operation.launch() != nullptr,
                                   /*is_ours=*/operation.launch() && operation.launch()->body->of_library});
    }
  }
  if (cut) partitioner::solve(solver, machine);
  for (std::size_t i = 0; i < stores.size(); ++i) {
    stores[i].tiling =
        cut ? *solver.stores[i].tiling : partitioner::Tiling::replicated(Rect::of(stores[i].store->shape));
  }
  if (cut) replicate_misplaced_folds(operations, stores);
  for (const Operation& operation : used_later) {
    for_each_view(operation, [&](const View& view, bool) {
      if (view.store->window_index < 0) return;
      WindowStore& store = stores[place_of(view)];
      store.dies = store.is_gone = store.may_be_gone = false;
    });
  }
  return stores;
}

}  // namespace pilum::scheduler
