// Random programs as real ranks under mpirun, with settings that are drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pilum::random_programs {

struct RankSettings {
  int ranks = 1;
  std::vector<std::pair<std::string, std::string>> environment;  // PILUM_…
};

// The same settings for the same seed: one to five ranks, most of one core, over ucx or mpi; where arrays are cut, how
// many operations a window has, how many plans are kept.
RankSettings draw_settings(std::uint64_t seed);

struct RealRanks {
  std::int64_t cells = 0;              // compared, by all ranks
  std::optional<std::string> failure;  // what the ranks printed, and how to run them again
};

// Runs `count` programs from `seed` on, as ranks of `program` (random_programs_ranks). A program that takes longer than
// `limit` seconds fails, and so does what takes a minute more than that besides them.
RealRanks run_on_real_ranks(const std::string& program, const RankSettings& settings, std::uint64_t seed, int count,
                            int limit);

}  // namespace pilum::random_programs
