#include "launcher/rendezvous.h"

#include <algorithm>

namespace pilum::launcher {

Rendezvous::Rank& Rendezvous::at(int rank) {
  const auto index = static_cast<std::size_t>(std::max(rank, 0));
  if (index >= ranks_.size()) ranks_.resize(index + 1);
  return ranks_[index];
}

void Rendezvous::take(int rank, RankStage stage) {
  switch (stage) {
    case RankStage::Joins: ++at(rank).begun; break;
    case RankStage::Joined: at(rank).met = at(rank).begun; break;
    case RankStage::Leaves: at(rank).gone = true; break;
  }
}

bool Rendezvous::is_waiting(int rank) const {
  if (rank < 0 || rank >= static_cast<int>(ranks_.size())) return false;
  const Rank& one = ranks_[static_cast<std::size_t>(rank)];
  return one.begun > one.met;
}

std::optional<MissingRank> Rendezvous::find_missing() const {
  int furthest = 0, waiting = -1;  // the furthest that somebody waits in
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const Rank& one = ranks_[static_cast<std::size_t>(rank)];
    if (one.gone || !is_waiting(rank) || one.begun <= furthest) continue;
    furthest = one.begun;
    waiting = rank;
  }
  std::optional<MissingRank> missing;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const Rank& one = ranks_[static_cast<std::size_t>(rank)];
    if (one.begun >= furthest || (missing && (missing->gone || !one.gone))) continue;
    missing = MissingRank{rank, waiting, one.begun, one.gone};
  }
  return missing;
}

}  // namespace pilum::launcher
