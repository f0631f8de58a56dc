// Where memory does not do: a plan is undone, its operations wait in the window, the session goes on.
#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/log.h"
#include "runtime/machine/print.h"
#include "scheduler/analyze/window.h"
#include "scheduler/record/task_launch.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

// Of the process's memory, untouched: what undoing a plan takes, or saying that there is none, where there is none
// left.
constexpr std::size_t kReserve = 2 << 20;

}  // namespace

// Nothing of a plan runs before the whole of it is made, so what it changed in the books can be put back as it was. Not
// on several ranks: the others have planned with what this one sends them. Nor on GPUs: where they are full a part is
// run to make room for the rest.
void Session::begin_undoable() {
  may_undo_ = parts_.machine.ranks == 1 && !staging_;
  undone_ = false;
  if (may_undo_ && !reserve_) reserve_.reset(new (std::nothrow) std::byte[kReserve]);
  if (may_undo_) planner_->keep_freed(true);
}

void Session::end_undoable() {
  if (may_undo_) planner_->keep_freed(false);
}

void Session::undo(const StateSnapshots& before) {
  if (!may_undo_) return;
  reserve_.reset();
  freed_by_undone_ = planner_->freed_in_plan();
  wait_for_executor();
  planner_->undo(before);
  planner_->keep_freed(false);
  undone_ = true;
}

void Session::fail_for_good(const char* text) {
  const char* why =
      parts_.machine.ranks > 1 ? "Ranks have planned their messages by then" : "A part of the work has run by then";
  const MemoryError error(fmt::format("{}. {}: this error is final, the runtime cannot go on", text, why));
  executor_.fail(std::make_exception_ptr(error), /*told=*/true);
  throw error;
}

void Session::throw_no_records(const char* operation, std::source_location where) {
  reserve_.reset();
  throw MemoryError(
      fmt::format("[{}] the process has no memory left for the records of {} arrays. Drop some and go on, or "
                  "raise the limit (ulimit -v). Called at {}:{}",
                  operation, planner_->states().size() + planner_->resting(), where.file_name(), where.line()));
}

// Analyses what is in analysed_; `later` is the window then.
void Session::analyse_first(std::vector<Operation> later) {
  try {
    if (!analysed_.empty() || repeated_.is_complete()) analyse(analysed_, later);
  } catch (...) {
    window_.clear();
    for (std::vector<Operation>* part : {&analysed_, &later})
      window_.insert(window_.end(), std::make_move_iterator(part->begin()), std::make_move_iterator(part->end()));
    analysed_.clear();
    short_of_memory_ = true;
    retry_at_ = window_.size() + window_limit_;
    throw;
  }
  if (later.empty()) {
    window_.clear();  // and keeps its memory
  } else {
    window_ = std::move(later);
  }
  waited_ = 0;
  short_of_memory_ = false;
}

// In windows of half the size, and so on: down to the one operation that finds no memory when all before it have run.
void Session::analyse_in_parts(std::vector<Operation>& operations, std::vector<Operation>& later) {
  const auto at = operations.begin() + static_cast<std::ptrdiff_t>(choose_cut(operations, operations.size() / 2));
  std::vector<Operation> first(std::make_move_iterator(operations.begin()), std::make_move_iterator(at));
  std::vector<Operation> rest(std::make_move_iterator(at), std::make_move_iterator(operations.end()));
  operations.clear();
  const auto give_back = [&operations](std::vector<Operation>& part) {
    operations.insert(operations.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  };
  try {
    std::vector<Operation> after = rest;
    after.insert(after.end(), later.begin(), later.end());
    const WindowEnd end = std::exchange(window_end_, {WindowEnd::Why::MemoryIsShort});
    analyse(first, after);
    window_end_ = end;
    after.clear();
    analyse(rest, later);
  } catch (...) {
    give_back(first);
    give_back(rest);
    throw;
  }
}

// Dropped stores that no recorded operation uses give their memory back.
void Session::release_dropped(Plan& plan) {
  Store* dropped = std::exchange(first_dropped_, nullptr);
  last_dropped_ = nullptr;
  while (dropped) {
    Store& store = *std::exchange(dropped, dropped->next_dropped);
    const int ours = 1 + (store.state ? 1 : 0);
    StoreRef reference(&store);
    --store.references;  // the list's
    if (store.references > ours) {
      drop(store);
    } else if (store.state || store.resting) {
      planner_->release(store, plan);
    }
  }
}

// Operations whose results nobody holds, and nobody reads who is not given up himself.
void Session::give_up_dropped() {
  std::unordered_set<const Store*> wanted;
  std::vector<Operation> kept;
  for (std::size_t i = window_.size(); i-- > 0;) {
    bool wants = false;
    for_each_view(window_[i], [&](const View& view, bool write) {
      wants = wants || (write && (view.store->handles > 0 || wanted.contains(view.store.get())));
    });
    if (!wants) continue;
    for_each_view(window_[i], [&](const View& view, bool) { wanted.insert(view.store.get()); });
    kept.push_back(std::move(window_[i]));
  }
  window_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  if (window_.empty()) short_of_memory_ = false;
}

// Those that do not wait go into analysed_, the others stay.
void Session::split_window(const std::vector<bool>& waits) {
  analysed_.clear();
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < window_.size(); ++i) {
    if (!waits[i]) {
      analysed_.push_back(std::move(window_[i]));
    } else if (waiting++ < i) {
      window_[waiting - 1] = std::move(window_[i]);
    }
  }
  window_.erase(window_.begin() + static_cast<std::ptrdiff_t>(waiting), window_.end());
}

