// What is said of a run in which nothing moves.
#include "scheduler/watch/stall.h"

#include <gtest/gtest.h>

namespace pilum::scheduler {
namespace {

TEST(ExplainStall, FollowsWhoWaitsForWhomToTheRoot) {
  const std::map<int, RankState> states{
      {0, {2, "waits for message 1 of window 5 from rank 2, for [add] at app.cc:7"}},
      {1, {-1, "has recorded no operation for 31 s; last call [multiply] at app.cc:9"}},
      {2, {1, "waits for message 0 of window 5 from rank 1, for [add] at app.cc:7"}},
  };
  EXPECT_EQ(explain_stall(states, 3, 20),
            "pilum: no progress for 20 s:\n"
            "  rank 0 waits for message 1 of window 5 from rank 2, for [add] at app.cc:7\n"
            "  rank 2 waits for message 0 of window 5 from rank 1, for [add] at app.cc:7\n"
            "  rank 1 has recorded no operation for 31 s; last call [multiply] at app.cc:9\n"
            "  the others wait for rank 1");
}

TEST(ExplainStall, NamesARankThatDoesNotAnswer) {
  const std::map<int, RankState> states{
      {0, {1, "waits for rank 1 to make the same call; last call [item] at app.cc:3"}}};
  const std::string text = explain_stall(states, 2, 20);
  EXPECT_NE(text.find("rank 1 does not answer: its process or its node has stopped"), std::string::npos) << text;
  EXPECT_NE(text.find("the others wait for rank 1"), std::string::npos) << text;
}

TEST(ExplainStall, NamesRanksThatNobodyKnowsToWaitFor) {
  const std::map<int, RankState> states{{0, {-1, "runs [slow] at app.cc:5"}}};
  const std::string text = explain_stall(states, 4, 20);
  EXPECT_NE(text.find("rank 1 and 2 more do not answer"), std::string::npos) << text;
}

TEST(ExplainStall, SaysAWaitCycle) {
  const std::map<int, RankState> states{{0, {1, "waits for rank 1"}}, {1, {0, "waits for rank 0"}}};
  const std::string text = explain_stall(states, 2, 20);
  EXPECT_NE(text.find("a wait cycle: back to rank 0"), std::string::npos) << text;
}

TEST(ExplainStall, IsBoundedForManyRanks) {
  std::map<int, RankState> states;
  for (int rank = 1; rank < 5000; ++rank) states[rank] = {0, "waits for message 0 of window 1 from rank 0"};
  states[0] = {-1, "has recorded no operation for 20 s"};
  const std::string text = explain_stall(states, 5000, 20);
  EXPECT_LT(text.size(), 10'000u);
  EXPECT_NE(text.find("the others wait for rank 0"), std::string::npos) << text;
}

TEST(ExplainStall, OfOneRankIsItsStateAlone) {
  EXPECT_EQ(explain_stall({{0, {-1, "runs [slow] at app.cc:5"}}}, 1, 7),
            "pilum: no progress for 7 s:\n"
            "  rank 0 runs [slow] at app.cc:5");
}

TEST(ExplainStall, NobodyIsToldTwiceAndWhoIsWaitedForComesAfterTheFirstWhoWaits) {
  const std::map<int, RankState> states{
      {0, {3, "waits for rank 3"}}, {1, {3, "waits for rank 3"}}, {2, {-1, "computes"}}, {3, {2, "waits for rank 2"}}};
  EXPECT_EQ(explain_stall(states, 4, 20),
            "pilum: no progress for 20 s:\n"
            "  rank 0 waits for rank 3\n"
            "  rank 3 waits for rank 2\n"
            "  rank 2 computes\n"
            "  rank 1 waits for rank 3\n"
            "  the others wait for rank 2");
}

// 1 → 2 → 3 → 1, and 0 behind them.
TEST(ExplainStall, AWaitCycleBehindAnotherRankIsSaidTooAndHasNoRoot) {
  const std::map<int, RankState> states{{0, {1, "waits for rank 1"}},
                                        {1, {2, "waits for rank 2"}},
                                        {2, {3, "waits for rank 3"}},
                                        {3, {1, "waits for 1"}}};
  const std::string text = explain_stall(states, 4, 20);
  for (const char* line : {"\n  rank 0 ", "\n  rank 1 ", "\n  rank 2 ", "\n  rank 3 "}) {
    const std::size_t found = text.find(line);
    ASSERT_NE(found, std::string::npos) << line << text;
    EXPECT_EQ(text.find(line, found + 1), std::string::npos) << line << text;
  }
  EXPECT_NE(text.find("a wait cycle: back to rank 1"), std::string::npos) << text;
  EXPECT_EQ(text.find("the others wait for"), std::string::npos) << text;
}

TEST(ExplainStall, ARankThatWaitsForItselfIsACycle) {
  const std::string text = explain_stall({{0, {0, "waits for rank 0"}}, {1, {0, "waits for rank 0"}}}, 2, 20);
  EXPECT_EQ(text.find("rank 1 waits for rank 0"), text.find("rank")) << text;
  EXPECT_EQ(text.find("the others wait for"), std::string::npos) << text;
}

TEST(ExplainStall, ARankThatThereIsNotEndsAChain) {
  const std::string text = explain_stall({{0, {9, "waits for rank 9"}}, {1, {-1, "computes"}}}, 2, 20);
  EXPECT_NE(text.find("the others wait for rank 0"), std::string::npos) << text;
  EXPECT_EQ(text.find("does not answer"), std::string::npos) << text;
}

TEST(ExplainStall, OneSilentRankIsNamedInTheSingular) {
  EXPECT_EQ(explain_stall({{0, {-1, "computes"}}}, 2, 20),
            "pilum: no progress for 20 s:\n"
            "  rank 0 computes\n"
            "  rank 1 does not answer: the processes or their nodes have stopped\n"
            "  the others wait for rank 0");
}

}  // namespace
}  // namespace pilum::scheduler
