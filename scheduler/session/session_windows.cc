// Where the recorded operations are cut into windows, and how each window gets its plan.
#include <algorithm>
#include <iterator>

#include "scheduler/analyze/fuser.h"
#include "scheduler/analyze/window.h"
#include "scheduler/memo/replan.h"
#include "scheduler/record/task_launch.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

constexpr std::size_t kLoopWindow = 48;                          // operations of a loop in a window, about
constexpr std::size_t kLargeWindow = 256, kMostLargeBodies = 8;  // of one that sweeps large arrays, and its bodies
constexpr int kSingleBodies = 4;                                 // windows of a loop, before more bodies go into one
constexpr std::size_t kMostLoops = 1024;                         // of which it is remembered whether bodies are small
constexpr double kPlanningSeconds = 100e-6;                      // what a window of a few operations takes

// While it lives, the trace is told what is planned.
class ObserverScope {
 public:
  ObserverScope(Planner& planner, PlanTrace* trace) : planner_(planner) { planner_.set_observer(trace); }
  ~ObserverScope() { planner_.set_observer(nullptr); }
  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;

 private:
  Planner& planner_;
};

// The one that holds the most first. So the two instances of a stencil's array, which take turns, look alike after
// every turn, and one plan does for both.
void sort_instances(StoreState& state) {
  for (ProcessorStore& local : state.local) {
    std::stable_sort(local.instances.begin(), local.instances.end(),
                     [](const auto& a, const auto& b) { return a->valid.cells() > b->valid.cells(); });
  }
}

// Those that roam, and that the operations see at places alone.
std::vector<StoreRef> stores_at_places(const std::vector<Operation>& operations) {
  std::vector<std::pair<StoreRef, unsigned>> stores;  // with the axes along which all views are at places
  for (const Operation& operation : operations) {
    for_each_view(operation, [&](const View& view, bool) {
      if (!roams(*view.store)) return;
      unsigned axes = 0;
      for (int k = 0; k < view.map.store_rank; ++k) axes |= static_cast<unsigned>(is_at_a_place(view, k)) << k;
      const auto known = std::ranges::find(stores, view.store, &std::pair<StoreRef, unsigned>::first);
      if (known == stores.end()) {
        stores.emplace_back(view.store, axes);
      } else {
        known->second &= axes;
      }
    });
  }
  std::vector<StoreRef> roaming;
  for (const auto& [store, axes] : stores)
    if (axes != 0) roaming.push_back(store);
  return roaming;
}

}  // namespace

// True where two bodies of a loop, which end at `end`, take less time than planning them, and where planning the two
// together finds nothing that both would share: then a body's plan, once made, does for any number of them. To find
// that out takes as long as planning, so it is remembered of a loop, for when it begins again.
bool Session::are_small_bodies(std::size_t end, std::size_t body) {
  const auto from = [&](std::size_t place) { return window_.begin() + static_cast<std::ptrdiff_t>(place); };
  const std::vector<Operation> last(from(end - body), from(end));
  double bytes = 0;
  int together = 0;
  for (const Operation& operation : last) {
    for_each_view(operation, [&](const View& view, bool) {
      bytes += static_cast<double>(view.shape.elements()) * static_cast<double>(itemsize(view.store->dtype));
      together += view.store->gathered;
    });
  }
  if (bytes > kPlanningSeconds * parts_.machine.memory_bandwidth * parts_.machine.processors()) return false;
  const std::source_location& where = last.back().where;
  if (small_bodies_.size() == kMostLoops) small_bodies_.clear();
  const auto [known, is_new] =
      small_bodies_.try_emplace(std::tuple(where.file_name(), where.line(), where.column(), body, bytes, together));
  if (is_new)
    known->second =
        count_tasks({from(end - 2 * body), from(end)}, {}, parts_.machine) == 2 * count_tasks(last, {}, parts_.machine);
  return known->second;
}

// A loop is known whose body is long, and where to cut it is not: what flows is known of a body that others follow.
bool Session::awaits_bodies() const {
  const std::size_t period = period_.period();
  return period > kLoopWindow && period <= body_limit_ && recorded() < 2 * period;
}

