#include "scheduler/analyze/staggered.h"

#include <algorithm>
#include <optional>

#include "partitioner/region.h"
#include "scheduler/analyze/arithmetic_cost.h"
#include "scheduler/analyze/beyond.h"
#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/repeater.h"
#include "scheduler/analyze/window_values.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kFarthest = 8;        // cells between a point and what it reads of an earlier update
constexpr std::size_t kMostOperations = 90;  // of the task; a group takes a few more
constexpr std::size_t kMostArrays = 20;      // that it reads or writes
constexpr std::int64_t kShareOfMemory = 4;   // the arrays may have one in so many bytes, and get as many again
constexpr double kFewestSaved = 2;  // arrays that need not be read: what is written goes to other memory, and rims
                                    // are tasks

// One array's new cells, and the operations that compute them: values of the window, and the last one, which writes.
struct Update {
  std::vector<std::size_t> numbers;
  View output;
  Rect cells;                // that it writes
  std::vector<View> leaves;  // that it reads from memory
  bool is_later = false;     // it reads earlier ones of its kin

  Store* store() const { return output.store.get(); }
  bool reads(const Store* store) const {
    return std::any_of(leaves.begin(), leaves.end(), [store](const View& view) { return view.store.get() == store; });
  }
};
using Kin = std::vector<Update>;  // in a row

// Points of one see cells of the other that lie by a few cells beside theirs.
bool is_beside(const View& view, const View& output) {
  if (view.map.store_rank != output.map.store_rank || !is_shift(view)) return false;
  for (int k = 0; k < view.map.store_rank; ++k) {
    const std::int64_t distance = view.map[k].offset - output.map[k].offset;
    if (view.map[k].axis != output.map[k].axis || distance < -kFarthest || distance > kFarthest) return false;
  }
  return true;
}

bool is_in_place(const View& view, const View& output) {
  for (int k = 0; k < view.map.store_rank; ++k) {
    if (view.map[k].offset != output.map[k].offset) return false;
  }
  return true;
}

bool reads_own_neighbours(const Update& update) {
  return std::any_of(update.leaves.begin(), update.leaves.end(), [&](const View& leaf) {
    return leaf.store.get() == update.store() && !(leaf.map == update.output.map);
  });
}

class Joiner {
 public:
  Joiner(const WindowOperations& window, std::vector<WindowStore>& stores, const machine::Machine& machine)
      : window_(window),
        operations_(window.operations),
        stores_(stores),
        machine_(machine),
        values_(window.operations, stores),
        makers_(stores.size(), -1) {}

  Rewritten rewrite() {
    for (std::size_t number = 0; number < operations_.size(); ++number) find(number);
    close();
    if (joined_.empty()) return {};
    Rewritten rewritten;
    std::size_t number = 0;
    for (auto& [first, last, joined] : joined_) {
      for (; number < first; ++number) rewritten.add(operations_[number], window_.origin_of(number));
      rewritten.add(std::move(joined));
      number = last + 1;
    }
    for (; number < operations_.size(); ++number) rewritten.add(operations_[number], window_.origin_of(number));
    return rewritten;
  }

 private:
  struct Joined {
    std::size_t first, last;  // of the operations that it stands for
    Rewritten operations;
  };

  // --- which updates are kin

  void find(std::size_t number) {
    const Operation& operation = operations_[number];
    if (!divisible_cells(operation)) return part();
    const View& output = *operation.output();
    if (values_.maker_of(*output.store) == static_cast<int>(number)) {
      if (!values_.is_read_in_place(*output.store) || values_.readers_of(*output.store).empty()) return part();
      makers_[place_of(output)] = static_cast<int>(number);
      pending_.push_back(number);
      return;
    }
    pending_.push_back(number);
    std::optional<Update> update = make_update();
    pending_.clear();
    if (!update) return close();
    if (!may_join(*update)) {
      close();
      update->is_later = false;
    }
    kin_.push_back(std::move(*update));
  }

