// More than one Runtime in a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lifecycle/environment.h"

namespace pilum::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

struct Job {
  int ranks;
  std::string transport;
  bool plaunch;
};
void PrintTo(const Job& job, std::ostream* out) {
  *out << job.ranks << job.transport << job.plaunch;
}

class TwoRuntimes : public testing::TestWithParam<Job> {};

TEST_P(TwoRuntimes, OneAfterTheOtherWork) {
  NEEDS_MPIRUN();
  const Job& job = GetParam();
  const Words words{lifecycle(), "twice"};
  const Outcome outcome = run(job.plaunch ? under_plaunch(job.ranks, words) : under_mpirun(job.ranks, words),
                              with({{"PILUM_TRANSPORT", job.transport}}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  const std::string line = std::to_string(job.ranks) + " ranks over " + job.transport + ": sum [0-9]+\n";
  EXPECT_THAT(outcome.out, MatchesRegex(line + line));
}

std::vector<Job> jobs() {
  std::vector<Job> all;
  for (int ranks : {2, 3}) {
    for (const char* transport : {"ucx", "mpi"}) {
      for (bool plaunch : {true, false}) all.push_back({ranks, transport, plaunch});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(, TwoRuntimes, testing::ValuesIn(jobs()), [](const auto& info) {
  return info.param.transport + std::to_string(info.param.ranks) +
         (info.param.plaunch ? "UnderPlaunch" : "UnderMpirun");
});

TEST(Runtimes, TwoOneAfterTheOtherWorkAlone) {
  const Outcome outcome = run({lifecycle(), "twice"}, with());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_THAT(outcome.out, MatchesRegex("1 ranks over self: sum [0-9]+\n1 ranks over self: sum [0-9]+\n"));
}

TEST(Runtimes, ASecondInAnotherThreadIsRefused) {
  const Outcome outcome = run({lifecycle(), "threads"}, with());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("refused: [Runtime] a Runtime exists already, made on another thread"));
  EXPECT_THAT(outcome.out, HasSubstr("\nsum "));
}

TEST(Runtimes, ASecondInsideTheFirstIsRefused) {
  const Outcome outcome = run({lifecycle(), "nested"}, with());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("refused: [Runtime] a Runtime exists already, made on this thread"));
  EXPECT_THAT(outcome.out, HasSubstr("\nsum "));
}

TEST(Runtimes, ExitAfterTheEndIsInOrder) {
  NEEDS_MPIRUN();
  for (const Words& words : {under_plaunch(2, {lifecycle(), "exit"}), under_mpirun(2, {lifecycle(), "exit"})}) {
    const Outcome outcome = run(words, with());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    EXPECT_THAT(outcome.error, testing::Not(HasSubstr("-----")));
  }
}

}  // namespace
}  // namespace pilum::test
