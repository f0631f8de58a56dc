// Ranks that do not record the same calls fail, and say where.
#include "scheduler/watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

fakes::SimulatedRanks machine_of(int ranks) {
  fakes::SimulatedRanks machine;
  machine.ranks = ranks;
  return machine;
}

// What each rank threw; "" where it ended in order. The ranks' programs end, whatever happens, or the test hangs.
std::vector<std::string> errors_of(int ranks, const std::function<void(Session&)>& program) {
  std::vector<std::string> errors(static_cast<std::size_t>(ranks));
  try {
    fakes::run_on_simulated_ranks(machine_of(ranks), [&](Session& session) {
      try {
        program(session);
        session.finish();
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(session.rank())] = error.what();
        throw;
      }
    });
  } catch (const std::exception&) {
  }
  return errors;
}

// The one error that says how the ranks differ.
std::string difference(const std::vector<std::string>& errors) {
  std::string found;
  for (const std::string& error : errors) {
    EXPECT_FALSE(error.empty()) << "a rank ended in order";
    if (error.find("different calls") == std::string::npos) continue;
    EXPECT_TRUE(found.empty()) << found << "\n" << error;
    found = error;
  }
  return found;
}

std::string place(unsigned line) { return "watch_test.cc:" + std::to_string(line); }

TEST(Watch, NamesTheCallBothRanksAndBothLinesWhereTheyDiffer) {
  const unsigned here = __LINE__;
  const std::string error = difference(errors_of(3, [](Session& session) {
    np::Array x = np::ones(100);       // call 1
    if (session.rank() == 2) x += 1.0;
    else x -= 1.0;
    for (int i = 0; i < 5000; ++i) x += 1.0;
  }));
  EXPECT_NE(error.find("number 2"), std::string::npos) << error;
  EXPECT_NE(error.find("on rank 0"), std::string::npos) << error;
  EXPECT_NE(error.find("on rank 2"), std::string::npos) << error;
  EXPECT_NE(error.find(place(here + 3)), std::string::npos) << error;
  EXPECT_NE(error.find(place(here + 4)), std::string::npos) << error;
  EXPECT_NE(error.find("[Runtime]"), std::string::npos) << error;
  EXPECT_NE(error.find("Every rank must make the same calls"), std::string::npos) << error;
}

TEST(Watch, FindsALateCallAmongManyByBisection) {
  const std::string error = difference(errors_of(2, [](Session& session) {
    np::Array x = np::ones(4);
    for (int i = 2; i <= 9000; ++i) x[all] = (session.rank() == 1 && i == 7777) ? 2.0 : 1.0;
  }));
  EXPECT_NE(error.find("number 7777"), std::string::npos) << error;
}

TEST(Watch, ANumberIsPartOfTheCall) {
  EXPECT_NE(difference(errors_of(2, [](Session& session) {
              np::Array x = np::ones(4);
              x[all] = static_cast<double>(session.rank());
            })).find("number 2"),
            std::string::npos);
}

TEST(Watch, ASliceIsPartOfTheCall) {
  EXPECT_NE(difference(errors_of(2, [](Session& session) {
              np::Array x = np::ones(100);
              x(slice(session.rank(), {})) = 1.0;
            })).find("number 2"),
            std::string::npos);
}

TEST(Watch, NoticesWhileARankWaitsForAValue) {
  const std::string error = difference(errors_of(2, [](Session& session) {
    np::Array x = np::ones(1000);
    if (session.rank() == 0) (void)np::sum(x).item<double>();  // its peer never sends its share
    else x += 1.0;
  }));
  EXPECT_NE(error.find("number 2"), std::string::npos) << error;
}

TEST(Watch, ARankThatLeavesEarlyIsNamed) {
  const std::string error = difference(errors_of(3, [](Session& session) {
    np::Array x = np::ones(100);
    if (session.rank() == 1) return;
    x += 1.0;
    (void)np::sum(x).item<double>();
  }));
  EXPECT_NE(error.find("on rank 1"), std::string::npos) << error;
  EXPECT_NE(error.find("[~Runtime]"), std::string::npos) << error;
}

TEST(Watch, RankZeroLeavingEarlyIsNoticedToo) {
  const std::string error = difference(errors_of(2, [](Session& session) {
    np::Array x = np::ones(100);
    if (session.rank() == 0) return;
    x += 1.0;
    (void)np::sum(x).item<double>();
  }));
  EXPECT_NE(error.find("[~Runtime]"), std::string::npos) << error;
}

TEST(Watch, EqualProgramsNeverTripIt) {
  for (const int ranks : {1, 2, 5}) {
    const std::vector<std::string> errors = errors_of(ranks, [](Session& session) {
      np::Array x = np::ones(64);
      for (int i = 0; i < 3000; ++i) {
        x[all] = x * 0.5 + 1.0;
        if (i % 700 == 699) (void)x(i % 64).item<double>();
      }
      std::vector<np::Array> kept;  // ranks may drop handles when they like
      if (session.rank() == 0) kept.push_back(x);
      x = np::Array();
    });
    for (const std::string& error : errors) EXPECT_EQ(error, "");
  }
}

TEST(Watch, AnExceptionInOneRankEndsTheOthers) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<std::string> errors = errors_of(3, [](Session& session) {
    np::Array x = np::ones(100);
    if (session.rank() == 1) throw std::runtime_error("the program gives up");
    for (int i = 0; i < 100; ++i) (void)np::sum(x + static_cast<double>(i)).item<double>();
  });
  EXPECT_EQ(errors[1], "the program gives up");
  EXPECT_NE(errors[0], "");
  EXPECT_NE(errors[2], "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Watch, AUsersMistakeOnEveryRankIsThatMistakeEverywhere) {
  const std::vector<std::string> errors = errors_of(2, [](Session&) {
    np::Array x = np::ones(100);
    x[all] = np::ones(99);
  });
  int mistakes = 0;
  for (const std::string& error : errors) mistakes += error.find("(99,)") != std::string::npos;
  EXPECT_EQ(mistakes, 2) << errors[0] << "\n" << errors[1];
}

}  // namespace
}  // namespace pilum::scheduler
