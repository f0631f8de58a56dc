// The windows of a loop's round, which are recorded as those of a round before were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/analyze/period.h"
#include "scheduler/session/repeated_window.h"

namespace pilum::scheduler {

// Where a loop reads values, its round has several windows: `alpha = rr / np::sum(p * w).item()` ends one. So windows
// are learnt, one after the other, until one comes again; from there on each has a window that is expected behind it.
// A loop without a read has one window, which comes again and again.
//
// Operations that wait for the next window are handed to it without being recorded. What the windows before a cut are
// to the books is the session's. The recording thread's.
class RepeatedRound {
 public:
  // Windows are known, which others may follow.
  bool is_known() const { return state_ == State::Known; }
  // One more window is to be learnt; one is being learnt.
  bool is_being_learnt() const { return state_ == State::Learning; }
  bool is_learning() const { return is_being_learnt() && in_window_; }
  // The loop that it is of.
  bool is_of(std::size_t period, bool by_body) const { return period_ == period && by_body_ == by_body; }

  void begin_learning(std::size_t period, bool by_body);
  // The next window begins, with operations that have waited.
  void begin_window(const std::vector<Operation>& waiting);
  // False where the window cannot be followed.
  [[nodiscard]] bool learn(const Operation& operation, const PeriodFinder& loops);
  void learn_hash(std::uint64_t hash) { windows_.back().learn_hash(hash); }
  [[nodiscard]] bool end_window(const std::vector<Operation>& window, const WindowCut& cut);
  void forget();

  // Of the window that follows: 0 where none does.
  std::size_t size() const { return followed_ ? followed_->size() : 0; }
  bool is_complete() const { return followed_ && followed_->is_complete(); }
  // Where one follows or was cut last.
  const RepeatedWindow& window() const { return windows_[at_]; }

  // A window begins with the operation, behind those that have waited: handed to the window that is expected, or else
  // `waiting`, which is empty then. It is one of at most `limit` operations. False where there is none; nothing has
  // happened.
  bool begin(const Operation& operation, std::vector<Operation>& waiting, std::size_t limit, PeriodFinder& loops);
  // The window goes on with the operation, in the loop that it is of. False where it does not; nothing has happened.
  bool follow(const Operation& operation, PeriodFinder& loops) {
    return !followed_->is_complete() && loops.period() == period_ && followed_->follow(operation, loops);
  }
  bool has_begun() const { return followed_ && followed_->has_begun(); }
  [[nodiscard]] WindowKey take_key();
  // The window whose key was taken is planned: what waits goes on in the next one, which is expected now. The key is
  // over.
  void go_on(WindowKey& key);
  // See RepeatedWindow.
  void put_together(const WindowKey& window, std::vector<Operation>& planned, std::vector<Operation>& waiting) {
    windows_[at_].put_together(window, planned, waiting);
  }
  [[nodiscard]] std::vector<Operation> take_operations();

 private:
  enum class State : std::uint8_t { Nothing, Learning, Known };

  State state_ = State::Nothing;
  bool in_window_ = false;  // while learning
  std::size_t period_ = 0;
  bool by_body_ = false;
  std::vector<RepeatedWindow> windows_;  // as they come
  std::size_t at_ = 0;                   // the one that follows, or is expected
  RepeatedWindow* followed_ = nullptr;   // that one, while it has operations
  std::uint64_t learnt_ = 0;             // windows so far
};

}  // namespace pilum::scheduler
