#include "scheduler/print/fusion_text.h"

#include <gtest/gtest.h>

namespace pilum::scheduler {
namespace {

TEST(FusionText, BytesAreInPowersOfAThousandWithThreeDigits) {
  EXPECT_EQ(decimal_bytes(0), "0 B");
  EXPECT_EQ(decimal_bytes(999), "999 B");
  EXPECT_EQ(decimal_bytes(1000), "1.00 kB");
  EXPECT_EQ(decimal_bytes(9994), "9.99 kB");
  EXPECT_EQ(decimal_bytes(9999), "10.0 kB");
  EXPECT_EQ(decimal_bytes(13'440), "13.4 kB");
  EXPECT_EQ(decimal_bytes(99'960), "100 kB");
  EXPECT_EQ(decimal_bytes(999'600), "1.00 MB");
  EXPECT_EQ(decimal_bytes(12'400'000'000), "12.4 GB");
}

std::string here(unsigned line) {
  return "fusion_text_test.cc:" + std::to_string(line);
}

class GroupText : public testing::Test {
 protected:
  GroupText() {
    group_.shape = Shape{10, 20};
    group_.instructions.launches = 1;
    add("add", 0), add("multiply", 1), add("add", 2);
  }
  void add(const char* name, int number, bool is_part = false) {
    group_.notes.members.push_back({{name, where_}, number, is_part});
  }
  std::string second_line() const {
    const std::string text = to_text(group_);
    return text.substr(text.find('\n') + 1);
  }
  const std::source_location where_ = std::source_location::current();
  FusedGroup group_;
};

TEST_F(GroupText, CallsOfALineAreCountedByName) {
  EXPECT_EQ(to_text(group_).find("  " + here(where_.line()) + " add ×2, multiply\n"), 0u) << to_text(group_);
}

TEST_F(GroupText, PartsOfACallCountOnce) {
  add("-=", 3, /*is_part=*/true), add("-=", 3, /*is_part=*/true), add("-=", 4, /*is_part=*/true);
  EXPECT_EQ(to_text(group_).find("  " + here(where_.line()) + " add ×2, multiply, part of -= ×2\n"), 0u)
      << to_text(group_);
}

TEST_F(GroupText, CallsOfOtherLinesStandApart) {
  const std::source_location other = std::source_location::current();
  group_.notes.members.push_back({{"sum", other}, 3});
  EXPECT_EQ(to_text(group_).find("  " + here(where_.line()) + " add ×2, multiply; " + here(other.line()) + " sum\n"),
            0u)
      << to_text(group_);
}

TEST_F(GroupText, MovesWhatItReadsAndWritesAndTheLeast) {
  group_.traffic = {16'000'000, 8'000'000, 24'000'000};
  EXPECT_EQ(second_line(), "    1 launch over (10, 20): reads 16.0 MB, writes 8.00 MB, the least possible\n");
  group_.traffic.least = 16'000'000;
  EXPECT_EQ(second_line(),
            "    1 launch over (10, 20): reads 16.0 MB, writes 8.00 MB; the least possible is 16.0 MB\n");
  group_.traffic.least = 23'999'996;
  EXPECT_EQ(second_line(), "    1 launch over (10, 20): reads 16.0 MB, writes 8.00 MB; 4 B less is possible\n");
  group_.traffic = {0, 800, 800};
  EXPECT_EQ(second_line(), "    1 launch over (10, 20): writes 800 B, the least possible\n");
  group_.traffic = {800, 0, 800};
  EXPECT_EQ(second_line(), "    1 launch over (10, 20): reads 800 B, the least possible\n");
}

TEST_F(GroupText, SaysWhatElseAPlanDoesForIt) {
  group_.traffic = {0, 800, 800};
  group_.in_registers = 1;
  group_.on_all = true;
  group_.instructions = {
      .launches = 2, .copies = 3, .bytes_copied = 24000, .bytes_sent = 8000, .bytes_received = 16000};
  EXPECT_EQ(second_line(),
            "    2 launches over (10, 20) by every processor: writes 800 B, the least possible; 1 value stays in a "
            "register; 3 copies of 24.0 kB; sends 8.00 kB; receives 16.0 kB\n");
  group_.in_registers = 7;
  group_.on_all = false;
  group_.instructions = {.copies = 1, .bytes_copied = 24};
  EXPECT_EQ(
      second_line(),
      "    no launch over (10, 20): writes 800 B, the least possible; 7 values stay in registers; 1 copy of 24 B\n");
}

TEST_F(GroupText, NamesWhatAHandleHolds) {
  group_.traffic = {0, 800, 800};
  group_.notes.held = {{"add", where_}};
  const std::string add = "add (" + here(where_.line()) + ")";
  EXPECT_EQ(second_line(), "    1 launch over (10, 20): writes 800 B, the least possible; " + add +
                               " is written because the program still holds it\n");
  group_.notes.held.resize(5, {"add", where_});
  EXPECT_EQ(second_line(), "    1 launch over (10, 20): writes 800 B, the least possible; " + add + ", " + add + ", " +
                               add + " and 2 more are written because the program still holds them\n");
}

TEST(WindowEndText, SaysWhyAWindowEnds) {
  using enum WindowEnd::Why;
  const Call item{"item", std::source_location::current()};
  const std::string place = "item (" + here(item.where.line()) + ")";
  EXPECT_EQ(to_text(WindowEnd{ValueRead, item}), "the window ends because the program reads a value: " + place);
  EXPECT_EQ(to_text(WindowEnd{Called, {"wait", item.where}}),
            "the window ends because the program calls wait (" + here(item.where.line()) + ")");
  EXPECT_EQ(to_text(WindowEnd{Called, {"~Runtime", item.where}}), "the window ends because the program ends");
  EXPECT_EQ(to_text(WindowEnd{Full, {}, 256}), "the window ends because it is full: 256 operations");
  EXPECT_EQ(to_text(WindowEnd{LoopFound, {}, 6}), "the window ends because a loop of 6 operations begins");
  EXPECT_EQ(to_text(WindowEnd{LoopRounds, {}, 1}),
            "the window ends because it holds whole rounds of a loop of 1 operation");
  EXPECT_EQ(to_text(WindowEnd{MemoryIsShort}), "the window ends because there is no memory for more at once");
  EXPECT_EQ(to_text(WindowEnd{}), "the window ends because all that is recorded is run");
}

}  // namespace
}  // namespace pilum::scheduler
