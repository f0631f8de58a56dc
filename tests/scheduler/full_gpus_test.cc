// Ranks whose GPUs are full.
#include <gtest/gtest.h>

#include <vector>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr int kLength = 96, kRing = 6, kSteps = 20;

// Each step reads an array backwards: every rank needs what another one has, and room for it.
std::vector<double> turn_and_halve() {
  std::vector<np::Array> arrays;
  for (int a = 0; a < kRing; ++a) arrays.push_back(np::arange(kLength) + static_cast<double>(a));
  for (std::size_t step = 0; step < kSteps; ++step)
    arrays[step % kRing][all] = arrays[(step + 1) % kRing](slice({}, {}, -1)) * 0.5;
  std::vector<double> values;
  for (const np::Array& array : arrays) {
    for (const double value : array.to_vector<double>()) values.push_back(value);
  }
  return values;
}

std::vector<double> serial_turn_and_halve() {
  std::vector<std::vector<double>> arrays(kRing, std::vector<double>(kLength));
  for (std::size_t a = 0; a < kRing; ++a) {
    for (std::size_t i = 0; i < kLength; ++i) arrays[a][i] = static_cast<double>(i + a);
  }
  for (std::size_t step = 0; step < kSteps; ++step) {
    for (std::size_t i = 0; i < kLength; ++i)
      arrays[step % kRing][i] = arrays[(step + 1) % kRing][kLength - 1 - i] * 0.5;
  }
  std::vector<double> values;
  for (const auto& array : arrays) values.insert(values.end(), array.begin(), array.end());
  return values;
}

// A rank that makes room waits for what it has begun. Others that do so too must not wait for its messages meanwhile.
TEST(FullGpus, OfRanksThatMakeRoomDoNotWaitForEachOther) {
  for (const int ranks : {2, 3}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      for (const auto& [share, direct] : {std::pair(false, false), std::pair(true, false), std::pair(false, true)}) {
        const fakes::SimulatedRanks machine{.ranks = ranks,
                                            .seed = seed,
                                            .window = 5,
                                            .gpus = true,
                                            .messages_from_gpus = direct,
                                            .message_bytes = 32,
                                            .share = share,
                                            .gpu_memory = 1500};
        fakes::run_on_simulated_ranks(
            machine, [&](scheduler::Session&) { EXPECT_EQ(turn_and_halve(), serial_turn_and_halve()); });
      }
    }
  }
}

}  // namespace
}  // namespace pilum