  // What comes now has nothing to do with what was before.
  void part() {
    pending_.clear();
    close();
  }

  // Of the operations that wait, of which the last one writes; none: some of them are not for it.
  std::optional<Update> make_update() const {
    Update update;
    update.numbers = pending_;
    const Operation& last = operations_[pending_.back()];
    update.output = *last.output();
    update.cells = *divisible_cells(last);
    const auto is_own = [&](std::size_t number) {
      return std::find(pending_.begin(), pending_.end(), number) != pending_.end();
    };
    for (const std::size_t number : pending_) {
      const View& made = *operations_[number].output();
      if (!(made.shape == update.output.shape)) return {};
      const std::vector<std::size_t>& readers = values_.readers_of(*made.store);
      if (number != pending_.back() && !std::all_of(readers.begin(), readers.end(), is_own)) return {};
      for_each_input(operations_[number], [&](std::size_t, const View& view) {
        const int maker = values_.maker_of(*view.store);
        if (maker < 0 || !is_own(static_cast<std::size_t>(maker))) update.leaves.push_back(view);
      });
    }
    if (std::ranges::any_of(update.leaves, [](const View& view) { return goes_beyond(view); })) return {};
    return update;
  }

  bool may_join(Update& update) const {
    for (const Update& other : kin_) {
      if (other.store() == update.store() || other.output.map.store_rank != update.output.map.store_rank) return false;
      for (int k = 0; k < update.output.map.store_rank; ++k) {
        if (other.output.map[k].axis != update.output.map[k].axis) return false;
      }
      for (const View& leaf : update.leaves) {
        if (leaf.store.get() != other.store()) continue;
        if (other.is_later || !is_beside(leaf, update.output)) return false;
        update.is_later = true;
      }
    }
    // Its rims come after the cells that they would read.
    if (update.is_later && reads_own_neighbours(update)) return false;
    // Before a later one there are none but those that it may read.
    return std::none_of(kin_.begin(), kin_.end(), [&](const Update& other) {
      if (other.is_later && (!update.is_later || other.reads(update.store()))) return true;
      return !other.is_later && !update.is_later && other.reads(update.store());
    });
  }

  // --- what they become

  void close() {
    const Kin kin = std::move(kin_);
    kin_.clear();
    if (kin.empty() || !kin.back().is_later) return;
    const std::size_t known = stores_.size();
    std::optional<Rewritten> joined = join(kin);
    if (joined) {
      joined_.push_back({kin.front().numbers.front(), kin.back().numbers.back(), std::move(*joined)});
    } else {
      stores_.resize(known);
    }
  }

  // The earlier update that writes what is seen; null: none.
  static const Update* source_of(const Kin& kin, const View& view) {
    const auto source = std::find_if(kin.begin(), kin.end(), [&](const Update& update) {
      return !update.is_later && update.store() == view.store.get();
    });
    return source == kin.end() ? nullptr : &*source;
  }

  // Cells that all write, and of which all that the later ones read beside them is new.
  static Rect shared_cells(const Kin& kin) {
    Rect shared = kin[0].cells;
    for (const Update& update : kin) shared = intersect(shared, update.cells);
    for (const Update& update : kin) {
      if (!update.is_later) continue;
      for (const View& leaf : update.leaves) {
        const Update* source = source_of(kin, leaf);
        if (!source) continue;
        Rect near = source->cells;
        for (int k = 0; k < near.rank; ++k) {
          const auto axis = static_cast<std::size_t>(k);
          const std::int64_t distance = leaf.map[k].offset - update.output.map[k].offset;
          near.lo[axis] -= distance;
          near.hi[axis] -= distance;
        }
        shared = intersect(shared, near);
      }
    }
    return shared;
  }

