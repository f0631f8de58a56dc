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

// True where the operation is recorded, for it is the one that was expected.
bool Session::record_again(const Operation& operation) {
  if (!(repeated_.has_begun() && repeated_.follow(operation, period_)) && !begin_again(operation)) return false;
  note_size(operation);
  profile_.counters.operations.add_alone();
  if (planner_->resting() > 0) {
    for_each_view(operation, [this](const View& view, bool) {
      if (view.store->resting) planner_->wake(*view.store);
    });
  }
  executor_.work_meanwhile();
  return true;
}

// A window does not go on, or is to begin. The cut comes first, as elsewhere.
bool Session::begin_again(const Operation& operation) {
  if (repeated_.is_complete() && body_ > 0 && period_.period() == body_ && repeated_.size() == limit() &&
      !repeated_.window().keeps_some()) {
    count_loop_window();
    cut_repeated({WindowEnd::Why::LoopRounds, {}, body_});
    if (!repeated_.is_known()) return false;
  }
  const bool had_begun = repeated_.has_begun(), are_handed = repeated_.size() > 0;
  if (!had_begun && is_none_cut() && may_follow()) {
    if (repeated_.begin(operation, window_, limit(), period_)) return true;
  } else if (!had_begun || repeated_.is_complete() || !is_none_cut()) {
    put_together();
    return false;
  }
  put_together();
  if ((had_begun || !are_handed) && ++left_ >= kMostLeft) stop_repeating();
  return false;
}

// Where plans wait for this thread now and then, its time is the program's. Where it waits for them, it has none to
// save: then two threads that have each other's chunks to wait for went slower for it (gray_scott of 256², 46 to 60 us
// a step).
bool Session::keeps_others_waiting() const {
  constexpr int kMostHeldUp = 4;  // of so many plans, one
  return executor_.participants() == 1 || kMostHeldUp * held_up_ <= submitted_;
}

// A window begins: of the loop that windows are known of.
bool Session::may_follow() const {
  if (!keeps_others_waiting()) return false;
  if (short_of_memory_ || !cache_.enabled() || on_plan_) return false;
  return repeated_.is_of(period_.period(), by_body_);
}

// The next operation of a loop that is known goes into the window as it is: as follow_period() and the limit would have
// it.
bool Session::is_none_cut() const {
  const std::size_t period = period_.period();
  return period > 0 && (period == body_ || (body_ == 0 && awaits_bodies())) && recorded() < limit();
}

// A window of a loop has been cut that followed none: the next one is learnt, where that goes on or is worth it.
void Session::learn_next() {
  const std::size_t period = period_.period();
  if (period == 0 || on_plan_) return;
  if (repeated_.is_being_learnt() && replayed_ > 0 && repeated_.is_of(period, by_body_)) {
    if (!repeated_.is_learning()) repeated_.begin_window(window_);
    return;
  }
  if (repeated_.is_known() && repeated_.is_of(period, by_body_)) return;
  if (replayed_ < std::max(learn_after_, kLearnAfter)) return;
  repeated_.begin_learning(period, by_body_);
  repeated_.begin_window(window_);
}

// The window is cut that is learnt.
void Session::end_learning(const WindowCut& cut) {
  if (!repeated_.end_window(window_, cut)) stop_repeating();
}

// What was learnt does not come again: it is not learnt again so soon.
void Session::stop_repeating() {
  repeated_.forget();
  learn_after_ =
      replayed_ >= kSettled ? kLearnAfter : std::min(2 * std::max(learn_after_, kLearnAfter), kMostLearnAfter);
  replayed_ = left_ = 0;
}

// The window's operations are wanted.
void Session::put_together() {
  if (repeated_.size() > 0) window_ = repeated_.take_operations();
}

// And it ends where none was learnt to.
void Session::unfold() {
  if (repeated_.is_learning() && !window_.empty()) repeated_.forget();
  put_together();
}

// A value is read where one was when the window was learnt, and what waits then is what waited.
bool Session::is_cut_as_expected(const Store& wanted, std::size_t waited) const {
  const RepeatedWindow& window = repeated_.window();
  return window.was_cut_for(wanted, waited) && (!window.choice() || waiting_.is_decided(*window.choice()));
}

void Session::cut_repeated(const WindowEnd& end) {
  window_end_ = end;
  analysed_.clear();
  left_ = 0;
  analyse_first({});
}

}  // namespace pilum::scheduler