// Operations of each body of a window of so many that is planned body by body; 0: it is planned as a whole.
std::size_t Session::planned_body(std::size_t operations) const {
  return by_body_ && operations > body_ && operations % body_ == 0 ? body_ : 0;
}

// A loop's windows hold whole bodies, several where they are short; of several GPUs as many more, for between two
// graphs all of them wait for each other.
std::size_t Session::limit() const {
  if (!body_) return awaits_bodies() ? 2 * period_.period() : window_limit_;
  if (by_body_ && single_bodies_ < kSingleBodies) return body_;
  if (!by_body_ && body_ == large_body_)
    return std::clamp<std::size_t>(kLargeWindow / body_, 1, kMostLargeBodies) * body_;
  std::size_t most = std::min(kLoopWindow, window_limit_);
  if (parts_.machine.kind == machine::ProcessorKind::Gpu && parts_.config.window == 0 && body_ <= kLoopWindow)
    most *= static_cast<std::size_t>(parts_.machine.processors_per_rank);
  return std::max<std::size_t>(1, most / body_) * body_;
}

// Where a loop begins to be known, the window is cut where the least flows across; from there on in whole bodies. Where
// windows of one body follow, the second body is one already.
void Session::follow_period() {
  const std::size_t period = period_.period() <= body_limit_ ? period_.period() : 0;
  if (period == body_ || (body_ == 0 && awaits_bodies())) return;
  unfold();
  body_ = 0;
  by_body_ = false;
  single_bodies_ = 0;
  largest_written_ = 0;
  if (period == 0 || awaits_bodies()) return;
  const WindowEnd found{WindowEnd::Why::LoopFound, {}, period};
  bool by_body = false;
  if (window_.size() >= 2 * period) {
    // A body earlier, for what the next one uses is known there: at the end nothing seems to be used again.
    const std::size_t end = window_.size() - period;
    const std::size_t at = choose_cut(window_, end - period + 1, end) + period, left = window_.size() - at;
    // The loop may be noticed an operation late.
    by_body = are_small_bodies(window_.size(), period) || (at >= 2 * period && are_small_bodies(at, period));
    if (by_body || 2 * period > std::min(kLoopWindow, window_limit_)) {
      if (at > period) cut(at - period, /*keep_fills=*/true, found);
      cut(window_.size() - left, /*keep_fills=*/false, found);
    } else {
      cut(at, /*keep_fills=*/true, found);
    }
  } else if (window_.size() >= period) {
    cut(choose_cut(window_, window_.size() / 2), /*keep_fills=*/true, found);
  }
  body_ = period;
  by_body_ = by_body;
}

void Session::note_size(const Operation& operation) {
  const View* output = operation.output();
  if (!output) return;
  largest_written_ =
      std::max(largest_written_, output->shape.elements() * static_cast<std::int64_t>(itemsize(output->store->dtype)));
}

// Once a loop over large arrays has gone on for some windows, more of its bodies go into one, whenever it comes again:
// on cores, where what one body leaves in their caches the next ones find (memo/wavefront.h).
void Session::count_loop_window() {
  if (++single_bodies_ != kSingleBodies || by_body_) return;
  const machine::Machine& machine = parts_.machine;
  const bool is_large = window_limit_ >= kLoopWindow && machine.kind != machine::ProcessorKind::Gpu &&
                        machine.processors_per_rank == 1 && 2 * largest_written_ > machine.cache_bytes * machine.ranks;
  if (is_large || large_body_ == body_) large_body_ = is_large ? body_ : 0;
}

void Session::cut_body() {
  count_loop_window();
  if (repeated_.is_learning()) end_learning({planned_body(window_.size()), nullptr, 0, std::nullopt, {}});
  flush({WindowEnd::Why::LoopRounds, {}, body_});
  learn_next();
}