  // The rims are small beside it, what is read again would not come from a cache, and there is room for new cells
  // beside the old ones.
  bool are_large_enough(const Kin& kin, const Rect& shared) const {
    if (shared.empty()) return false;
    std::int64_t bytes = 0;
    for (const Update& update : kin)
      bytes += shared.cells() * static_cast<std::int64_t>(itemsize(update.store()->dtype));
    if (bytes < machine_.cache_bytes * machine_.processors()) return false;
    if (machine_.memory_bytes > 0 && bytes > machine_.memory_bytes / kShareOfMemory * machine_.processors())
      return false;
    const std::int64_t min_bytes = min_bytes_to_split(machine_);
    return std::all_of(kin.begin(), kin.end(), [&](const Update& update) {
      return shared.cells() * static_cast<std::int64_t>(itemsize(update.store()->dtype)) >= min_bytes &&
             2 * shared.cells() >= update.cells.cells();
    });
  }

  static Rect points_of(const Update& update, const Rect& cells) {
    return preimage(update.output.map, cells, Rect::of(update.output.shape));
  }

  // How the points that write these cells are cut.
  partitioner::Tiling distribution_of(const Update& update, const Rect& cells) const {
    View output = update.output;
    narrow(output, points_of(update, cells));
    return scheduler::distribution_of(output, stores_);
  }

  // Arrays that are read once in place of several times, less those that are written and read again because their
  // neighbours in the window could have been computed with them, and not with a part of them.
  double saved_arrays(const Kin& kin) const {
    std::vector<const Store*> all;
    std::size_t apart = 0;
    for (const Update& update : kin) {
      std::vector<const Store*> own;
      for (const View& leaf : update.leaves) {
        const Store* store = leaf.store.get();
        if (store->shape.rank() == 0) continue;
        if (std::find(own.begin(), own.end(), store) == own.end()) own.push_back(store);
        const bool is_made = update.is_later && source_of(kin, leaf);
        if (!is_made && std::find(all.begin(), all.end(), store) == all.end()) all.push_back(store);
      }
      apart += own.size();
    }
    return static_cast<double>(apart) - static_cast<double>(all.size()) - 2.0 * neighbours(kin);
  }

  // Operations right before and behind that meet them at the same points.
  int neighbours(const Kin& kin) const {
    int count = 0;
    const auto is_at = [](const View& a, const View& b) {
      return a.store == b.store && a.map == b.map && a.shape == b.shape;
    };
    if (const std::size_t first = kin.front().numbers.front(); first > 0) {
      const View* made = operations_[first - 1].output();
      for (const Update& update : kin) {
        count += made && std::any_of(update.leaves.begin(), update.leaves.end(),
                                     [&](const View& leaf) { return is_at(leaf, *made); });
      }
    }
    if (const std::size_t next = kin.back().numbers.back() + 1; next < operations_.size()) {
      for (const Update& update : kin) {
        bool meet = false;
        for_each_view(operations_[next], [&](const View& view, bool) { meet = meet || is_at(view, update.output); });
        count += meet;
      }
    }
    return count;
  }

  std::optional<Rewritten> join(const Kin& kin) {
    const Rect shared = shared_cells(kin);
    if (!are_large_enough(kin, shared)) return {};
    const partitioner::Tiling distribution = distribution_of(kin[0], shared);
    for (const Update& update : kin) {
      if (!(distribution_of(update, shared) == distribution)) return {};
    }
    Repeater repeater(window_, makers_, stores_);
    Rewritten task;
    std::vector<const Store*> arrays;
    for (const Update& update : kin) {
      View output = update.output;
      narrow(output, points_of(update, shared));
      for (const std::size_t number : update.numbers) {
        Operation part = part_at(operations_[number], points_of(update, shared));
        for_each_input(part, [&](std::size_t, View& view) {
          const Update* source = update.is_later ? source_of(kin, view) : nullptr;
          if (source && !is_in_place(view, output)) view = repeater.repeat(source->numbers.back(), view, distribution);
        });
        task.add(std::move(part), part_of(number));
      }
      arrays.push_back(update.store());
      for (const View& leaf : update.leaves) arrays.push_back(leaf.store.get());
    }
    std::sort(arrays.begin(), arrays.end());
    arrays.erase(std::unique(arrays.begin(), arrays.end()), arrays.end());
    if (repeater.operations().empty() || arrays.size() + kin.size() > kMostArrays ||
        repeater.operations().size() + task.operations.size() > kMostOperations || saved_arrays(kin) < kFewestSaved ||
        cost_of(repeater.operations(), machine_) > saved_arrays(kin) * gain_of_cell(machine_))
      return {};
    return put_together(kin, shared, repeater.take(), std::move(task));
  }

