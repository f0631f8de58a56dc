// A message of more bytes than an int counts.
#include <gtest/gtest.h>

#include "runtime/comm/wait.h"
#include "tests/ranks/rank_runner.h"

namespace pilum::comm {
namespace {

TEST(Large, AMessageOfMoreThanTwoGibibytesArrivesWhole) {
  test::run_on_ranks([](Communicator& ranks) {
    constexpr std::size_t kWords = (std::size_t{2} << 30) / 8 + 12'345;
    std::vector<std::uint64_t> words(kWords);
    Request request = 0;
    if (ranks.rank() == 1) request = ranks.receive(0, {0, 0}, std::as_writable_bytes(std::span(words)));
    ranks.barrier();
    if (ranks.rank() == 0) {
      for (std::size_t i = 0; i < kWords; ++i) words[i] = i * 0x9e3779b97f4a7c15;
      request = ranks.send(1, {0, 0}, std::as_bytes(std::span(words)));
    }
    wait(ranks, request);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < kWords; ++i) wrong += words[i] != i * 0x9e3779b97f4a7c15;
    EXPECT_EQ(wrong, 0u);
  });
}

}  // namespace
}  // namespace pilum::comm
