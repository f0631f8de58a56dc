#include "scheduler/session/session.h"

#include <algorithm>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "runtime/machine/print.h"
#include "scheduler/record/task_launch.h"
#include "scheduler/watch/call_digest.h"

namespace pilum::scheduler {
namespace {

constexpr int kMaxPlansInFlight = 8;
constexpr std::size_t kDefaultWindow = 256;
constexpr std::size_t kCachedPlans = 64;
constexpr std::int64_t kLargestCell = 16;  // bytes

// What is printed names stores and instructions as they are this time: plans are made each time then.
std::size_t most_cached_plans(const Config& config) {
  if (prints_every_plan(config)) return 0;
  return config.plan_cache < 0 ? kCachedPlans : static_cast<std::size_t>(config.plan_cache);
}

}  // namespace

Session::Session(SessionParts parts)
    : parts_(std::move(parts)),
      profile_(!parts_.config.profile.empty()),
      pool_(parts_.memory_limit),
      executor_(*parts_.communicator, profile_),
      cache_(most_cached_plans(parts_.config)),
      follows_loops_(parts_.config.plan_cache != 0),
      surely_fit_(parts_.total_memory > 0 ? parts_.total_memory / kLargestCell : INT64_MAX) {
  PILUM_CHECK(executes() == (parts_.jit != nullptr), "a session has a Jit if and only if it executes");
  const auto chosen = static_cast<std::size_t>(std::max<std::int64_t>(0, parts_.config.window));
  window_limit_ = chosen ? chosen : kDefaultWindow;
  body_limit_ = chosen ? chosen : PeriodFinder::kLongest;
  printer_ = std::make_unique<Printer>(parts_.config, parts_.communicator->rank(), parts_.machine.ranks);
  control_ = std::make_unique<ControlChannel>(executor_);
  watch_ = std::make_unique<Watch>(executor_, *control_, /*all_bytes=*/parts_.config.check == "full");
  make_memories();
  executor_.set_bandwidth(parts_.machine.memory_bandwidth);
  make_mail_partners();
  make_planner();
  make_direct();
  show_config();
  if (parts_.config.show_stats) profile_.busy.switch_on();
  if (executes()) make_lanes();
  begin_stats();
  executor_.set_on_idle([this] { watch_->look(); });
  executor_.set_shares_cores(parts_.shares_cores);
  if (executes()) {
    stall_watch_ = std::make_unique<StallWatch>(
        StallWatch::Parts{executor_, *control_, *watch_, rank(), parts_.machine.ranks, parts_.config.stall_abort});
  }
  log("scheduler")
      .debug("rank {} of {} over {}: {}", rank(), parts_.machine.ranks, transport(),
             machine::to_string(parts_.machine));
}

std::int64_t Session::peak_bytes() const {
  std::int64_t peak = 0;
  for (const auto& book : books_) {
    if (book.get() != staging_ && book.get() != lent_) peak += static_cast<std::int64_t>(book->peak());
  }
  return peak;
}

Session::~Session() {
  aliases_.clear();
  for (Handle& handle : lent_stores_) handle.store()->recorder = nullptr;  // nothing is dropped any more
  lent_stores_.clear();
  while (first_dropped_) {
    const StoreRef store(first_dropped_);
    first_dropped_ = store->next_dropped;
    if (store->resting) planner_->release_resting(*store);
    --store->references;  // the list's
  }
  while (stores_.next) {  // handles that outlive their runtime are only destroyed
    Store* store = stores_.next;
    if (store->resting) planner_->release_resting(*store);
    store->recorder = nullptr;
    store->state = nullptr;
    stores_.next = store->next;
    if (store->next) store->next->previous = &stores_;
    store->previous = store->next = nullptr;
  }
  stall_watch_.reset();
  if (!finished_) {
    executor_.fail(std::make_exception_ptr(RuntimeError("[Runtime] the runtime was ended before all work was done")));
  }
  lanes_.clear();    // joins the workers
  if (!finished_) {  // before the memory is given back from which messages may still be read
    watch_.reset();
    control_.reset();
    parts_.communicator.reset();
  }
  for (const auto& gpu : parts_.gpus) {
    try {
      gpu->finish();
    } catch (const std::exception& error) {  // after a failure it says no more than that
      if (!executor_.failed()) log("scheduler").error("{}", error.what());
    }
  }
}

StoreRef Session::make_store(const Shape& shape, DType dtype, const char* operation, std::source_location where) {
  if (shape.elements() > surely_fit_) check_size(shape, dtype, operation, where);
  return add_store(shape, dtype, operation, where);
}

StoreRef Session::add_store(const Shape& shape, DType dtype, const char* operation, std::source_location where) {
  auto* store = new (std::nothrow) Store;
  if (!store) throw_no_records(operation, where);
  store->id = StoreId{next_store_++};
  store->shape = shape;
  store->dtype = dtype;
  store->operation = operation;
  store->where = where;
  store->recorder = this;
  if (parts_.machine.ranks > 1) store->digest = digest_of(*store);
  store->previous = &stores_;
  store->next = stores_.next;
  if (stores_.next) stores_.next->previous = store;
  stores_.next = store;
  store->large = shape.rank() > 0 && bytes_of(*store) >= parts_.machine.split_bytes;
  if (store->large && gathers_) begin_kind(*store);
  return StoreRef(store);
}

void Session::check(const TaskLaunch& launch) {
  if (body_kernels_ && launch.body->gpu) static_cast<void>(body_kernels_->get_ready(launch));
}

void Session::record(Operation&& operation) try {
  executor_.check();
  if (aliases_.any()) aliases_.before(operation);
  if (guards_ > 0) {
    for_each_view(operation, [&](const View& view, bool) { refuse_guarded(view, operation.name, operation.where); });
  }
  if (gathers_) note_uses(operation);
  if (next_mirror_ > 0) note_written(operation);
  number_names_.give(operation);
  // Before what it cuts, for that may wait for ranks that have not made this call, and never will.
  watch_->recorded(operation);
  if (repeated_.size() > 0 && record_again(operation)) return;
  if (short_of_memory_) {
    if (window_.size() >= retry_at_) flush({WindowEnd::Why::MemoryIsShort});
  } else {
    if (follows_loops_) follow_period();
    if (window_.size() >= limit()) body_ ? cut_body() : cut_window();
  }
  if (repeated_.is_known() && window_.size() == waited_ && record_again(operation)) return;
  note_size(operation);
  profile_.counters.operations.add_alone();
  if (repeated_.is_learning() && !repeated_.learn(operation, period_)) stop_repeating();
  if (follows_loops_) period_.add(operation);
  if (repeated_.is_learning()) repeated_.learn_hash(period_.last_hash());
  if (planner_->resting() > 0) {
    for_each_view(operation, [this](const View& view, bool) {
      if (view.store->resting) planner_->wake(*view.store);
    });
  }
  window_.push_back(std::move(operation));
  executor_.work_meanwhile();
} catch (const std::bad_alloc&) {
  throw_no_records(operation.name, operation.where);
}

void Session::join(const View& view, const StoreRef& other, std::source_location where) try {
  aliases_.join(view, other, where);
} catch (const std::bad_alloc&) {
  throw_no_records("reshape", where);
}

void Session::drop(Store& store) noexcept {
  if (aliases_.any()) aliases_.drop(store);
  ++store.references;
  (last_dropped_ ? last_dropped_->next_dropped : first_dropped_) = &store;
  last_dropped_ = &store;
  store.next_dropped = nullptr;
  if (next_mirror_ > 0) forget_mirror(store);
}

void Session::flush(const WindowEnd& end) {
  if (repeated_.is_complete() && !repeated_.window().keeps_some()) return cut_repeated(end);
  unfold();
  window_end_ = end;
  if (short_of_memory_) give_up_dropped();
  if (window_.empty()) return;
  analysed_.clear();
  analysed_.swap(window_);
  analyse_first({});
}

void Session::analyse(std::vector<Operation>& operations, std::vector<Operation>& later) {
  profile_.counters.windows.add();
  const std::size_t recorded =
      operations.size() + (operations.empty() && repeated_.is_complete() ? repeated_.window().planned() : 0);
  std::unique_ptr<Plan> plan;
  bool in_parts = false;
  undone_ = false;
  try {
    agree_on_ends(operations);
    plan = std::make_unique<Plan>(make_plan(operations, later));
  } catch (const MemoryError& error) {
    if (!undone_) fail_for_good(error.what());
    // What the plan itself frees can be had once that has run.
    in_parts = freed_by_undone_ > 0 && operations.size() > 1;
    if (!in_parts) throw;
  } catch (const std::bad_alloc&) {
    if (!undone_) fail_for_good("[Runtime] the process has no memory left for the records of its arrays");
    throw;
  } catch (...) {
    executor_.fail(std::current_exception(), /*told=*/true);  // half a plan: nothing after it can be right
    throw;
  }
  if (in_parts) return analyse_in_parts(operations, later);
  const std::size_t max_checked = 2 * recorded + 8;  // more than there are new stores
  operations.clear();
  release_dropped(*plan);
  profile_.counters.plans.add();
  profile_.counters.peak_bytes.raise_to(peak_bytes());
  printer_->print_plan(*plan);
  if (on_plan_) on_plan_(*plan);
  if (!ran_directly_ || !plan->instructions.empty()) submit(std::move(plan));
  planner_->rest_some(period_.count(), max_checked);
}

void Session::submit(std::unique_ptr<Plan> plan) {
  next_instruction_ += static_cast<std::int64_t>(plan->instructions.size());
  if (!executes()) return;
  const bool awaited = window_end_.why == WindowEnd::Why::ValueRead || window_end_.why == WindowEnd::Why::Called;
  for (Instruction& instruction : plan->instructions) {
    if (auto* again = std::get_if<ReplayedPlan>(&instruction.what)) again->awaited = awaited;
  }
  if (parts_.config.show_stats && first_plan_at_ == 0) first_plan_at_ = profile::now();
  thread_place_.look();
  try {
    executor_.submit(std::move(plan));
  } catch (const std::bad_alloc&) {
    fail_for_good("[Runtime] the process has no memory left to run what is planned");
  }
  note_plan();
  executor_.wait_for_plans(kMaxPlansInFlight);
}

void Session::note_plan() {
  constexpr int kOfLate = 64;
  if (++submitted_ > kOfLate) submitted_ /= 2, held_up_ /= 2;
  held_up_ += executor_.plans_in_flight() > kMaxPlansInFlight;
}

void Session::execute_so_far(Plan& plan) {
  auto part = std::make_unique<Plan>();
  part->window = plan.window;
  part->first = plan.first;
  part->instructions.swap(plan.instructions);
  plan.first = InstructionId{plan.first.value + static_cast<std::int64_t>(part->instructions.size())};
  printer_->print_plan(*part);
  if (on_plan_) on_plan_(*part);
  submit(std::move(part));
  wait_for_executor();
}

void Session::wait_for_executor() {
  if (executes()) executor_.wait();
}

void Session::wait(std::source_location where) {
  executor_.check();
  watch_->called("wait", where);
  run_all({WindowEnd::Why::Called, {"wait", where}});
  settle_lent();
}

void Session::analyse_all(const WindowEnd& end) try {
  executor_.check();
  flush(end);
} catch (const std::bad_alloc&) {
  throw_no_records("wait", std::source_location::current());
}

void Session::run_all(const WindowEnd& end) try {
  for (const Handle& lent : lent_stores_) aliases_.before_read(*lent.store());
  analyse_all(end);
  wait_for_executor();
} catch (const std::bad_alloc&) {
  throw_no_records("wait", std::source_location::current());
}

void Session::finish() {
  // The end cuts the last window: it is a call, and known to be one before this rank waits for what that sends.
  watch_->called("~Runtime", std::source_location::current());
  run_all({WindowEnd::Why::Called, {"~Runtime", std::source_location::current()}});
  settle_lent();
  if (executes()) executor_.wait_for_messages();
  finished_ = true;
  printer_->print_counts();
  report();
  watch_->leave();
  stall_watch_.reset();  // its thread uses the communicator
  parts_.communicator->finalize();
}

}  // namespace pilum::scheduler