// With `keep_fills`, fills that nobody uses yet wait for the next window; but not where that is to begin at this place.
void Session::cut(std::size_t place, bool keep_fills, const WindowEnd& end) {
  window_end_ = end;
  const auto at = window_.begin() + static_cast<std::ptrdiff_t>(place);
  analysed_.assign(std::make_move_iterator(window_.begin()), std::make_move_iterator(at));
  std::vector<Operation> later =
      keep_fills && window_.size() < 2 * window_limit_ ? take_idle_fills(analysed_) : std::vector<Operation>();
  later.reserve(window_.capacity());  // it is the window then
  later.insert(later.end(), std::make_move_iterator(at), std::make_move_iterator(window_.end()));
  analyse_first(std::move(later));
}

void Session::cut_window() {
  // On several ranks as all of them see it.
  const bool is_small = parts_.machine.ranks == 1 ? ran_directly_ : since_cut_ > window_.size();
  if (is_small) return flush({WindowEnd::Why::Full, {}, window_.size()});  // nothing that flows is worth anything
  cut(choose_cut(window_, window_.size() / 2), /*keep_fills=*/true, {WindowEnd::Why::Full, {}, window_.size()});
}

Plan Session::make_plan(std::vector<Operation>& operations, std::vector<Operation>& later) {
  const profile::ScopedSpan span(profile_, "analysis", 0, [] { return std::string("window"); });
  printer_->print_operations(next_window_, operations);
  Plan plan;
  plan.window = next_window_++;
  plan.first = InstructionId{next_instruction_};
  release_dropped(plan);
  // What others see of it must not follow from what this rank has kept: so it is body by body always, or never.
  const bool repeats = operations.empty() && repeated_.is_complete();
  const std::size_t body = planned_body(repeats ? repeated_.window().planned() : operations.size());
  std::optional<WindowKey> window;
  StateSnapshots before;
  CachedPlan* cached = nullptr;
  plan_traffic_ = {};
  begin_undoable();
  try {
    if (repeats) {
      window = repeated_.take_key();
    } else if (cache_.enabled()) {
      window = make_window_key(operations, later, body);
    }
    if (window) window->blocks.insert(window->blocks.end(), mail_blocks_.begin(), mail_blocks_.end());
    if (may_undo_ && !window) before = take_snapshots(operations);
    cached = window ? cache_.find(*window) : nullptr;
    if (window && !cached) window->take_words();
    if (!cached || !is_replayed(*cached)) replayed_ = 0;
    if (repeats && !(cached && is_replayed(*cached))) {
      repeated_.put_together(*window, operations, later);
      stop_repeating();
    }
    ran_directly_ = !cached && run_directly(operations, later, window ? &*window : nullptr, plan);
    if (window && !cached && !ran_directly_) window->take_states();
    if (cached) {
      note_found(operations.empty() ? repeated_.window().operations().size() : operations.size());
      plan_from_cache(*cached, operations.empty() ? repeated_.window().operations() : operations, *window, plan);
      if (repeats && operations.empty()) repeated_.go_on(*window);
    } else if (ran_directly_) {
      // no plan
    } else if (body > 0) {
      plan_bodies(operations, later, window, plan);
    } else {
      remember(operations, later, window, plan);
    }
  } catch (...) {
    reserve_.reset();
    if (repeats && operations.empty()) {
      if (window) {
        repeated_.put_together(*window, operations, later);
      } else {
        operations = repeated_.take_operations();
      }
    }
    for (const Operation& operation : operations)
      for_each_view(operation, [](const View& view, bool) { view.store->window_index = -1; });
    const PlanKey* key = cached ? &cached->key : window ? &window->key : nullptr;
    if (direct_ && direct_->has_begun()) may_undo_ = false;
    undo(key ? StateSnapshots{window->stores, key->states, window->blocks} : before);
    next_window_ = plan.window;
    throw;
  }
  end_undoable();
  traffic_ += plan_traffic_;
  return plan;
}

void Session::plan_from_cache(CachedPlan& cached, std::span<const Operation> operations, const WindowKey& window,
                              Plan& plan) {
  if (is_replayed(cached)) {
    ++replayed_;
    replay(*planner_, cached, operations, window, plan, executor_.participants());
    if (cached.plan_template->is_wavefront()) profile_.counters.wavefronts.add();
  } else {
    replan(*planner_, cached, operations, window, plan);
  }
  charge(cached.cut_costs, window.stores, PlanIs::Found);
  profile_.counters.tasks.add(cached.tasks);
  count_again(cached, nullptr);
  if (planner_->is_full()) cache_.disable();  // plans must find room from now on
}

