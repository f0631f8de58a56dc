#include <algorithm>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/error.h"
#include "runtime/machine/machine.h"

namespace pilum::machine {
namespace {

using Cores = std::vector<std::vector<int>>;  // a processor a row

HostTopology topology(const Cores& domains) {
  HostTopology host{.host_name = "box"};
  for (std::size_t d = 0; d < domains.size(); ++d) host.domains.push_back({static_cast<int>(d), domains[d], 1 << 30});
  return host;
}

Cores pick(const HostTopology& host, int cpus, int rank, int ranks, bool oversubscribe = false) {
  Cores cores;
  for (const Processor& processor : pick_processors(host, cpus, rank, ranks, oversubscribe)) {
    EXPECT_EQ(processor.kind, ProcessorKind::Cpu);
    cores.push_back(processor.cores);
  }
  return cores;
}

std::string refusal(const HostTopology& host, int cpus, int rank, int ranks) {
  try {
    (void)pick_processors(host, cpus, rank, ranks, /*oversubscribe=*/false);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "";
}

const HostTopology kSmall = topology({{0, 1, 2, 3}});
const HostTopology kTwoDomains = topology({{0, 2, 4, 6}, {1, 3, 5, 7}});

TEST(PickProcessors, RanksTakeBlocksOfCores) {
  EXPECT_EQ(pick(kSmall, 2, 0, 2), (Cores{{0, 1}}));
  EXPECT_EQ(pick(kSmall, 2, 1, 2), (Cores{{2, 3}}));
  EXPECT_EQ(pick(kSmall, 1, 2, 3), (Cores{{2}}));
}

TEST(PickProcessors, ZeroCpusIsAnEqualShare) {
  EXPECT_EQ(pick(kSmall, 0, 0, 1), (Cores{{0, 1, 2, 3}}));
  EXPECT_EQ(pick(kSmall, 0, 1, 2), (Cores{{2, 3}}));
  EXPECT_EQ(pick(kSmall, 0, 2, 3), (Cores{{2}}));
}

TEST(PickProcessors, ARankOverTwoDomainsGetsAProcessorOfEach) {
  EXPECT_EQ(pick(kTwoDomains, 8, 0, 1), (Cores{{0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(PickProcessors, RanksSpreadOverDomains) {
  EXPECT_EQ(pick(kTwoDomains, 2, 0, 2), (Cores{{0, 2}}));
  EXPECT_EQ(pick(kTwoDomains, 2, 1, 2), (Cores{{1, 3}}));
  EXPECT_EQ(pick(kTwoDomains, 2, 1, 3), (Cores{{4, 6}}));
  EXPECT_EQ(pick(kTwoDomains, 2, 2, 3), (Cores{{1, 3}}));
}

TEST(PickProcessors, UnevenBlocksAreOneProcessor) {
  EXPECT_EQ(pick(kTwoDomains, 6, 0, 1), (Cores{{0, 2, 4, 6, 1, 3}}));
  const HostTopology three = topology({{0, 1, 2}, {3, 4, 5}});  // three ranks of two cores: the second straddles
  EXPECT_EQ(pick(three, 2, 0, 3), (Cores{{0, 1}}));
  EXPECT_EQ(pick(three, 2, 1, 3), (Cores{{2, 3}}));
  EXPECT_EQ(pick(three, 2, 2, 3), (Cores{{4, 5}}));
}

TEST(PickProcessors, TooFewCoresSaysAskedAllowedAndRemedy) {
  const std::string text = refusal(kSmall, 3, 0, 2);
  EXPECT_THAT(text, testing::HasSubstr("2 ranks on box with 3 CPUs each: 6 cores are needed, and 4 may be used"));
  EXPECT_THAT(text, testing::HasSubstr("cores 0-3"));
  EXPECT_THAT(text, testing::HasSubstr("at most 2 CPUs a rank"));
  EXPECT_THAT(text, testing::HasSubstr("PILUM_OVERSUBSCRIBE=1"));
}

TEST(PickProcessors, MoreRanksThanCoresIsRefusedOnEveryRank) {
  for (int rank = 0; rank < 5; ++rank) {
    EXPECT_THAT(refusal(kSmall, 0, rank, 5), testing::HasSubstr("5 ranks on box with 1 CPU each"));
  }
}

TEST(PickProcessors, OversubscribedRanksShareCores) {
  EXPECT_EQ(pick(kSmall, 3, 1, 2, /*oversubscribe=*/true), (Cores{{3, 0, 1}}));
  EXPECT_EQ(pick(kSmall, 0, 5, 6, /*oversubscribe=*/true), (Cores{{1}}));
}

TEST(PickProcessors, AnyShapeGivesDisjointBlocksOfTheRightSizeAndEqualProcessorCounts) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    Cores domains(1 + random() % 4);
    int next = 0;
    for (auto& cores : domains) {
      for (unsigned i = 0, count = 1 + random() % 8; i < count; ++i) cores.push_back(next++);
    }
    const int ranks = 1 + static_cast<int>(random() % static_cast<unsigned>(next));
    const int cpus = 1 + static_cast<int>(random() % static_cast<unsigned>(next / ranks));
    std::set<int> taken;
    std::set<std::size_t> processor_counts;
    for (int rank = 0; rank < ranks; ++rank) {
      const Cores mine = pick(topology(domains), cpus, rank, ranks);
      processor_counts.insert(mine.size());
      for (const auto& cores : mine) taken.insert(cores.begin(), cores.end());
    }
    ASSERT_EQ(taken.size(), static_cast<std::size_t>(cpus * ranks));
    ASSERT_EQ(processor_counts.size(), 1u);
  }
}

}  // namespace
}  // namespace pilum::machine
