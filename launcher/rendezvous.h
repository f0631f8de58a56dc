// Which rank the others wait for at the start of a Runtime.
#pragma once

#include <optional>
#include <vector>

#include "runtime/base/supervisor.h"

namespace pilum::launcher {

// A rank that has not joined a rendezvous in which another one waits.
struct MissingRank {
  int rank = 0;
  int waiting = 0;    // a rank that waits for it
  int runtimes = 0;   // how many `rank` has made before
  bool gone = false;  // it has exited, or left MPI, and will never join
  bool operator==(const MissingRank&) const = default;
};

// The ranks of a job wait for each other when each makes its first Runtime, its second, and so on: a rendezvous. This
// records what they report of it (runtime/base/supervisor.h). A program without a Runtime reports nothing, and no rank
// waits for it.
class Rendezvous {
 public:
  explicit Rendezvous(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}
  void take(int rank, RankStage stage);
  void gone(int rank) { at(rank).gone = true; }
  // The rank has joined a rendezvous that is not complete.
  bool is_waiting(int rank) const;
  // Of several missing ranks, one that is gone.
  std::optional<MissingRank> find_missing() const;

 private:
  struct Rank {
    int begun = 0, met = 0;
    bool gone = false;
  };
  Rank& at(int rank);

  std::vector<Rank> ranks_;
};

}  // namespace pilum::launcher