// As one instruction, where nobody asks for the single ones. A graph of a GPU takes about as long to make as some ten
// windows take to issue. Where there are several, windows hold as many more rounds (limit()), each of which is issued
// for as many; it does not show tasks to a profiler.
bool Session::is_replayed(CachedPlan& plan) const {
  if (!executes() || on_plan_) return false;
  if (parts_.gpus.empty()) return lanes_.size() == 1;
  const int gpus = parts_.machine.processors_per_rank, square = gpus * gpus;
  const int after = (parts_.config.graph_after + square - 1) / square;
  if (!parts_.config.profile.empty() || after == 0 || plan.times < after) return false;
  return plan.get_template()->runs_on_gpus();  // and no messages: the host's
}

// A window of several bodies of a small loop: each by the plan of a body that is known, if one is. The whole is kept,
// where all were known.
void Session::plan_bodies(std::vector<Operation>& operations, const std::vector<Operation>& later,
                          std::optional<WindowKey>& whole, Plan& plan) {
  std::optional<CachedPlan> kept;
  if (whole) kept.emplace().trace.begin(whole->stores, whole->blocks, whole->moving);
  std::vector<std::vector<ScalarSource>> scalars;
  std::vector<Operation> rest, body;
  rest.swap(operations);
  std::size_t left = rest.size();
  const auto give_back = [&operations](std::vector<Operation>& from, std::size_t count) {
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(count);
    operations.insert(operations.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(end));
    from.clear();
  };
  try {
    rest.insert(rest.end(), later.begin(), later.end());
    for (int first = 0; rest.size() > later.size(); first += static_cast<int>(body_)) {
      const auto end = rest.begin() + static_cast<std::ptrdiff_t>(body_);
      body.assign(std::make_move_iterator(rest.begin()), std::make_move_iterator(end));
      rest.erase(rest.begin(), end);
      left -= body.size();
      plan_body(body, rest, first, scalars, kept, plan);
      give_back(body, body.size());
    }
  } catch (...) {  // all of them are wanted again
    give_back(body, body.size());
    give_back(rest, left);
    throw;
  }
  if (kept) keep(std::move(*kept), std::move(scalars), *whole);
}

// One of them: `first` is the number of its first operation in the window.
void Session::plan_body(std::vector<Operation>& body, const std::vector<Operation>& rest, int first,
                        std::vector<std::vector<ScalarSource>>& scalars, std::optional<CachedPlan>& kept, Plan& plan) {
  std::optional<WindowKey> window;
  if (cache_.enabled()) window = make_window_key(body, rest, 0);
  if (window) window->blocks.insert(window->blocks.end(), mail_blocks_.begin(), mail_blocks_.end());
  const CachedPlan* cached = window ? cache_.find(*window) : nullptr;
  if (!cached) {
    kept.reset();
    if (window) window->take_states();
    remember(body, rest, window, plan);
    return;
  }
  for (std::vector<ScalarSource> sources : cached->trace.scalars()) {
    for (ScalarSource& source : sources) source.operation += first;
    scalars.push_back(std::move(sources));
  }
  const std::size_t first_task = scalars.size() - cached->trace.scalars().size();
  {
    const ObserverScope scope(*planner_, kept ? &kept->trace : nullptr);
    replan(*planner_, *cached, body, *window, plan, first_task);
  }
  charge(cached->cut_costs, window->stores, PlanIs::Found);
  for (const CutCost& cost : cached->cut_costs) {
    if (!kept) break;
    const int number = kept->trace.number_of(window->stores[static_cast<std::size_t>(cost.store)]->id);
    if (number != PlanTrace::kNoStore) kept->cut_costs.push_back({number, cost.seconds});
  }
  profile_.counters.tasks.add(cached->tasks);
  if (kept) kept->tasks += cached->tasks;
  count_again(*cached, kept ? &*kept : nullptr);
  if (planner_->is_full()) cache_.disable();
}

