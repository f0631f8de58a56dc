#include "scheduler/analyze/fuser.h"

#include <algorithm>
#include <list>
#include <span>

#include "scheduler/analyze/beyond_parts.h"
#include "scheduler/analyze/fold_parts.h"
#include "scheduler/analyze/forward_results.h"
#include "scheduler/analyze/group.h"
#include "scheduler/analyze/launch_placement.h"
#include "scheduler/analyze/narrow.h"
#include "scheduler/analyze/numbers.h"
#include "scheduler/analyze/planes.h"
#include "scheduler/analyze/postpone.h"
#include "scheduler/analyze/read_through.h"
#include "scheduler/analyze/recompute.h"
#include "scheduler/analyze/shared_domain.h"
#include "scheduler/analyze/short_folds.h"
#include "scheduler/analyze/split_folds.h"
#include "scheduler/analyze/stages.h"
#include "scheduler/analyze/staggered.h"

namespace pilum::scheduler {
namespace {

constexpr std::size_t kLookBack = 12;         // groups an operation may be moved before
constexpr std::size_t kLookBackOfParts = 32;  // the same for one that was cut: its rims are groups too
constexpr std::size_t kMostWaiting = 64;      // values; each looks at all of them

// By store: some operation reads cells at other points than all that write it here. These it finds in memory, so the
// array is there, whoever else reads it from registers.
std::vector<bool> find_read_elsewhere(const std::vector<Operation>& operations, std::size_t stores) {
  std::vector<std::vector<const AffineMap*>> writes(stores);
  std::vector<bool> elsewhere(stores, false);
  for (const Operation& operation : operations) {
    if (const View* output = operation.output()) {
      writes[place_of(*output)].push_back(&output->map);
    }
  }
  for (const Operation& operation : operations) {
    for_each_input(operation, [&](std::size_t, const View& view) {
      const auto store = place_of(view);
      elsewhere[store] = elsewhere[store] || std::none_of(writes[store].begin(), writes[store].end(),
                                                          [&](const AffineMap* map) { return *map == view.map; });
    });
  }
  return elsewhere;
}

// Some cell that both see.
bool meet(const View& a, const View& b) {
  if (a.store != b.store) return false;
  if (a.map == b.map && a.shape == b.shape) return a.shape.elements() > 0;
  return overlaps(reached_cells(a), reached_cells(b));
}

bool reads_beyond(const Operation& operation) {
  bool found = false;
  for_each_input(operation, [&](std::size_t, const View& view) { found = found || goes_beyond(view); });
  return found;
}

bool touches(const Operation& operation, const View& cells) {
  bool found = false;
  for_each_view(operation, [&](const View& view, bool) { found = found || meet(view, cells); });
  return found;
}

// Appends operations to groups. A value of arrays that are in memory anyway waits for the first operation that uses it,
// and is computed with that: else it joined the group in which these arrays are at hand, and where that is not its
// consumer's, it was written and read again (2 * b of a next sweep), while its consumer most often reads them too. What
// waits follows from the recorded calls alone.
class Fuser {
 public:
  // Of these operations some may be added in parts.
  Fuser(const std::vector<Operation>& operations, std::vector<WindowStore>& stores, const machine::Machine& machine,
        FusionNotes* notes)
      : operations_(operations),
        stores_(stores),
        machine_(machine),
        on_gpus_(machine.kind == machine::ProcessorKind::Gpu),
        reads_beyond_(std::ranges::any_of(operations, reads_beyond)),
        notes_(notes) {}

  void add(PlacedOperation& placed) {
    touched_.resize(stores_.size(), kNobody);  // a task's writes may be staged in new ones
    made_here_.resize(stores_.size());
    const Elementwise* elementwise = placed.operation->elementwise();
    if (reads_beyond_) {
      placed.reads_beyond = elementwise && reads_beyond(*placed.operation);
      placed.sums_in_parts = is_sum_of_parts(*placed.operation, machine_);
    }
    if (elementwise && placed.is_whole) {
      const int toucher = touched_[place_of(*elementwise->output.store)];
      placed.fresh = toucher == kNobody || (placed.is_part && toucher == placed.number);
    }
    if (!waiting_.empty()) settle(placed);
    const Operation& operation = *placed.operation;
    const int number = placed.number;
    const bool waits = may_wait(placed) && std::none_of(waiting_.begin(), waiting_.end(), comes_along_with_next);
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
    if (reads_beyond_) cut_groups_beyond();
    std::vector<Task> tasks;
    tasks.reserve(groups_.size());
    for (const auto& group : groups_) group->mark_loads(stores_);
    for (std::size_t i = 0; notes_ && i < groups_.size(); ++i)
      (*notes_)[i].held = groups_[i]->held_values(stores_, groups_);
    for (const auto& group : groups_) tasks.push_back(group->finish(stores_));
    return tasks;
  }

