#include "launcher/rank_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pilum::launcher {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

TEST(RankText, LinesAreShownWholeAndEscaped) {
  RankText text(0, /*show_all=*/false);
  EXPECT_EQ(text.add("half a "), "");
  EXPECT_TRUE(text.has_unfinished_line());
  EXPECT_EQ(text.add("line\nred: \x1b[31m\nrest"), "half a line\nred: \\x1b[31m\n");
  EXPECT_EQ(text.take_unfinished(), "rest");
  EXPECT_EQ(text.finish(), "");
}

TEST(RankText, ACharacterIsNotCutWhereALineIsShownEarly) {
  RankText text(0, false);
  EXPECT_EQ(text.add("gr\xc3"), "");
  EXPECT_EQ(text.take_unfinished(), "gr");
  EXPECT_EQ(text.add("\xbcn\n"), "\xc3\xbcn\n");
}

TEST(RankText, WhatOpenMpiSaysOfAnAbortIsLeftOutAndOtherDashesStay) {
  const std::string rule(74, '-');
  RankText text(0, false);
  EXPECT_EQ(text.add("a\n" + rule + "\nMPI_ABORT was invoked on rank 1\nmore\n" + rule + "\nb\n"), "a\nb\n");
  EXPECT_EQ(text.add(rule + "\ntitle\n" + rule + "\n"), rule + "\ntitle\n");
  EXPECT_EQ(text.finish(), rule + "\n");
  EXPECT_EQ(RankText(0, true).add(rule + "\nMPI_ABORT was invoked\n"), rule + "\nMPI_ABORT was invoked\n");
}

TEST(RankText, ALineWithoutAnEndIsBroken) {
  RankText text(0, false);
  const std::string shown = text.add(std::string(3 * RankText::kLongestLine, 'x'));
  EXPECT_EQ(shown.size(), 3 * (RankText::kLongestLine + 1));
  EXPECT_FALSE(text.has_unfinished_line());
}

std::string flood(RankText& text, int lines, RankText::Clock::time_point now = RankText::Clock::now()) {
  std::string shown;
  for (int i = 0; i < lines; ++i) shown += text.add("line " + std::to_string(i) + " of a rank that talks much\n", now);
  return shown;
}

TEST(RankText, AFloodIsBoundedAndItsLastWordsAreKept) {
  RankText text(7, false);
  const auto now = RankText::Clock::now();
  const std::string shown = flood(text, 1'000'000, now);
  EXPECT_LE(shown.size(), static_cast<std::size_t>(RankText::kMaxAtOnce));
  EXPECT_GT(shown.size(), static_cast<std::size_t>(RankText::kMaxAtOnce) - 100);
  text.add("terminate called\n", now);
  const std::string rest = text.finish();
  EXPECT_LT(rest.size(), RankText::kLastWords + 300);
  EXPECT_THAT(rest, HasSubstr(" bytes of rank 7's standard error are omitted here"));
  EXPECT_THAT(rest, EndsWith("line 999999 of a rank that talks much\nterminate called\n"));
  EXPECT_THAT(rest, Not(HasSubstr("\nne ")));  // lines are whole
}

TEST(RankText, WhatIsLeftOutIsCountedExactly) {
  RankText text(0, false);
  std::size_t sent = 0;
  const auto now = RankText::Clock::now();
  std::string shown;
  const std::string line(999, 'x');
  for (int i = 0; i < 20'000; ++i, sent += 1000) shown += text.add(line + "\n", now);
  const std::string rest = text.finish();
  const std::size_t lost = std::stoul(rest.substr(std::string("plaunch: ").size()));
  EXPECT_EQ(lost + shown.size() + rest.size() - (rest.find('\n') + 1), sent);
}

TEST(RankText, WhoTalksSlowlyIsNeverCut) {
  RankText text(0, false);
  auto now = RankText::Clock::now();
  const std::string line(RankText::kMaxPerSecond / 100 - 1, 'x');
  for (int i = 0; i < 5'000; ++i, now += std::chrono::microseconds(10'100)) {
    ASSERT_EQ(text.add(line + "\n", now).size(), line.size() + 1) << "line " << i;
  }
}

TEST(RankText, AfterAPauseItIsHeardAgain) {
  RankText text(0, false);
  flood(text, 1'000'000);
  const std::string shown = text.add("back\n", RankText::Clock::now() + std::chrono::seconds(5));
  EXPECT_THAT(shown, HasSubstr("omitted here"));
  EXPECT_THAT(shown, EndsWith("\nback\n"));
}

TEST(RankText, AllIsShownToWhoWantsAll) {
  RankText text(0, /*show_all=*/true);
  EXPECT_GT(flood(text, 1'000'000).size(), 30'000'000u);
  EXPECT_EQ(text.finish(), "");
}

}  // namespace
}  // namespace pilum::launcher
