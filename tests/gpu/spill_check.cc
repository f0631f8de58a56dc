// Arrays that do not fit into a GPU's memory together are moved to the host and back: sweeps over all of them end with
// the sums that they should. Set PILUM_GPU_MEMORY to a third of MEBIBYTES:
//   spill_check [MEBIBYTES] [ROUNDS]
// Exit status 0: the sums are right, 1: they are not, or it ended with an error.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <pilum/pilum.h>

namespace np = pilum::numeric;
using np::all;

namespace {

constexpr std::int64_t kArrays = 24;

// Array k - 1 holds k * (0, 1, 2, ...). All cells are whole numbers below 2^53, and so are their sums.
std::vector<np::Array> multiples(std::int64_t cells) {
  const np::Array ramp = np::arange(cells, np::float64);
  std::vector<np::Array> arrays;
  for (std::int64_t k = 1; k <= kArrays; ++k) arrays.push_back(static_cast<double>(k) * ramp);
  return arrays;
}

// Of 0, 1, 2, ...
constexpr std::int64_t sum_below(std::int64_t cells) {
  return cells * (cells - 1) / 2;
}

int wrong_sums(const std::vector<np::Array>& arrays, std::int64_t cells, int round) {
  int wrong = 0;
  for (std::int64_t k = 1; k <= kArrays; ++k) {
    const auto seen = np::sum(arrays[static_cast<std::size_t>(k - 1)]).item<double>();
    const auto expected = static_cast<double>(k * sum_below(cells) + round * k * cells);
    if (seen == expected) continue;
    std::printf("round %d, array %ld: the sum is %.0f, not %.0f\n", round, static_cast<long>(k), seen, expected);
    ++wrong;
  }
  return wrong;
}

int check(std::int64_t cells, int rounds) {
  const std::vector<np::Array> arrays = multiples(cells);
  int wrong = wrong_sums(arrays, cells, 0);
  for (int round = 1; round <= rounds; ++round) {
    for (std::int64_t k = 1; k <= kArrays; ++k) {
      const np::Array& array = arrays[static_cast<std::size_t>(k - 1)];
      array[all] = array + static_cast<double>(k);
    }
    wrong += wrong_sums(arrays, cells, round);
  }
  // Two at a time: neighbours of the list, then the ends of it.
  for (std::size_t k = 0; k + 1 < arrays.size(); ++k) {
    const auto seen = np::sum(arrays[k + 1] - arrays[k]).item<double>();
    if (seen != static_cast<double>(sum_below(cells) + rounds * cells)) ++wrong;
  }
  const auto ends = np::sum(arrays.back() - static_cast<double>(kArrays) * arrays.front()).item<double>();
  return wrong + (ends != 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t bytes = (argc > 1 ? std::atoll(argv[1]) : 200) << 20;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  try {
    const pilum::Runtime runtime(argc, argv);
    const int wrong = check(bytes / kArrays / 8, rounds);
    std::printf("%ld arrays of %.1f MiB, %d rounds: %d wrong sums\n", static_cast<long>(kArrays),
                static_cast<double>(bytes) / kArrays / (1 << 20), rounds, wrong);
    return wrong > 0;
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "spill_check: %s\n", error.what());
    return 1;
  }
}