 private:
  bool may_wait(const PlacedOperation& placed) const {
    const Operation& operation = *placed.operation;
    if (!operation.elementwise() || !placed.has_consumers) return false;
    if (!placed.fresh && !(reads_beyond_ && placed.is_early && !placed.is_part)) return false;
    if (placed.is_repeated) return true;
    if (waiting_.size() >= kMostWaiting) return false;
    int views = 0;
    bool may = true, in_place = false;
    for_each_input(operation, [&](std::size_t, const View& view) {
      ++views;
      in_place = in_place || view.store == operation.output()->store;
      may = may && (is_computed_with(placed, view) || is_in_memory(*view.store));
    });
    // Parts of an operation that wait are separated from those of its consumers, whose rims are written first. But
    // where these come in another stage they are so anyway. What counts its points is cheap where it is wanted: an
    // arange() would be written and read; so would a complex number, which is put together from two. So would what is
    // filled, `s = np::zeros(shape); s += …`, where its readers' group is one that is cut.
    const kernel::Op op = operation.elementwise()->op;
    if (views == 0) return (op == kernel::Op::Index || op == kernel::Op::Complex || reads_beyond_) && !placed.is_part;
    return may &&
           (views == 1 || ((!placed.is_part || placed.is_early) && (!in_place || (reads_beyond_ && placed.is_early))));
  }

  static bool comes_along_with_next(const PlacedOperation& waiting) { return waiting.comes_along; }

  // What waits is computed with the operation that uses it.
  bool is_computed_with(const PlacedOperation& placed, const View& input) const {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](const PlacedOperation& waiting) {
      return meet(*waiting.operation->output(), input) && finds_register(placed, waiting);
    });
  }

  // A value of this window may be in a register only where it was made.
  bool is_in_memory(const Store& store) const {
    if (!made_here_[place_of(store)]) return true;
    if (read_elsewhere_.empty()) read_elsewhere_ = find_read_elsewhere(operations_, stores_.size());
    return place_of(store) < read_elsewhere_.size() && read_elsewhere_[place_of(store)];
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

  // Places those that cannot wait any longer: this operation reads them at other points, or writes what they touch. The
  // latter come along with it where they may be one kernel: a task reads before it writes.
  void settle(const PlacedOperation& placed) {
    const Operation& operation = *placed.operation;
    const bool is_fused = operation.elementwise() || operation.reduction();
    for (PlacedOperation& waiting : waiting_) {
      const bool alike = is_fused && waiting.domain == placed.domain && waiting.distribution == placed.distribution;
      for_each_view(operation, [&](const View& view, bool write) {
        if (waiting.waits_no_longer) return;
        if (!write) {
          waiting.waits_no_longer =
              meet(view, *waiting.operation->output()) && !(is_fused && finds_register(placed, waiting));
        } else if (touches(*waiting.operation, view)) {
          (alike ? waiting.comes_along : waiting.waits_no_longer) = true;
        }
      });
    }
    place_those_that_wait_no_longer();
  }

  // Each with those that it is computed from, and with those that are computed from it: what is computed in between
  // would be written, and read again. But those that a later stage reads wait for it.
  void place_those_that_wait_no_longer() {
    const auto waits_no_longer = [](const PlacedOperation& waiting) { return waiting.waits_no_longer; };
    for (auto next = waiting_.begin();
         (next = std::find_if(waiting_.begin(), waiting_.end(), waits_no_longer)) != waiting_.end();) {
      is_taken_.assign(waiting_.size(), false);
      is_taken_[static_cast<std::size_t>(next - waiting_.begin())] = true;
      const auto is_read_by = [&](std::size_t maker, std::size_t reader) {
        return touches(*waiting_[reader].operation, *waiting_[maker].operation->output());
      };
      const int stage = next->stage;
      const auto goes_on_waiting = [&](std::size_t maker, std::size_t reader) {
        return waiting_[reader].stage > stage && is_in_memory(*waiting_[maker].operation->output()->store);
      };
      for (std::size_t i = 1; i < waiting_.size(); ++i) {
        for (std::size_t maker = 0; maker < i && !is_taken_[i]; ++maker)
          is_taken_[i] = is_taken_[maker] && is_read_by(maker, i) && finds_register(waiting_[i], waiting_[maker]) &&
                         !goes_on_waiting(maker, i);
      }
      take_inputs();
      append(taken_);
    }
  }

  // Those that wait and that this operation is computed from, or that come along with it, in their order, and itself.
  std::span<const PlacedOperation> take_with_inputs(const PlacedOperation& placed) {
    is_taken_.assign(waiting_.size(), false);
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      is_taken_[i] = waiting_[i].comes_along || touches(*placed.operation, *waiting_[i].operation->output());
    take_inputs();
    taken_.push_back(placed);
    return taken_;
  }

  // Moves those that are marked, and those that they are computed from, from those that wait to those that are taken.
  void take_inputs() {
    for (std::size_t i = waiting_.size(); i-- > 0;) {
      const View& value = *waiting_[i].operation->output();
      for (std::size_t later = i + 1; later < waiting_.size() && !is_taken_[i]; ++later)
        is_taken_[i] = is_taken_[later] && touches(*waiting_[later].operation, value);
    }
    taken_.clear();
    std::size_t left = 0;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (is_taken_[i]) {
        taken_.push_back(waiting_[i]);
      } else if (left++ != i) {
        waiting_[left - 1] = waiting_[i];
      }
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(left), waiting_.end());
  }

