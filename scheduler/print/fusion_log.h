// What fused and why not, window by window, each only once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/record/fused_group.h"

namespace pilum::scheduler {

// Makes the text that is printed. Windows with equal groups are told once, at the first; finish() says how many more
// there were. Windows of eight rounds of a loop and of seven have the same groups. The recording thread's.
class FusionLog {
 public:
  FusionLog(int rank, int ranks) : rank_(rank), ranks_(ranks) {}
  // The text of a window with these groups; empty where there has been one like it. `entry`: what to count when it
  // comes again. Bytes are all ranks'; launches, copies and messages are this one's.
  [[nodiscard]] std::string add(int window, std::span<const FusedGroup> groups, const WindowEnd& end,
                                FusionEntry& entry);
  void count_again(const FusionEntry& entry) { counts_[static_cast<std::size_t>(entry.number)].rounds += entry.rounds; }
  // A window of so many operations that ran one by one, without groups.
  void count_direct(std::size_t operations) {
    ++direct_windows_;
    direct_operations_ += static_cast<std::int64_t>(operations);
  }
  // A line for each window that came again, and one for all that ran so.
  [[nodiscard]] std::string finish() const;

 private:
  struct Count {
    int window = 0;
    std::size_t groups = 0;  // of a round
    std::int64_t told = 0, rounds = 0;
  };
  int rank_, ranks_;
  std::unordered_map<std::string, int> numbers_;  // by text
  std::vector<Count> counts_;
  std::int64_t direct_windows_ = 0, direct_operations_ = 0;
};

}  // namespace pilum::scheduler
