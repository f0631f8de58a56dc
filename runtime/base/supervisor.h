// What a rank tells the process of plaunch that watches it: its stage in the rendezvous with the other ranks.
//
// A rank that ends before its Runtime is made leaves the others waiting in MPI for ever, and MPI says nothing. So each
// rank writes a byte to a pipe of its supervisor; without one, nothing is written.
#pragma once

#include <string>

namespace pilum {

inline constexpr const char* kSupervisorVariable = "PILUM_SUPERVISOR";

enum class RankStage : char {
  Joins = 'm',   // begins to wait for all other ranks, in the constructor of its Runtime
  Joined = 'h',  // they have all joined
  Leaves = 'l',  // ends its part in MPI: there is no further Runtime
};

// The supervisor's side: the value of its variable for this writing end, which the rank inherits.
[[nodiscard]] std::string supervisor_address(int pipe);
// The rank's. Does nothing without a supervisor, or where the descriptor is not its pipe any more.
void tell_supervisor(RankStage stage) noexcept;

}  // namespace pilum