  // The group that all of these may join: the latest, or for parts the one that has the same part of other operations,
  // with which the next ones will want to be. One that has an operation of a later stage is passed over (`later`) for
  // one that has made what they are computed from, or reads it. As many as there are groups: none.
  std::size_t find_group(std::span<const PlacedOperation> together) const {
    const PlacedOperation& last = together.back();
    const std::size_t look_back = last.is_part ? kLookBackOfParts : kLookBack;
    const Rect cells = last.is_part ? image(last.output, last.domain) : Rect{};
    std::size_t latest = groups_.size(), later = groups_.size();
    bool before_call = false;
    for (std::size_t back = 0; back < std::min(look_back, groups_.size()); ++back) {
      const std::size_t candidate = groups_.size() - 1 - back;
      const Group& group = *groups_[candidate];
      int more = 0;
      if (std::all_of(together.begin(), together.end(),
                      [&](const PlacedOperation& placed) { return group.can_join(placed, more++); }) &&
          !has_enough_folds(together, group) && !(before_call && gains_nothing(together, group))) {
        const bool suits = !last.is_part || group.has_part(cells);
        if (suits && group.stage() <= last.stage)
          return later < groups_.size() && !has_more_inputs(together, group, *groups_[later]) ? later : candidate;
        if (suits && later == groups_.size()) later = candidate;
        if (latest == groups_.size()) latest = candidate;
      }
      if (std::any_of(together.begin(), together.end(),
                      [&](const PlacedOperation& placed) { return group.depends(placed); }))
        break;
      before_call = before_call || group.is_opaque();
    }
    return later < groups_.size() ? later : latest;
  }

  // Moved before a library's call, their result would take memory meanwhile, and nothing that they read is at hand
  // there: of an array in panels, each of which is copied for a product, all would be copied first.
  static bool gains_nothing(std::span<const PlacedOperation> together, const Group& group) {
    constexpr std::int64_t kSmall = 64 * 1024;  // bytes, of what launches alone are worth
    const View* result = together.back().operation->output();
    if (!result || result->shape.elements() * static_cast<std::int64_t>(itemsize(result->store->dtype)) <= kSmall)
      return false;
    return std::ranges::none_of(together,
                                [&group](const PlacedOperation& placed) { return group.has_at_hand(placed); });
  }

  // One group has made some of what they are computed from, or reads more of it from memory than another one.
  static bool has_more_inputs(std::span<const PlacedOperation> together, const Group& one, const Group& other) {
    int more = 0;
    for (const PlacedOperation& placed : together) {
      if (one.has_input_of(placed)) return true;
      for_each_input(*placed.operation, [&](std::size_t, const View& view) {
        more += one.reads_store(view.store.get()) - other.reads_store(view.store.get());
      });
    }
    return more > 0;
  }

  // A loop of small folds, each of a window of an array that lies elsewhere, as in a convolution: where the loop's rows
  // end other neighbours meet. If what they have in common were in the kernel, each set of them would be one of its
  // own, for the GPU's compiler to spend a third of a second on; and so would be each number of them, for windows end
  // anywhere.
  static constexpr int kMostFoldsApart = 4;
  bool folds_apart(std::span<const PlacedOperation> together, const Group& group) const {
    constexpr std::int64_t kSmallFold = 64 * 1024;  // points
    const PlacedOperation& last = together.back();
    return on_gpus_ && last.operation->reduction() && last.domain.cells() <= kSmallFold && group.folds() > 0;
  }

