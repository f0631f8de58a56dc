// Random programs give NumPy's values on the real runtime: run alone, or as each rank under mpirun.
#include <cstdlib>
#include <iostream>

#include "pilum/pilum.h"
#include "tests/random/check.h"
#include "tests/random/draw.h"
#include "tests/random/last_words.h"
#include "tests/random/oracle.h"
#include "tests/random/run.h"

namespace pilum::random_programs {
namespace {

// Whether the program gave what it should, on this rank. All ranks go on to the next one: they run the same calls.
bool check(const Program& program, int rank, std::int64_t& cells) {
  const std::vector<Reading> expected = expected_readings(program);
  for (const Reading& reading : expected) cells += static_cast<std::int64_t>(reading.cells.size());
  const LastWords words(to_string(program));
  try {
    const auto failure = difference(expected, run(program));
    if (!failure) return true;
    std::cerr << "rank " << rank << ": " << *failure << "\n" << to_string(program);
    return false;
  } catch (const std::exception& error) {
    std::cerr << "rank " << rank << " threw: " << error.what() << "\n" << to_string(program);
    throw;
  }
}

int check_all() {
  const std::uint64_t seed = seed_or(20'000);
  const int count = count_or(100);
  Runtime runtime;
  int failures = 0;
  std::int64_t cells = 0;
  for (int place = 0; place < count; ++place) {
    failures += !check(draw_program(seed + static_cast<std::uint64_t>(place)), runtime.rank(), cells);
  }
  runtime.wait();
  if (failures > 0) std::cerr << failures << " failures, PILUM_RANDOM_SEED=" << seed << '\n';
  std::cerr << std::to_string(count) + " programs, " + std::to_string(cells) +
                   " cells\n";  // standard output is rank 0's
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace pilum::random_programs

int main() {
  return pilum::random_programs::check_all();
}