  Origin part_of(std::size_t number) const { return {.number = window_.origin_of(number).number, .is_part = true}; }

  Rewritten put_together(const Kin& kin, const Rect& shared, Rewritten repeated, Rewritten task) {
    Rewritten before, after, last;
    for (const Update& update : kin) {
      for (const Rect& rim : partitioner::subtract(update.cells, shared)) {
        if (update.is_later) {
          for (const std::size_t number : update.numbers)
            last.add(part_at(operations_[number], points_of(update, rim)), part_of(number));
        } else {
          const bool is_read = reads_cells(repeated, update, rim) || reads_cells(task, update, rim);
          add_rim(update, rim, is_read, before, after);
        }
      }
    }
    before.add(std::move(repeated));
    before.add(std::move(task));
    before.add(std::move(after));
    before.add(std::move(last));
    return before;
  }

  static bool reads_cells(const Rewritten& some, const Update& update, const Rect& cells) {
    return std::any_of(some.operations.begin(), some.operations.end(), [&](const Operation& operation) {
      bool reads = false;
      for_each_input(operation, [&](std::size_t, const View& view) {
        reads = reads || (view.store.get() == update.store() && overlaps(image(view.map, Rect::of(view.shape)), cells));
      });
      return reads;
    });
  }

  // Computed before the task; written there too, or, where the task reads the old cells, copied there after it.
  void add_rim(const Update& update, const Rect& rim, bool is_read, Rewritten& before, Rewritten& after) {
    for (const std::size_t number : update.numbers) {
      Operation part = part_at(operations_[number], points_of(update, rim));
      if (is_read && number == update.numbers.back()) {
        View& output = std::get<Elementwise>(part.what).output;
        const View target = output;
        output = make_value(*target.store, target.shape, distribution_of(update, rim), stores_);
        after.add(copy_of(output, target, part.name, part.where), part_of(number));
      }
      before.add(std::move(part), part_of(number));
    }
  }

  const WindowOperations window_;
  const std::vector<Operation>& operations_;
  std::vector<WindowStore>& stores_;
  const machine::Machine& machine_;
  const WindowValues values_;
  std::vector<int> makers_;           // by store: of what updates compute on their way
  std::vector<std::size_t> pending_;  // operations whose update has not ended
  Kin kin_;
  std::vector<Joined> joined_;
};

// False: together, all that is written would fit the cache.
bool may_be_large(const std::vector<Operation>& operations, const machine::Machine& machine) {
  const std::int64_t least = machine.cache_bytes * machine.processors();
  std::int64_t bytes = 0;
  for (const Operation& operation : operations) {
    if (bytes >= least) return true;
    if (!operation.elementwise()) continue;
    const Store& store = *operation.elementwise()->output.store;
    bytes += store.shape.elements() * static_cast<std::int64_t>(itemsize(store.dtype));
  }
  return bytes >= least;
}

}  // namespace

Rewritten join_staggered_updates(const WindowOperations& window, std::vector<WindowStore>& stores,
                                 const machine::Machine& machine) {
  if (!may_be_large(window.operations, machine)) return {};
  return Joiner(window, stores, machine).rewrite();
}

}  // namespace pilum::scheduler