  bool has_enough_folds(std::span<const PlacedOperation> together, const Group& group) const {
    return folds_apart(together, group) && group.folds() >= std::size_t{kMostFoldsApart};
  }

  // All into one group, where they do not hinder one another: one that is there, or a new one.
  void append(std::span<const PlacedOperation> together) {
    const std::size_t target = find_group(together);
    if (notes_ && target == groups_.size()) note_refusals(together);
    const bool apart = target < groups_.size() && folds_apart(together, *groups_[target]);
    for (std::size_t i = 0; i < together.size(); ++i) {
      if (target == groups_.size()) {
        groups_.push_back(std::make_unique<Group>(together[i]));
      } else if (i == 0 || groups_[target]->can_join(together[i])) {
        groups_[target]->join(together[i], apart);
      } else {  // it writes what one of those before it wrote, at other points
        append(together.subspan(i));
        return;
      }
      if (reads_beyond_) {
        members_.resize(groups_.size());
        members_[target].push_back(together[i]);
      }
      if (notes_) note_member(*notes_, target, together[i]);
    }
  }

  void cut_groups_beyond() {
    std::vector<std::unique_ptr<Group>> groups;
    FusionNotes notes;
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      if (groups_[number]->cuts().empty()) {
        groups.push_back(std::move(groups_[number]));
        if (notes_) notes.push_back(std::move((*notes_)[number]));
        continue;
      }
      const std::size_t first = groups.size();
      for (const std::vector<PlacedOperation>& part :
           cut_beyond(members_[number], groups_[number]->cuts(), stores_, machine_.processors() == 1, parts_)) {
        const std::size_t before = groups.size();
        for (const PlacedOperation& placed : part) {
          if (groups.size() > before && groups.back()->can_join(placed)) {
            groups.back()->join(placed);
          } else {
            groups.push_back(std::make_unique<Group>(placed));
          }
          if (notes_) note_member(notes, groups.size() - 1, placed);
        }
      }
      if (!notes_) continue;
      for (std::size_t k = first; k + 1 < groups.size(); ++k) notes[k].refusals = {note_of_parts(members_[number])};
      notes.back().refusals = (*notes_)[number].refusals;
    }
    groups_ = std::move(groups);
    if (notes_) *notes_ = std::move(notes);
  }

  // Why the parts of a group are groups of their own.
  static Refusal note_of_parts(std::span<const PlacedOperation> members) {
    const auto reader = std::ranges::find_if(members, &PlacedOperation::reads_beyond);
    return {.hindrance = Hindrance::ReadsBeyond, .refused = {reader->operation->name, reader->operation->where}};
  }

  // A new group begins with these: what kept the first of them that was refused out of the last one.
  void note_refusals(std::span<const PlacedOperation> together) {
    if (groups_.empty()) return;
    int more = 0;
    for (const PlacedOperation& placed : together) {
      notes_->back().refusals = groups_.back()->refusals_of(placed, more++);
      if (!notes_->back().refusals.empty()) return;
    }
    if (!has_enough_folds(together, *groups_.back())) return;
    const Operation& last = *together.back().operation;
    notes_->back().refusals.push_back(
        {.hindrance = Hindrance::TooManyFolds, .refused = {last.name, last.where}, .most = kMostFoldsApart});
  }

  static void note_member(FusionNotes& notes, std::size_t group, const PlacedOperation& placed) {
    if (group == notes.size()) notes.emplace_back();
    notes[group].members.push_back({{placed.operation->name, placed.operation->where}, placed.number, placed.is_part});
  }

  const std::vector<Operation>& operations_;
  std::vector<WindowStore>& stores_;
  const machine::Machine& machine_;
  const bool on_gpus_;
  const bool reads_beyond_;  // some operation does, an array's ends
  FusionNotes* notes_;       // null: nobody asks
  static constexpr int kNobody = -1, kOthers = -2;
  std::vector<int> touched_;                  // by store, in this window: the operation that alone wrote it
  std::vector<bool> made_here_;               // by store: in this window
  mutable std::vector<bool> read_elsewhere_;  // by store; empty: nobody has asked
  std::vector<PlacedOperation> waiting_;
  std::vector<PlacedOperation> taken_;  // of those that wait, for the one that goes into a group now; and that one
  std::vector<bool> is_taken_;          // side by side with those that wait
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<std::vector<PlacedOperation>> members_;  // side by side with the groups, where some read beyond
  std::list<Operation> parts_;                         // of these
};