// Plans freshly, and keeps how, where the window has a key.
void Session::remember(std::vector<Operation>& operations, const std::vector<Operation>& later,
                       std::optional<WindowKey>& window, Plan& plan) {
  if (gathers_ && parts_.machine.ranks == 1) weigh_unfound(operations);
  Told told;
  if (!window) {
    const std::vector<StoreRef> stores = stores_with_kinds(operations);
    static_cast<void>(take_cut_costs(stores));
    plan_freshly(operations, later, told, plan);
    charge(take_cut_costs(stores), stores, PlanIs::New);
    return;
  }
  cache_.count_miss();
  CachedPlan cached;
  cached.trace.begin(window->stores, window->blocks, window->moving);
  static_cast<void>(take_cut_costs(window->stores));  // of plans that are not kept: arrays that came together
  std::vector<Task> tasks;
  {
    const ObserverScope scope(*planner_, &cached.trace);
    tasks = plan_freshly(operations, later, told, plan);
  }
  cached.traffic = told.own;
  cached.cut_costs = take_cut_costs(window->stores);
  charge(cached.cut_costs, window->stores, PlanIs::New);
  if (printer_->shows_fusion()) cached.fusion.push_back(told.entry);
  cached.tasks = static_cast<std::int64_t>(tasks.size());
  std::vector<std::vector<ScalarSource>> scalars;
  for (Task& task : tasks) scalars.push_back(std::move(task.scalar_sources));
  keep(std::move(cached), std::move(scalars), *window);
}

// Takes the key: nothing of the window is undone any more.
void Session::keep(CachedPlan plan, std::vector<std::vector<ScalarSource>> scalars, WindowKey& window) {
  if (!plan.trace.usable()) return;
  plan.was_choice = could_run_directly_;
  plan.trace.set_scalars(std::move(scalars));
  plan.end(window);
  if (!keep_in_place(plan, window)) cache_.add(std::move(plan));
}

// True where the plan left a store elsewhere, or in parts, that is pinned where the key does not say it: then this plan
// is of that place alone, and the next keys of the store say it.
bool Session::keep_in_place(const CachedPlan& plan, const WindowKey& window) {
  bool found = false;
  for (const int store : window.moved) {
    if (std::ranges::find(plan.changed, store) == plan.changed.end()) continue;
    window.stores[static_cast<std::size_t>(store)]->stays = true;
    found = true;
  }
  return found;
}

std::vector<Task> Session::plan_freshly(std::vector<Operation>& operations, const std::vector<Operation>& later,
                                        Told& told, Plan& plan) {
  const std::vector<StoreRef> roaming = stores_at_places(operations);
  std::vector<WindowStore> stores = collect_stores(operations, later, parts_.machine);
  std::vector<Task> tasks = fuse(operations, stores, parts_.machine, printer_->shows_fusion() ? &told.notes : nullptr);
  if (gathers_) note_gains(tasks, stores);
  const auto place = [&](const StoreRef& store) {
    const partitioner::Tiling& tiling = stores[static_cast<std::size_t>(store->window_index)].tiling;
    if (store->state && store->state->tiling.is_on_one() && !tiling.is_on_one()) planner_->spread(*store, tiling, plan);
    planner_->state_of(store, tiling);
  };
  for (const Task& task : tasks) {
    for (const Argument& read : task.reads) place(read.store());
    for (const Argument& reduction : task.reductions) place(reduction.store());
    for (const TaskWrite& write : task.writes) {
      if (write.kept) place(write.store());
    }
  }
  const std::vector<std::vector<Store*>> deaths = find_deaths(tasks, stores);
  count_traffic_of(tasks, stores, told);
  for (WindowStore& store : stores) store.store->window_index = -1;
  profile_.counters.tasks.add(static_cast<std::int64_t>(tasks.size()));
  printer_->print_tasks(plan.window, tasks);
  plan_and_tell(tasks, deaths, told, plan);
  for (const StoreRef& store : roaming) planner_->take_back_copies(*store, plan);
  for (const WindowStore& store : stores) {
    if (store.store->state) sort_instances(*store.store->state);
  }
  return tasks;
}

}  // namespace pilum::scheduler