// Splits the window: what the store's value follows from into analysed_; the rest, which comes after it as well as
// before, stays. False where that is nothing.
bool Session::take_needed(const Store& store) {
  std::vector<bool> waits = find_needed(window_, store);
  waits.flip();
  split_window(waits);
  return !window_.empty();
}

// All that is recorded; where memory does not do for that, as much as the view's value takes. With `waited`, which is
// how many operations have waited, others may.
void Session::analyse_for(const View& view, const WindowEnd& end, std::optional<std::size_t> waited) {
  try {
    return waited ? analyse_needed(*view.store, *waited, end) : analyse_all(end);
  } catch (const MemoryError&) {
    if (executor_.failed()) throw;
    if (!take_needed(*view.store)) {
      window_.swap(analysed_);
      throw;
    }
  }
  analyse_first(std::move(window_));
  short_of_memory_ = true;
  retry_at_ = window_.size() + window_limit_;
}

void Session::run_for(const View& view, const WindowEnd& end) {
  analyse_for(view, end);
  wait_for_executor();
}

// What fits nowhere is refused where it is made: by all ranks alike, for they know the same total.
void Session::check_size(const Shape& shape, DType dtype, const char* operation, std::source_location where) const {
  if (parts_.total_memory <= 0) return;
  const double bytes = static_cast<double>(shape.elements()) * static_cast<double>(itemsize(dtype));
  if (bytes <= static_cast<double>(parts_.total_memory)) return;
  throw MemoryError(fmt::format(
      "[{}] an array of shape {}, {}, needs {} of memory; {} have {} for arrays. {}Use smaller arrays, more ranks or "
      "nodes, or raise --sysmem. Called at {}:{}",
      operation, to_string(shape), name(dtype), machine::format_bytes(static_cast<std::uint64_t>(bytes)),
      parts_.machine.ranks == 1 ? "this rank's processors" : fmt::format("{} ranks together", parts_.machine.ranks),
      machine::format_bytes(static_cast<std::uint64_t>(parts_.total_memory)), describe_stores(), where.file_name(),
      where.line()));
}

std::string Session::describe_stores() const {
  struct Holder {
    const Store* store;
    std::int64_t bytes;
  };
  std::vector<Holder> holders;
  for (const Store* store = stores_.next; store; store = store->next) {
    std::int64_t bytes =
        store->resting ? store->shape.elements() * static_cast<std::int64_t>(itemsize(store->dtype)) : 0;
    if (store->state) {
      for (const ProcessorStore& local : store->state->local) {
        for (const auto& instance : local.instances) bytes += static_cast<std::int64_t>(instance->block->bytes);
      }
    }
    if (bytes > 0) holders.push_back({store, bytes});
  }
  std::sort(holders.begin(), holders.end(), [](const Holder& a, const Holder& b) { return a.bytes > b.bytes; });
  constexpr std::size_t kShown = 3;
  if (holders.empty()) return "";
  std::string text = "The most is held by";
  for (std::size_t i = 0; i < std::min(kShown, holders.size()); ++i) {
    const Store& store = *holders[i].store;
    text += fmt::format("{} {}{} {} ({}, from {}:{})", i ? ";" : "", store.operation, to_string(array_shape(store)),
                        name(store.dtype), machine::format_bytes(static_cast<std::uint64_t>(holders[i].bytes)),
                        store.where.file_name(), store.where.line());
  }
  return text + ". ";
}

}  // namespace pilum::scheduler
