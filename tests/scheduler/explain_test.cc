// `--print fusion` of whole runs: printed once, with counts, by rank 0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/array_programs.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;
using testing::HasSubstr, testing::Not;

std::string explain(fakes::SimulatedRanks machine, const std::function<void(Session&)>& program) {
  machine.print = "fusion";
  testing::internal::CaptureStderr();
  fakes::run_on_simulated_ranks(machine, program);
  return testing::internal::GetCapturedStderr();
}

std::string at(unsigned line) {
  return " (explain_test.cc:" + std::to_string(line) + ")";
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t place = 0; (place = text.find(part, place)) != std::string::npos; place += part.size()) ++found;
  return found;
}

// How often a group with these calls ran: where it is told, and the rounds that are counted.
std::int64_t rounds_of(const std::string& text, const std::string& calls) {
  std::map<std::string, std::vector<bool>> windows;  // by number: of each group that is told, has it these calls
  std::vector<bool>* groups = nullptr;
  std::int64_t rounds = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, std::regex("^window ([0-9]+).*: [0-9]+ group"))) {
      groups = &windows[match[1]];
    } else if (std::regex_search(line, match, std::regex("^  (these ([0-9]+) groups )?× ([0-9]+) more"))) {
      const std::size_t count = match[2].matched ? std::stoul(match[2]) : 1;
      rounds +=
          std::stoll(match[3]) * std::count(groups->end() - static_cast<std::ptrdiff_t>(count), groups->end(), true);
    } else if (std::regex_search(line, match, std::regex("^as in window ([0-9]+): ([0-9]+) groups? × ([0-9]+) more"))) {
      const std::vector<bool>& told = windows[match[1]];
      rounds += std::stoll(match[3]) * std::count(told.begin(), told.begin() + std::stoll(match[2]), true);
    } else if (std::regex_search(line, std::regex("^  [^ ].*\\.h:[0-9]+ "))) {
      groups->push_back(line.find(calls) != std::string::npos);
      rounds += groups->back() ? 1 : 0;
    }
  }
  return rounds;
}

TEST(Explain, ALoopIsToldOnceAndAllItsRoundsAreCounted) {
  for (const std::int64_t n : {10, 300}) {  // planned body by body, and not
    const std::string text = explain({}, [&](Session&) {
      const programs::Step step = programs::jacobi(n);
      for (int i = 0; i < 1000; ++i) step();
    });
    EXPECT_EQ(rounds_of(text, "add ×4; "), 1000) << text;
    EXPECT_LE(count(text, "\n"), 30) << text;
  }
}

TEST(Explain, PlansAreKeptAsEver) {
  fakes::run_on_simulated_ranks({.print = "fusion"}, [&](Session& session) {
    testing::internal::CaptureStderr();
    const programs::Step step = programs::jacobi(10);
    for (int i = 0; i < 200; ++i) step();
    session.wait();
    EXPECT_GT(session.plan_cache().hits, 10);
    testing::internal::GetCapturedStderr();
    testing::internal::CaptureStderr();  // of what finish() prints
  });
  testing::internal::GetCapturedStderr();
}

TEST(Explain, WithoutAPlanCacheTheSameIsTold) {
  const auto program = [](Session&) {
    const programs::Step step = programs::jacobi(300);
    for (int i = 0; i < 50; ++i) step();
  };
  const std::string text = explain({.plan_cache = 0}, program);
  EXPECT_EQ(rounds_of(text, "add ×4; "), 50) << text;
}

