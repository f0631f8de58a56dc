// Tells which calls of the program's no plan will be found for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// Every call is planned anew when the program first comes to it, those of a loop twice or thrice. Where each round sees
// other cells, as a factorization's do, that goes on: a call at one place in the program has then shown more different
// cells than there are neighbours to see, or one window after the other has not been found.
class CallsPlannedAnew {
 public:
  // No plan was found for these, a window.
  void add(std::span<const Operation> operations);
  // A plan was found for a window.
  void note_found() {
    windows_ = 0;
    goes_on_ = false;
  }
  // The last window was not found, nor will the next ones be.
  bool goes_on() const { return goes_on_; }

 private:
  static constexpr std::size_t kMaps = 32, kMostPlaces = 4096;
  static constexpr int kWindows = 12;

  bool goes_on_ = false;
  int windows_ = 0;                                                            // in a row
  std::unordered_map<std::uint64_t, std::unordered_set<std::uint64_t>> maps_;  // by place: how its calls saw stores
};

}  // namespace pilum::scheduler
