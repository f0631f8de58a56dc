#include "scheduler/session/repeated_round.h"

#include <algorithm>
#include <utility>

namespace pilum::scheduler {
namespace {

constexpr std::size_t kMostWindows = 16;  // of a round

}  // namespace

void RepeatedRound::begin_learning(std::size_t period, bool by_body) {
  forget();
  state_ = State::Learning;
  period_ = period;
  by_body_ = by_body;
}

void RepeatedRound::begin_window(const std::vector<Operation>& waiting) {
  windows_.emplace_back().begin_learning(waiting);
  in_window_ = true;
}

bool RepeatedRound::learn(const Operation& operation, const PeriodFinder& loops) {
  return windows_.back().learn(operation, loops);
}

bool RepeatedRound::end_window(const std::vector<Operation>& window, const WindowCut& cut) {
  in_window_ = false;
  RepeatedWindow& last = windows_.back();
  if (!last.end_learning(window, cut, ++learnt_)) return false;
  const auto first = std::find_if(windows_.begin(), windows_.end() - 1,
                                  [&last](const RepeatedWindow& other) { return other.is_same(last); });
  if (first == windows_.end() - 1) return windows_.size() < kMostWindows;
  windows_.pop_back();
  windows_.erase(windows_.begin(), first);
  at_ = windows_.size() > 1 ? 1 : 0;
  state_ = State::Known;
  return true;
}

void RepeatedRound::forget() {
  if (followed_) followed_->leave();
  followed_ = nullptr;
  windows_.clear();
  state_ = State::Nothing;
  in_window_ = false;
  at_ = 0;
}

bool RepeatedRound::begin(const Operation& operation, std::vector<Operation>& waiting, std::size_t limit,
                          PeriodFinder& loops) {
  if (followed_) return followed_->length() <= limit && follow(operation, loops);
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const std::size_t at = (at_ + i) % windows_.size();
    RepeatedWindow& candidate = windows_[at];
    if (candidate.length() > limit || !candidate.may_begin_with(operation) || !candidate.enter(waiting, loops))
      continue;
    if (candidate.follow(operation, loops)) {
      waiting.clear();
      at_ = at;
      followed_ = &candidate;
      return true;
    }
    candidate.leave();
  }
  return false;
}

WindowKey RepeatedRound::take_key() {
  WindowKey key = followed_->take_key();
  followed_ = nullptr;
  return key;
}

void RepeatedRound::go_on(WindowKey& key) {
  const std::size_t next = (at_ + 1) % windows_.size();
  windows_[at_].hand_over(windows_[next], key);
  at_ = next;
  if (windows_[at_].size() > 0) followed_ = &windows_[at_];
}

std::vector<Operation> RepeatedRound::take_operations() {
  return std::exchange(followed_, nullptr)->take_operations();
}

}  // namespace pilum::scheduler