TEST(Explain, OfSeveralRanksTheFirstTells) {
  const auto program = [](Session&) {
    const programs::Step step = programs::jacobi(30);
    for (int i = 0; i < 20; ++i) step();
  };
  const std::string text = explain({.ranks = 3}, program);
  EXPECT_THAT(text, HasSubstr("window 0 of rank 0: "));
  EXPECT_THAT(text, HasSubstr(" moved by all ranks\n"));
  EXPECT_THAT(text, Not(HasSubstr("of rank 1")));
  EXPECT_THAT(text, Not(HasSubstr("of rank 2")));
  EXPECT_EQ(count(text, "window 0 "), 1);
  EXPECT_THAT(text, HasSubstr("; sends 240 B; receives 240 B\n"));
  EXPECT_EQ(explain({.ranks = 3}, program), text) << "the order is stable";
}

// What the groups move does not follow from how many ranks move it.
TEST(Explain, GroupsAndTheirBytesAreThoseOfOneRank) {
  const auto groups = [](int ranks) {
    std::string text = explain({.ranks = ranks}, [](Session&) {
      const programs::Step step = programs::fdtd(40);
      for (int i = 0; i < 20; ++i) step();
    });
    text = text.substr(text.find("window 1"));  // before it some arrays are cut, and some are not yet
    text = std::regex_replace(text, std::regex(" of rank 0| by all ranks|; (sends|receives) [^;\n]*"), "");
    text = std::regex_replace(text, std::regex("; [0-9]+ cop(y|ies) of [^;\n]*"), "");
    return std::regex_replace(text, std::regex("(no|[0-9]+) launch(es)? over"), "launches over");
  };
  EXPECT_EQ(groups(2), groups(1));
}

TEST(Explain, SaysWhatEndsAWindow) {
  unsigned item = 0, wait = 0;
  const std::string text = explain({.window = 4}, [&](Session& session) {
    np::Array x = np::ones({20, 20});
    item = __LINE__ + 1;
    static_cast<void>(np::sum(x).item<double>());
    x += 1.0;
    wait = __LINE__ + 1;
    session.wait();
    for (int i = 0; i < 6; ++i) x(slice(i, i + 7), all) = 2.0 + i;  // no two alike: no loop
    x -= 3.0;
  });
  EXPECT_THAT(text, HasSubstr("the window ends because the program reads a value: item" + at(item) + "\n"));
  EXPECT_THAT(text, HasSubstr("the window ends because the program calls wait" + at(wait) + "\n"));
  EXPECT_THAT(text, HasSubstr("the window ends because it is full: 4 operations\n"));
  EXPECT_THAT(text, HasSubstr("the window ends because the program ends\n"));
}

TEST(Explain, SaysThatALoopBegan) {
  const std::string text = explain({}, [&](Session&) {
    const programs::Step step = programs::jacobi(10);
    for (int i = 0; i < 50; ++i) step();
  });
  EXPECT_THAT(text, HasSubstr("the window ends because a loop of 6 operations begins\n"));
  EXPECT_THAT(text, HasSubstr("the window ends because it holds whole rounds of a loop of 6 operations\n"));
}

TEST(Explain, OnGpusItIsTheSame) {
  const auto program = [](Session&) {
    const programs::Step step = programs::jacobi(40);
    for (int i = 0; i < 60; ++i) step();
  };
  const std::string text = explain({.processors_per_rank = 2, .gpus = true}, program);
  EXPECT_EQ(rounds_of(text, "add ×4; "), 60) << text;
}

TEST(Explain, NobodyAsksNothingIsPrinted) {
  testing::internal::CaptureStderr();
  fakes::run_on_simulated_ranks({}, [&](Session&) { programs::jacobi(10)(); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Explain, BesideOtherStagesEveryPlanIsMade) {
  testing::internal::CaptureStderr();
  fakes::run_on_simulated_ranks({.print = "tasks,fusion"}, [&](Session& session) {
    const programs::Step step = programs::jacobi(10);
    for (int i = 0; i < 100; ++i) step();
    session.wait();
    EXPECT_EQ(session.plan_cache().hits, 0);
  });
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("a new group begins because "));
  EXPECT_THAT(text, HasSubstr(", in a register"));
}

}  // namespace
}  // namespace pilum::scheduler
