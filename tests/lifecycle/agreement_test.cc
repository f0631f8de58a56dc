// Ranks that were given different settings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/lifecycle/environment.h"

namespace pilum::test {
namespace {

using testing::HasSubstr;

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

struct Difference {
  std::string name;
  std::string variable;  // of rank 1, and of rank 0 after a blank
  std::string said;
};
void PrintTo(const Difference& one, std::ostream* out) {
  *out << one.name;
}

class Agreement : public testing::TestWithParam<Difference> {};

TEST_P(Agreement, IsAskedForAtTheStartByAllRanks) {
  NEEDS_MPIRUN();
  const auto start = std::chrono::steady_clock::now();
  const Words other{"env", GetParam().variable, lifecycle(), "once"}, usual{lifecycle(), "once"};
  for (const auto& ranks : {std::vector<Words>{usual, other}, {usual, usual, other}}) {
    EXPECT_NE(run(under_mpirun(ranks), with()).exit_code, 0);
    // So asked, mpirun lets all of them speak, and then calls it a success.
    Words words = under_mpirun(ranks);
    words.insert(words.begin() + 1, "--enable-recovery");
    const Outcome outcome = run(words, with());
    EXPECT_THAT(outcome.error, HasSubstr("settings differ between ranks: " + GetParam().said + " on rank " +
                                         std::to_string(ranks.size() - 1)));
    EXPECT_EQ(count(outcome.error, "settings differ between ranks"), static_cast<int>(ranks.size())) << outcome.error;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(40));
}

INSTANTIATE_TEST_SUITE_P(
    , Agreement,
    testing::Values(
        Difference{"Window", "PILUM_WINDOW=20", "PILUM_WINDOW is the default on rank 0 and 20"},
        Difference{"PlanCache", "PILUM_PLAN_CACHE=0", "PILUM_PLAN_CACHE is the default on rank 0 and 0"},
        Difference{"Print", "PILUM_PRINT=tasks", "PILUM_PRINT is nothing (the default) on rank 0 and tasks"},
        Difference{"Transport", "PILUM_TRANSPORT=mpi", "PILUM_TRANSPORT is best (the default) on rank 0 and mpi"},
        Difference{"Self", "PILUM_TRANSPORT=self", "PILUM_TRANSPORT is best (the default) on rank 0 and self"},
        Difference{"SplitBytes", "PILUM_SPLIT_BYTES=1K", "PILUM_SPLIT_BYTES is the default on rank 0 and 1024"},
        Difference{"GpuSharing", "PILUM_GPU_SHARING=0", "PILUM_GPU_SHARING is the default on rank 0 and 0"}),
    [](const auto& info) { return info.param.name; });

TEST(AgreementOf, WhatMayDifferIsNotNeeded) {
  NEEDS_MPIRUN();
  const Words other{
      "env", "PILUM_LOG_LEVEL=error", "PILUM_SYSTEM_MEMORY=1G", "PILUM_OUTPUT=all", "PILUM_SPLIT_BYTES=-1", lifecycle(),
      "exit"};
  const Outcome outcome = run(under_mpirun({{lifecycle(), "exit"}, other}), with());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
}

// A scan is cut as the number of cores is: one of a rank's own would leave the ranks with different plans.
TEST(AgreementOf, RanksWithDifferentNumbersOfCoresOnTheirSum) {
  NEEDS_MPIRUN();
  const auto rank_of = [](const std::string& cpus) {
    return Words{"env", "PILUM_CPUS=" + cpus, "PILUM_OVERSUBSCRIBE=1", lifecycle(), "scan"};
  };
  const Outcome outcome = run(under_mpirun({rank_of("1"), rank_of("2")}), with());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("3 cores, the last of the sums: 200000"));
}

TEST(AgreementOf, RanksThatAreEachForThemselvesIsRefused) {
  NEEDS_MPIRUN();
  const Outcome outcome = run(under_mpirun(2, {lifecycle(), "exit"}), with({{"PILUM_TRANSPORT", "self"}}));
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.error, HasSubstr("PILUM_TRANSPORT=self with 2 ranks"));
}

}  // namespace
}  // namespace pilum::test
