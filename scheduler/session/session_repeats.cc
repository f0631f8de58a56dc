// Windows of a loop that are recorded as the one before was: none of their operations is kept.
#include <algorithm>

#include "scheduler/record/task_launch.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

constexpr int kLearnAfter = 3;        // windows that were replayed, one after the other
constexpr int kMostLearnAfter = 192;  // the same where what was learnt did not come again
constexpr int kSettled = 64;
constexpr int kMostLeft = 4;  // windows that followed for a while, before one follows to its end

}  // namespace

// True where the operation is recorded, for it is the one that was expected. The cut comes first, as elsewhere.
bool Session::record_again(const Operation& operation) {
  if (repeated_.is_complete() && period_.period() == body_) {
    ++single_bodies_;
    cut_repeated({WindowEnd::Why::LoopRounds, {}, body_});
    if (!repeated_.is_known()) return false;
  }
  if (repeated_.size() == 0 && !may_follow()) return false;
  if (period_.period() != body_ || repeated_.is_complete()) {
    unfold();
    return false;
  }
  if (!repeated_.follow(operation, period_)) {
    const bool had_begun = repeated_.size() > 0;
    unfold();
    if (had_begun && ++left_ >= kMostLeft) stop_repeating();
    return false;
  }
  watch_->recorded(operation);
  profile_.counters.operations.add_alone();
  if (planner_->resting() > 0) {
    for_each_view(operation, [this](const View& view, bool) {
      if (view.store->resting) planner_->wake(*view.store);
    });
  }
  executor_.work_meanwhile();
  return true;
}

// Where plans wait for this thread now and then, its time is the program's. Where it waits for them, it has none to
// save: then two threads that have each other's chunks to wait for went slower for it (gray_scott of 256², 46 to 60 us
// a step).
bool Session::keeps_others_waiting() const {
  constexpr int kMostHeldUp = 4;  // of so many plans, one
  return executor_.participants() == 1 || kMostHeldUp * held_up_ <= submitted_;
}

// A window begins, which will be as long as the one that is known.
bool Session::may_follow() const {
  if (!keeps_others_waiting()) return false;
  if (!repeated_.is_known() || !window_.empty() || body_ == 0) return false;
  if (short_of_memory_ || !cache_.enabled() || on_plan_) return false;
  const std::size_t length = limit();
  return repeated_.length() == length && repeated_.body() == (by_body_ && length > body_ ? body_ : 0);
}

// A window of a loop has been cut that followed none: the next one is learnt, where it is worth that.
void Session::learn_next() {
  if (!window_.empty() || body_ == 0 || on_plan_) return;
  if (replayed_ < std::max(learn_after_, kLearnAfter)) return;
  repeated_.begin_learning(by_body_ && limit() > body_ ? body_ : 0);
}

// What was learnt does not come again: it is not learnt again so soon.
void Session::stop_repeating() {
  repeated_.forget();
  learn_after_ =
      replayed_ >= kSettled ? kLearnAfter : std::min(2 * std::max(learn_after_, kLearnAfter), kMostLearnAfter);
  replayed_ = left_ = 0;
}

// The window's operations are wanted.
void Session::unfold() {
  if (repeated_.is_learning()) repeated_.forget();
  if (repeated_.size() > 0) window_ = repeated_.take_operations();
}

void Session::cut_repeated(const WindowEnd& end) {
  window_end_ = end;
  analysed_.clear();
  left_ = 0;
  analyse_first({});
}

}  // namespace pilum::scheduler
