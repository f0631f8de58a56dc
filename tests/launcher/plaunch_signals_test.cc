// Whoever is killed, and however: all ranks are gone within five seconds, and nothing is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "tests/launcher/program.h"

namespace pilum::test {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

struct Case {
  std::string name;
  std::vector<std::string> options;
  std::vector<std::string> application;
  int ranks;
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

std::vector<Case> cases() {
  std::vector<Case> all{{"alone", {}, {plain_application(), "sleep"}, 1},
                        {"alone_stubborn", {}, {plain_application(), "stubborn"}, 1},
                        {"two", kTwoRanks, {plain_application(), "sleep"}, 2},
                        {"two_stubborn", kTwoRanks, {plain_application(), "stubborn"}, 2}};
  if (has_mpi_application()) all.push_back({"two_mpi", kTwoRanks, {mpi_application(), "sleep"}, 2});
  return all;
}

class PlaunchSignals : public testing::TestWithParam<Case> {
 protected:
  PlaunchSignals()
      : pids_(GetParam().name),
        plaunch_(plaunch(GetParam().options, GetParam().application), {{"PIDS", pids_.folder()}}) {
    ranks_ = pids_.wait_for(GetParam().ranks);
    for (pid_t rank : ranks_) {
      for (pid_t p = rank; p > 1 && p != plaunch_.pid(); p = parent_of(p)) all_.push_back(p);
    }
  }

  // plaunch has said one line with these words and this exit code; every process between it and the ranks is gone.
  void expect_end(int exit_code, const std::string& words) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = plaunch_.wait(10s);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.error;
    EXPECT_THAT(outcome.error, HasSubstr(words));
    EXPECT_THAT(outcome.error, testing::Not(HasSubstr("-----")));
    EXPECT_TRUE(all_gone(all_, 1s));
  }

  Pids pids_;
  Program plaunch_;
  std::vector<pid_t> ranks_;
  std::vector<pid_t> all_;
};

TEST_P(PlaunchSignals, AKilledRankEndsAllAndIsNamed) {
  ASSERT_EQ(static_cast<int>(ranks_.size()), GetParam().ranks);
  const int victim = GetParam().ranks - 1;
  kill(ranks_[static_cast<std::size_t>(victim)], SIGKILL);
  expect_end(137, victim ? "plaunch: rank 1 of 2 on " : "plaunch: plain_application was killed by signal 9 (SIGKILL)");
}

TEST_P(PlaunchSignals, SigtermToPlaunchLeavesNothing) {
  ASSERT_EQ(static_cast<int>(ranks_.size()), GetParam().ranks);
  kill(plaunch_.pid(), SIGTERM);
  expect_end(GetParam().name == "alone_stubborn" ? 137 : 143, "");
}

TEST_P(PlaunchSignals, SigintToPlaunchLeavesNothing) {
  ASSERT_EQ(static_cast<int>(ranks_.size()), GetParam().ranks);
  kill(plaunch_.pid(), SIGINT);
  expect_end(GetParam().name == "alone_stubborn" ? 137 : 130, "");
}

TEST_P(PlaunchSignals, SigkillToPlaunchLeavesNothing) {
  ASSERT_EQ(static_cast<int>(ranks_.size()), GetParam().ranks);
  kill(plaunch_.pid(), SIGKILL);
  EXPECT_TRUE(all_gone(all_, 5s));
}

TEST_P(PlaunchSignals, SigkillToWhatStandsAboveTheRanksLeavesNothing) {
  ASSERT_EQ(static_cast<int>(ranks_.size()), GetParam().ranks);
  const pid_t supervisor = parent_of(ranks_.back());
  if (supervisor == plaunch_.pid()) return;  // one rank: nothing stands there
  kill(supervisor, SIGKILL);
  expect_end(137, "plaunch: rank 1 of 2 on ");
}

TEST_P(PlaunchSignals, SigkillToTheLauncherLeavesNothing) {
  ASSERT_EQ(static_cast<int>(ranks_.size()), GetParam().ranks);
  const pid_t launcher = parent_of(parent_of(ranks_.back()));
  if (GetParam().ranks == 1) return;  // there is none
  kill(launcher, SIGKILL);
  expect_end(137, " was killed by signal 9 (SIGKILL)");
}

INSTANTIATE_TEST_SUITE_P(, PlaunchSignals, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace pilum::test
