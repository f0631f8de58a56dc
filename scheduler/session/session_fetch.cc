#include <algorithm>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "scheduler/memory/read_view.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {

// The instance of this rank that has all of the view; of replicated stores alone, of which every rank has one or can
// make one of what it has: which it is depends on what the rank read of them.
const Instance* Session::find_everywhere(const View& view) {
  if (view.store->resting) planner_->wake(*view.store);
  if (!view.store->state || !view.store->state->is_whole(parts_.machine.ranks)) return nullptr;
  const Rect cells = cells_of(view);
  for (const auto& instance : view.store->state->local[0].instances) {
    if (instance->valid.contains(cells)) return instance.get();
  }
  auto plan = std::make_unique<Plan>();
  plan->window = next_window_;  // others may have no such plan: it has no messages
  plan->first = InstructionId{next_instruction_};
  const StateSnapshots before = take_snapshots({&view.store, 1});
  begin_undoable();
  const Instance* collected = nullptr;
  try {
    collected = &planner_->collect(*view.store, cells, *plan);
  } catch (const std::exception& error) {
    undo(before);
    if (!undone_ && !failed()) fail_for_good(error.what());
    throw;
  }
  end_undoable();
  submit(std::move(plan));
  return collected;
}

// Once they are there. A GPU's cells come to the host first, as soon as they are computed: nothing else is waited for.
std::vector<std::byte> Session::read(const Instance& instance, const View& view) {
  if (!staging_ || instance.block->book == staging_) {
    if (staging_) ++next_window_;  // other ranks may have theirs on the GPU
    wait_for_executor();
    return read_view(instance, view);
  }
  auto plan = std::make_unique<Plan>();
  plan->window = next_window_++;
  plan->first = InstructionId{next_instruction_};
  const Instance here = planner_->copy_to_host(instance, cells_of(view), *view.store, *plan);
  const InstructionId first = plan->first;
  const InstructionId end{first.value + static_cast<std::int64_t>(plan->instructions.size())};
  submit(std::move(plan));
  executor_.wait_until([&] { return executor_.are_done(first, end); });
  return read_view(here, view);
}

// Splits the window as long as its rest may wait: what is run now goes into analysed_. False where all of it is.
bool Session::take_waiting(const Store& wanted, std::size_t waited) {
  put_together();
  if (!follows_loops_ || short_of_memory_ || window_.empty()) return false;
  const std::optional<std::uint64_t> window = WaitingOperations::identify(window_, waited, wanted, parts_.machine);
  const std::vector<bool> waits =
      window ? waiting_.choose(*window, window_, waited, wanted, parts_.machine) : std::vector<bool>();
  if (repeated_.is_learning()) {
    const auto waiting = static_cast<std::size_t>(std::ranges::count(waits, true));
    if (window && !waiting_.is_decided(*window)) {
      repeated_.forget();
    } else {
      end_learning({planned_body(window_.size() - waiting), &wanted, waited, window, waits});
    }
  }
  if (waits.empty()) return false;
  split_window(waits);
  return true;
}

void Session::analyse_needed(const Store& wanted, std::size_t waited, const WindowEnd& end) {
  if (repeated_.is_complete() && is_cut_as_expected(wanted, waited)) {
    cut_repeated(end);
  } else if (take_waiting(wanted, waited)) {
    window_end_ = end;
    analyse_first(std::move(window_));
  } else {
    analyse_all(end);
  }
  waited_ = window_.size() + repeated_.size();
  learn_next();
}

std::vector<std::byte> Session::fetch(const View& view, const char* operation, std::source_location where) try {
  if (view.shape.elements() == 0) return {};
  executor_.check();
  if (guards_ > 0) refuse_guarded(view, operation, where);
  aliases_.before_read(*view.store);
  if (std::vector<std::byte>* all = find_mirror(view, operation, where)) {
    const bool goes_on = goes_on_reading(where);
    watch_->called(operation, where);
    std::vector<std::byte> cells = read_cells(*all, view);
    if (!goes_on) watch_->confirm(operation, where, view.store->dtype, cells);
    last_mirrored_ = watch_->last_call().number;
    return cells;
  }
  watch_->called(operation, where);
  analyse_for(view, {WindowEnd::Why::ValueRead, {operation, where}}, waited_);
  std::vector<std::byte> cells = gather(view, operation, where);
  if (executes()) watch_->confirm(operation, where, view.store->dtype, cells);
  return cells;
} catch (const std::bad_alloc&) {
  throw MemoryError(fmt::format(
      "[{}] the process has no memory left for a copy of the cells, {} of shape {}. {}Fetch them part by part, through "
      "views, or "
      "raise the limit (ulimit -v). Called at {}:{}",
      operation, name(view.store->dtype), to_string(view.shape), describe_stores(), where.file_name(), where.line()));
}

// The cells on this rank, once they are computed; what they follow from is analysed.
std::vector<std::byte> Session::gather(const View& view, const char* operation, std::source_location where) {
  if (const Instance* instance = find_everywhere(view); instance && executes()) return read(*instance, view);
  StoreRef copy = make_store(view.shape, view.store->dtype, operation, where);
  copy->replicate = true;
  const Handle handle(copy);
  record(copy_of(view, whole(copy), operation, where));
  analyse_for(whole(copy), {WindowEnd::Why::ValueRead, {operation, where}}, 0);  // what waits does so for one value
  const Instance* instance = find_everywhere(whole(copy));
  PILUM_CHECK(instance, "store {} was gathered and is not here", copy->id.value);
  if (!executes()) {
    return std::vector<std::byte>(static_cast<std::size_t>(view.shape.elements()) * itemsize(copy->dtype));
  }
  return read(*instance, whole(copy));
}

}  // namespace pilum::scheduler
