#include "scheduler/print/fusion_log.h"

#include <gtest/gtest.h>

namespace pilum::scheduler {
namespace {

// A group of one call, which another one follows because that is one of another shape.
FusedGroup group(const char* name, std::int64_t extent, std::int64_t next = 0) {
  FusedGroup group;
  group.notes.members.push_back({{name, {}}, 0});
  group.shape = Shape{extent};
  group.traffic = {8 * extent, 0, 8 * extent};
  group.instructions.launches = 1;
  if (next == 0) return group;
  Refusal refusal{Hindrance::OtherShape, {"next", {}}};
  refusal.refused_shape = Shape{next};
  refusal.group_shape = Shape{extent};
  group.notes.refusals.push_back(refusal);
  return group;
}
std::string text_of(const char* name, std::int64_t extent) {
  return "  :0 " + std::string(name) + "\n    1 launch over (" + std::to_string(extent) + ",): reads " +
         std::to_string(8 * extent) + " B, the least possible\n";
}
std::string because(std::int64_t extent, std::int64_t next) {
  return "    a new group begins because next (:0) computes points of shape (" + std::to_string(next) + ",), not (" +
         std::to_string(extent) + ",)\n";
}
const std::string kEnd = "  the window ends because all that is recorded is run\n";

class FusionLogTest : public testing::Test {
 protected:
  std::string add(int window, const std::vector<FusedGroup>& groups) { return log_.add(window, groups, {}, entry_); }
  FusionLog log_{0, 1};
  FusionEntry entry_;
};

TEST_F(FusionLogTest, EachGroupIsFollowedByWhyTheNextOneBegins) {
  EXPECT_EQ(add(3, {group("a", 5, 7), group("b", 7)}),
            "window 3: 2 groups, 96 B moved\n" + text_of("a", 5) + because(5, 7) + text_of("b", 7) + kEnd);
  EXPECT_EQ(log_.finish(), "");
}

TEST_F(FusionLogTest, AWindowThatComesAgainIsCounted) {
  EXPECT_EQ(add(0, {group("a", 5)}), "window 0: 1 group\n" + text_of("a", 5) + kEnd);
  EXPECT_EQ(add(1, {group("b", 5)}), "window 1: 1 group\n" + text_of("b", 5) + kEnd);
  EXPECT_EQ(add(2, {group("b", 5)}), "");
  EXPECT_EQ(add(3, {group("a", 5)}), "");
  EXPECT_EQ(entry_.number, 0);
  log_.count_again(entry_);
  EXPECT_EQ(log_.finish(), "as in window 0: 1 group × 2 more\nas in window 1: 1 group × 1 more\n");
}

TEST_F(FusionLogTest, WindowsOfMoreOrFewerRoundsHaveTheSameGroups) {
  const FusedGroup a = group("a", 5, 7), b = group("b", 7, 5), last = group("b", 7);
  EXPECT_EQ(add(0, {a, b, a, b, a, last}), "window 0: 6 groups, 288 B moved\n" + text_of("a", 5) + because(5, 7) +
                                               text_of("b", 7) + because(7, 5) + "  these 2 groups × 2 more\n" + kEnd);
  EXPECT_EQ(entry_.rounds, 3);
  EXPECT_EQ(add(1, {a, last}), "");
  EXPECT_EQ(entry_.rounds, 1);
  EXPECT_EQ(add(2, {a, b, a, last}), "");
  log_.count_again(entry_);
  EXPECT_EQ(log_.finish(), "as in window 0: 2 groups × 5 more\n");
}

TEST_F(FusionLogTest, GroupsThatComeInARowAreToldOnceBesideOthers) {
  const FusedGroup a = group("a", 5, 5);
  EXPECT_EQ(add(0, {group("first", 4, 5), a, a, group("a", 5, 6), group("last", 6)}),
            "window 0: 5 groups, 200 B moved\n" + text_of("first", 4) + because(4, 5) + text_of("a", 5) +
                because(5, 5) + "  × 2 more\n" + because(5, 6) + text_of("last", 6) + kEnd);
}

TEST_F(FusionLogTest, WindowsWithoutGroupsAreCounted) {
  log_.count_direct(40);
  EXPECT_EQ(log_.finish().find("1 window of 40 small operations, "), 0u) << log_.finish();
  static_cast<void>(add(0, {group("a", 5)}));
  log_.count_direct(2);
  EXPECT_EQ(log_.finish().find("2 windows of 42 small operations, "), 0u) << log_.finish();
}

TEST_F(FusionLogTest, WhatEndsAWindowTellsNoWindowsApart) {
  static_cast<void>(add(0, {group("a", 5)}));
  EXPECT_EQ(log_.add(1, std::vector<FusedGroup>{group("a", 5)}, {WindowEnd::Why::Full, {}, 9}, entry_), "");
}

TEST_F(FusionLogTest, OtherReasonsInsideOfARoundAreOtherGroups) {
  static_cast<void>(add(0, {group("a", 5, 7), group("b", 7)}));
  EXPECT_NE(add(1, {group("a", 5, 8), group("b", 7)}), "");
}

TEST(FusionLogOfRanks, NamesItsRank) {
  FusionLog log(2, 4);
  FusionEntry entry;
  EXPECT_EQ(log.add(0, std::vector<FusedGroup>{group("a", 5, 7), group("b", 7)}, {}, entry)
                .find("window 0 of rank 2: 2 groups, 96 B moved by all ranks\n"),
            0u);
}

TEST(FusionLogOfNothing, IsAWindowWithoutGroups) {
  FusionLog log(0, 1);
  FusionEntry entry;
  EXPECT_EQ(log.add(0, {}, {}, entry), "window 0: 0 groups\n" + kEnd);
  EXPECT_EQ(log.add(1, {}, {}, entry), "");
}

}  // namespace
}  // namespace pilum::scheduler
