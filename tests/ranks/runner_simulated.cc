#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/ranks/rank_runner.h"

namespace pilum::test {
namespace {

// PILUM_TEST_SEED=123 runs a printed seed again.
std::uint64_t choose_seed() {
  const char* text = std::getenv("PILUM_TEST_SEED");
  return text ? std::strtoull(text, nullptr, 10) : std::random_device()();
}

// A rank that fails destroys its communicator, so that the others throw instead of waiting for it.
void run_one(const RankBody& body, std::unique_ptr<comm::Communicator> communicator) {
  try {
    body(*communicator);
    if (testing::Test::HasFailure()) return;
    communicator->barrier();
    communicator->finalize();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "rank " << communicator->rank() << ": " << error.what();
  }
}

}  // namespace

void run_on_ranks(const RankBody& body) {
  const std::uint64_t seed = choose_seed();
  for (int ranks = 1; ranks <= 4; ++ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks, PILUM_TEST_SEED=" + std::to_string(seed));
    std::vector<std::thread> threads;
    for (auto& communicator : comm::make_simulated_network(ranks, seed)) {
      threads.emplace_back(run_one, std::cref(body), std::move(communicator));
    }
    for (std::thread& thread : threads) thread.join();
    if (testing::Test::HasFailure()) {
      std::fprintf(stderr, "failed with %d ranks, PILUM_TEST_SEED=%lu\n", ranks, seed);
      return;
    }
  }
}

}  // namespace pilum::test
