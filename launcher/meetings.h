// Which rank keeps the others waiting at the start of a Runtime.
#pragma once

#include <optional>
#include <vector>

#include "runtime/base/supervisor.h"

namespace pilum::launcher {

// Somebody waits, and `rank` has not come.
struct Absence {
  int rank = 0;
  int waiting = 0;    // one that waits for it
  int runtimes = 0;   // that `rank` has made before
  bool gone = false;  // it has ended, or ended its part in MPI: it will never come
  bool operator==(const Absence&) const = default;
};

// All ranks of a job meet when each makes its Runtime, the first, then the second, and so on. Keeps what they report of
// it (runtime/base/supervisor.h). A program without a Runtime reports nothing, and nobody waits for it.
class Meetings {
 public:
  explicit Meetings(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}
  void take(int rank, RankStage stage);
  void gone(int rank) { at(rank).gone = true; }
  // Has begun to meet the others and has not met them all.
  bool is_waiting(int rank) const;
  // Of several, one that is gone.
  std::optional<Absence> find_absent() const;

 private:
  struct Rank {
    int begun = 0, met = 0;
    bool gone = false;
  };
  Rank& at(int rank);

  std::vector<Rank> ranks_;
};

}  // namespace pilum::launcher
