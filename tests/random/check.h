// Programs of a run of seeds, checked on one machine after another.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/random/program.h"
#include "tests/random/reading.h"

namespace pilum::random_programs {

// From the environment, or as given: PILUM_RANDOM_SEED, PILUM_RANDOM_COUNT.
std::uint64_t seed_or(std::uint64_t otherwise);
int count_or(int otherwise);

// Programs that run one after the other in one session.
struct Batch {
  std::uint64_t seed = 0;  // of what else a session draws; stays as it is when programs are left out
  std::vector<Program> programs;
};

// Runs them and compares with what each should read: nothing, or what is wrong. May crash.
using Execute = std::function<std::optional<std::string>(const Batch&, const std::vector<std::vector<Reading>>&)>;

// How programs are checked.
struct Checker {
  Execute execute;
  std::function<std::string(const Batch&)> describe;                 // the machine, where it is the batch's own
  std::function<void(const Batch&, std::int64_t cells)> on_success;  // with the number of cells that it reads
};

// Draws `count` programs from `seed` on and executes them, `size` a batch, each batch in a child process. Of the first
// failure the text and the smallest programs found that still fail. A batch that takes longer than
// PILUM_RANDOM_SECONDS (150) fails.
std::optional<std::string> first_failure(std::uint64_t seed, int count, int size, const Checker& checker);

}  // namespace pilum::random_programs
