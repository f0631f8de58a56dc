// The last line of `--show-stats`: what plans moved, against a copy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <regex>

#include "pilum/pilum.h"
#include "scheduler/print/fusion_text.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/array_programs.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;
using testing::HasSubstr, testing::MatchesRegex, testing::Not;

std::string stats_of(fakes::SimulatedRanks machine, const std::function<void(Session&)>& program) {
  machine.show_stats = true;
  testing::internal::CaptureStderr();
  fakes::run_on_simulated_ranks(machine, program);
  return testing::internal::GetCapturedStderr();
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  return text.substr(text.find_last_of('\n', end) + 1, end - text.find_last_of('\n', end));
}

const char* const kForm =
    "pilum: rank 0: memory: [0-9.]+ [kMGT]?B moved, [0-9.]+ [kMGT]?B least possible, [0-9.]+ of a copy's speed "
    "\\([0-9.]+ [kMGT]?B/s\\) while [0-9]+ % of the time was in kernels";

// Bytes of the program below: x and y are made in one pass; each round reads both and writes y.
constexpr std::int64_t kAdded = 64 * 1024, kRounds = 100;
void add_up(Session& session) {
  np::Array x = np::ones(kAdded), y = np::zeros(kAdded);
  session.wait();
  for (std::int64_t i = 0; i < kRounds; ++i) {
    y += x;
    session.wait();
  }
}

TEST(ShowStats, EndsWithTheBytesOfAllPlansThoseThatWerePlayedAgainToo) {
  const std::string line = last_line(stats_of({}, add_up));
  EXPECT_TRUE(std::regex_match(line, std::regex(kForm))) << line;
  const std::int64_t bytes = 8 * kAdded * (2 + 3 * kRounds);
  EXPECT_THAT(line, HasSubstr(decimal_bytes(bytes) + " moved, " + decimal_bytes(bytes) + " least possible"));
}

TEST(ShowStats, AreTheSameWhereNoPlanIsKept) {
  const std::string line = last_line(stats_of({.plan_cache = 0}, add_up));
  const std::int64_t bytes = 8 * kAdded * (2 + 3 * kRounds);
  EXPECT_THAT(line, HasSubstr(decimal_bytes(bytes) + " moved, " + decimal_bytes(bytes) + " least possible"));
}

TEST(ShowStats, AreTheSameWhereSeveralThreadsWork) {
  const std::string line = last_line(stats_of({.workers = 2}, add_up));
  EXPECT_TRUE(std::regex_match(line, std::regex(kForm))) << line;
  const std::int64_t bytes = 8 * kAdded * (2 + 3 * kRounds);
  EXPECT_THAT(line, HasSubstr(decimal_bytes(bytes) + " moved"));
}

TEST(ShowStats, OfSeveralRanksAreTheFirstOnes) {
  const std::string text = stats_of({.ranks = 2}, add_up);
  const std::int64_t bytes = 8 * kAdded * (2 + 3 * kRounds) / 2;
  EXPECT_THAT(last_line(text), HasSubstr(decimal_bytes(bytes) + " moved"));
  EXPECT_THAT(text, Not(HasSubstr("rank 1")));
}

TEST(ShowStats, OfPlansBodyByBodyCountEachBody) {
  const auto bytes_of = [](std::int64_t steps) {
    std::smatch match;
    const std::string text = stats_of({.window = 0}, [&](Session&) {
      const programs::Step step = programs::jacobi(10);
      for (std::int64_t i = 0; i < steps; ++i) step();
    });
    EXPECT_TRUE(std::regex_search(text, match, std::regex("memory: ([0-9.]+) kB moved"))) << text;
    return std::stod(match[1]) * 1000;
  };
  const double step = 8 * (12 * 12 - 4 + 100);
  EXPECT_NEAR(bytes_of(400) - bytes_of(200), 200 * step, 0.01 * 200 * step + 2000);
}

TEST(ShowStats, MovedIsNoLessThanTheLeast) {
  for (const auto make : {programs::fdtd, programs::gray_scott, programs::cavity, programs::conjugate_gradient}) {
    const std::string text = stats_of({.processors_per_rank = 2}, [&](Session&) {
      const programs::Step step = make(40);
      for (int i = 0; i < 20; ++i) step();
    });
    std::smatch match;
    ASSERT_TRUE(std::regex_search(text, match, std::regex("memory: ([0-9.]+) MB moved, ([0-9.]+) MB least"))) << text;
    EXPECT_GE(std::stod(match[1]), std::stod(match[2])) << text;
    EXPECT_GT(std::stod(match[2]), 0) << text;
  }
}

TEST(ShowStats, OnGpusHaveTheGpusCopy) {
  const std::string line = last_line(stats_of({.gpus = true}, add_up));
  EXPECT_TRUE(std::regex_match(line, std::regex(kForm))) << line;
}

TEST(ShowStats, OfAProgramThatDoesNothingHaveNoShare) {
  EXPECT_EQ(last_line(stats_of({}, [](Session&) {})), "pilum: rank 0: memory: 0 B moved, 0 B least possible");
}

TEST(ShowStats, NobodyAsksNothingIsCounted) {
  testing::internal::CaptureStderr();
  fakes::run_on_simulated_ranks({}, [](Session& session) {
    add_up(session);
    EXPECT_FALSE(session.profile().busy.on());
    EXPECT_EQ(session.profile().busy.nanoseconds(), 0);
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace pilum::scheduler
