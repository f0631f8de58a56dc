// The seeds of random tests, from the environment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace pilum::scheduler {

// 1, 2, … `count`; PILUM_RANDOM_PROGRAMS=200 for a longer search, PILUM_TEST_SEED=7 for that one alone.
inline std::vector<std::uint64_t> random_seeds(unsigned count) {
  if (const char* given = std::getenv("PILUM_TEST_SEED")) return {std::strtoull(given, nullptr, 10)};
  if (const char* wanted = std::getenv("PILUM_RANDOM_PROGRAMS")) count = static_cast<unsigned>(std::atoi(wanted));
  std::vector<std::uint64_t> seeds;
  for (unsigned seed = 1; seed <= std::max(count, 1u); ++seed) seeds.push_back(seed);
  return seeds;
}

}  // namespace pilum::scheduler