// The window's operations with what is seen through, computed again and joined; empty: they are best as they are.
Rewritten rewrite(const std::vector<Operation>& recorded, std::vector<WindowStore>& stores,
                  const machine::Machine& machine) {
  Rewritten rewritten;
  const auto apply = [&](const auto& pass) {
    const bool is_first = rewritten.operations.empty();
    Rewritten next =
        pass(is_first ? WindowOperations{recorded} : WindowOperations{rewritten.operations, &rewritten.origins});
    if (!next.operations.empty()) rewritten = std::move(next);
  };
  const auto apply_all = [&](const auto&... passes) {
    (apply([&](const WindowOperations& window) { return passes(window, stores, machine); }), ...);
  };
  apply_all(forward_results, postpone_writes, narrow_values, take_planes_apart, read_through, split_folds,
            unroll_short_folds, repeat_numbers, recompute_values, join_staggered_updates, fold_in_parts);
  return rewritten;
}

// Of cores: a column of an array that the caches do not hold is run strip by strip with what comes before and behind it
// (memo/wavefront.h); together with a row it would have to wait for all strips.
std::int8_t line_of(const PlacedOperation& placed, const machine::Machine& machine) {
  const Store& store = *placed.operation->output()->store;
  const bool is_large = bytes_of(store) > machine.cache_bytes;
  if (machine.kind == machine::ProcessorKind::Gpu || !is_large || placed.domain.rank != 1)
    return PlacedOperation::kNoLine;
  for (int k = 0; k < placed.output.store_rank; ++k) {
    if (placed.output[k].axis >= 0) return static_cast<std::int8_t>(k);
  }
  return PlacedOperation::kNoLine;
}

}  // namespace

std::vector<Task> fuse(std::vector<Operation>& recorded, std::vector<WindowStore>& stores,
                       const machine::Machine& machine, FusionNotes* notes) {
  const bool one_processor = machine.processors() == 1;
  std::list<std::vector<Operation>> expanded;
  const Rewritten rewritten = rewrite(recorded, stores, machine);
  const bool is_rewritten = !rewritten.operations.empty();
  const std::vector<Operation>& operations = is_rewritten ? rewritten.operations : recorded;
  Fuser fuser(operations, stores, machine, notes);
  const Stages stages = find_stages(operations, stores);
  SharedDomains shared(operations, machine);
  int stage = 0;
  bool is_early = false;
  const auto add = [&](const Operation& operation, const Origin& origin) {
    PlacedOperation placed = place(operation, stores, one_processor, origin.number);
    placed.is_part = origin.is_part;
    placed.has_consumers = !origin.is_seen_through;
    placed.is_repeated = origin.is_repeated;
    placed.stage = stage;
    placed.is_early = is_early;
    placed.line = line_of(placed, machine);
    const auto is_whole = [](const View* output) {
      return output && output->shape.elements() == output->store->shape.elements();
    };
    placed.is_whole =
        is_whole(operation.output()) || is_whole(recorded[static_cast<std::size_t>(origin.number)].output());
    fuser.add(placed);
  };
  for (std::size_t i = 0; i < operations.size(); ++i) {
    Origin origin = is_rewritten ? rewritten.origins[i] : Origin{.number = static_cast<int>(i)};
    const TaskLaunch* launch = operations[i].launch();
    stage = stages.latest[i];
    is_early = !launch && stages.latest[i] > stages.earliest[i];
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
        PlacedOperation placed{
            .operation = &operation, .domain = staged->domain, .distribution = distribution, .number = origin.number};
        fuser.add(placed);
      } else {
        add(operation, {.number = origin.number});
      }
    }
  }
  return fuser.finish();
}

std::size_t count_tasks(std::vector<Operation> operations, const std::vector<Operation>& later,
                        const machine::Machine& machine) {
  std::vector<WindowStore> stores = collect_stores(operations, later, machine);
  const std::vector<Task> tasks = fuse(operations, stores, machine);  // hold stores that are theirs alone
  for (WindowStore& store : stores) store.store->window_index = -1;
  return tasks.size();
}

std::vector<std::vector<Store*>> find_deaths(const std::vector<Task>& tasks, const std::vector<WindowStore>& stores) {
  std::vector<std::vector<Store*>> deaths(tasks.size());
  std::vector<bool> seen(stores.size(), false);
  for (std::size_t i = tasks.size(); i-- > 0;) {
    const auto meet = [&](const StoreRef& store) {
      const auto number = place_of(*store);
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
