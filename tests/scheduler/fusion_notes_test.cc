// Each reason that keeps operations apart: a small program that provokes it, and the line that users read.
#include "scheduler/record/fusion_notes.h"

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "scheduler/print/fusion_text.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

class FusionNotesTest : public testing::Test {
 protected:
  // Of each group but the last: why the next one begins.
  std::vector<std::string> reasons(int processors = 1) {
    notes_.clear();
    const std::vector<Task> tasks = recorder_.fuse_window(processors, {}, &notes_);
    EXPECT_EQ(notes_.size(), tasks.size());
    for (std::size_t i = 0; i < tasks.size() && i < notes_.size(); ++i) {
      std::set<int> numbers;
      for (const GroupNotes::Member& member : notes_[i].members) numbers.insert(member.number);
      EXPECT_EQ(static_cast<std::size_t>(tasks[i].operations), notes_[i].members.size());
      EXPECT_EQ(notes_[i].refusals.empty(), i + 1 == tasks.size());
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; i + 1 < notes_.size(); ++i) texts.push_back(to_text(notes_[i].refusals));
    return texts;
  }
  static std::string at(unsigned line) { return " (fusion_notes_test.cc:" + std::to_string(line) + ")"; }

  WindowRecorder recorder_;
  FusionNotes notes_;
};
using Reasons = std::vector<std::string>;

TEST_F(FusionNotesTest, ANeighbourOfAValueThatTheGroupWrites) {
  np::Array x = np::zeros(100);
  np::Array here = x(slice(1, -1)), left = x(slice(0, -2));
  recorder_.begin_window();
  here[all] = here + 1.0;
  here[all] = left + 1.0;
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(), Reasons{"a new group begins because add" + at(line) +
                               " reads at other points what a(…) =" + at(line - 1) + " writes"});
}

// The fours are one kernel, whichever windows of the array lie beside each other.
TEST_F(FusionNotesTest, SmallFoldsOnGpusGoInFours) {
  recorder_.kind = machine::ProcessorKind::Gpu;
  np::Array x = np::zeros({3, 40}), weights = np::ones(32);
  std::vector<np::Array> sums;
  recorder_.begin_window();
  for (int k = 0; k < 9; ++k) sums.push_back(np::sum(x(k / 3, slice(k % 3, k % 3 + 32)) * weights));
  const std::string told = "a new group begins because sum" + at(__LINE__ - 1) +
                           " would exceed 4 small reductions, the most in a group on GPUs";
  EXPECT_EQ(reasons(), (Reasons{told, told}));
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[0].kernel()->arrays.size(), 4u + 1 + 4);
  EXPECT_EQ(*tasks[0].kernel(), *tasks[1].kernel());
}

TEST_F(FusionNotesTest, OtherShapes) {
  np::Array x = np::zeros(100), y = np::zeros({5, 7});
  recorder_.begin_window();
  x += 1.0;
  y += 1.0;
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(),
            Reasons{"a new group begins because +=" + at(line) + " computes points of shape (5, 7), not (100,)"});
}

TEST_F(FusionNotesTest, WhatAValueNeedsIsToldBeforeItsShape) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array scaled = 2 * x;
  np::Array slope = scaled(slice(1, {})) - scaled(slice(0, -1));
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(),
            Reasons{"a new group begins because subtract" + at(line) + " reads at other points what multiply" +
                    at(line - 1) + " writes, and computes points of shape (99,), not (100,)"});
}

TEST_F(FusionNotesTest, AFoldThatMustBeWholeBeforeItIsUsed) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array share = x / np::sum(x);
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(),
            Reasons{"a new group begins because divide" + at(line) + " needs the whole result of sum" + at(line)});
}

TEST_F(FusionNotesTest, FoldsOverOtherAxes) {
  np::Array x = np::zeros({20, 20});
  recorder_.begin_window();
  np::Array rows = np::sum(x, 1);
  np::Array columns = np::max(x, 0);
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(),
            Reasons{"a new group begins because max" + at(line) + " reduces other axes than sum" + at(line - 1)});
}

TEST_F(FusionNotesTest, WritesToOtherPlacesOfWhatTheGroupWrites) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  x(slice(0, 50)) = 1.0;
  x(slice(50, 100)) = 2.0;
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(), Reasons{"a new group begins because a(…) =" + at(line) +
                               " writes at other points what a(…) =" + at(line - 1) + " writes"});
}

TEST_F(FusionNotesTest, WhatIsReadAndWrittenElsewhereIsToldOnce) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  x(slice(0, 50)) = 1.0;
  x(slice(50, 100)) += 2.0;
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(), Reasons{"a new group begins because +=" + at(line) +
                               " reads at other points what a(…) =" + at(line - 1) + " writes"});
}

TEST_F(FusionNotesTest, TheMostOperations) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  for (int i = 0; i < 641; ++i) x += 1.0;
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(),
            Reasons{"a new group begins because +=" + at(line) + " would exceed 640 operations, the most in a group"});
}

TEST_F(FusionNotesTest, TwentyFourArraysInMemory) {
  std::vector<np::Array> arrays;
  for (int i = 0; i < 30; ++i) arrays.push_back(np::zeros(100));
  recorder_.begin_window();
  np::Array sum = arrays[0] + arrays[1];
  for (std::size_t i = 2; i < arrays.size(); ++i) arrays[i] += sum;
  const unsigned line = __LINE__ - 1;
  const Reasons found = reasons();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0],
            "a new group begins because +=" + at(line) + " could exceed 24 arrays in memory, the most in a group");
}

TEST_F(FusionNotesTest, TheMostArraysAndValues) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array y = x + 1.0;
  for (int i = 0; i < 638; ++i) y = y * 2.0;
  const unsigned line = __LINE__ - 1;
  const Reasons found = reasons();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0], "a new group begins because multiply" + at(line) +
                          " could exceed 640 arrays and values, the most in a group");
}

TEST_F(FusionNotesTest, PointsThatAreCutInAnotherWay) {
  np::Array x = np::zeros({60, 60}), y = np::zeros({64, 60});
  recorder_.begin_window();
  y(slice(0, 60)) = x + 1.0;
  recorder_.begin_window();
  x += 1.0;
  np::Array part = y(slice(4, 64));
  part += 1.0;
  const unsigned line = __LINE__ - 3;  // the part is updated with the array that it was cut with
  const Reasons found = reasons(3);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "a new group begins because +=" + at(line) + " is cut in another way among the processors");
}

TEST_F(FusionNotesTest, ATaskOfTheProgramsBeforeAndAfter) {
  np::Array a = np::zeros(50), b = np::zeros(50);
  auto smooth = task("smooth", [](Piece, Read<double, 1>, Write<double, 1>) {});
  recorder_.begin_window();
  a += 1.0;
  smooth({50}, read(a), write(b));
  b += 1.0;
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(), (Reasons{"a new group begins because smooth" + at(line - 1) +
                                    " is a task (your own, or the library's), whose body is compiled already",
                                "a new group begins because +=" + at(line) + " cannot join smooth" + at(line - 1) +
                                    ", which is a task (your own, or the library's), whose body is compiled already"}));
}

TEST_F(FusionNotesTest, AReshapeThatMovesCells) {
  np::Array a = np::zeros({10, 10});
  recorder_.begin_window();
  np::Array b = a + 1.0;
  np::Array c = b.reshape({4, 25});
  c += 1.0;
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(), (Reasons{"a new group begins because reshape" + at(line - 1) + " is a copy to another shape",
                                "a new group begins because +=" + at(line) + " cannot join reshape" + at(line - 1) +
                                    ", which is a copy to another shape"}));
}

TEST_F(FusionNotesTest, AnImport) {
  const std::vector<double> data(40, 1.0);
  np::Array a = np::zeros(40);
  recorder_.begin_window();
  a(slice(0, 39)) += a(slice(1, 40));
  np::Array b = np::array(data);
  a += b;
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(), (Reasons{"a new group begins because array" + at(line - 1) +
                                    " is a copy of the program's data into an array",
                                "a new group begins because +=" + at(line) + " cannot join array" + at(line - 1) +
                                    ", which is a copy of the program's data into an array"}));
}

// No call of numeric/ folds into an array that is there already.
TEST_F(FusionNotesTest, AFoldIntoWhatTheGroupReads) {
  np::Array x = np::zeros({10, 10}), total = np::zeros({1});
  recorder_.begin_window();
  np::Array y = x + total;
  np::Array sum = np::sum(x);
  const unsigned line = __LINE__ - 1;
  const StoreRef read = std::get<Elementwise>(recorder_.operations[0].what).inputs[1].view.store;
  std::get<Reduction>(recorder_.operations.back().what).output = View{read,
                                                                      [] {
                                                                        AffineMap one;
                                                                        one.store_rank = 1;
                                                                        return one;
                                                                      }(),
                                                                      Shape{}};
  EXPECT_EQ(reasons(), Reasons{"a new group begins because sum" + at(line) + " writes an array that this group reads"});
}

TEST_F(FusionNotesTest, APartOfWhatIsCutSaysSo) {
  np::Array p = np::zeros({200, 200}), w = np::zeros({200, 200});
  recorder_.begin_window();
  w[all] = 4.0 * p;
  w(slice(1, {})) -= p(slice(0, -1));
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(), Reasons{"a new group begins because a part of multiply" + at(line - 1) +
                               " writes at other points what multiply" + at(line - 1) +
                               " writes, and computes points of shape (200,), not (199, 200)"});
  EXPECT_TRUE(notes_[0].members[0].is_part);
}

TEST_F(FusionNotesTest, TheGroupsHaveAllCallsInOrder) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array y = np::exp(-x) + 1.0;
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(reasons(), Reasons());
  ASSERT_EQ(notes_.size(), 1u);
  std::string names;
  for (const GroupNotes::Member& member : notes_[0].members) {
    names += std::string(member.call.name) + " ";
    EXPECT_EQ(member.call.where.line(), line);
  }
  EXPECT_EQ(names, "negative exp add ");
}

TEST_F(FusionNotesTest, AValueThatANameHoldsIsNamedUnlessAnotherGroupReadsIt) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array held = x + 1.0;
  np::Array used = held * 2.0;
  np::Array moved = used(slice(1, {})) + used(slice(0, -1));
  const unsigned line = __LINE__ - 3;
  static_cast<void>(reasons());
  ASSERT_EQ(notes_.size(), 2u);
  ASSERT_EQ(notes_[0].held.size(), 1u);
  EXPECT_EQ(to_text(notes_[0].held[0]), "add" + at(line));
  ASSERT_EQ(notes_[1].held.size(), 1u);
  EXPECT_EQ(to_text(notes_[1].held[0]), "add" + at(line + 2));
}

TEST_F(FusionNotesTest, WhoAsksChangesNothing) {
  np::Array x = np::zeros({40, 40});
  recorder_.begin_window();
  for (int i = 0; i < 3; ++i) x(slice(1, -1), all) = x(slice(0, -2), all) + np::sum(x) + x(slice(2, {}), all);
  const std::vector<Operation> operations = recorder_.operations;
  const std::vector<Task> without = recorder_.fuse_window();
  recorder_.operations = operations;
  FusionNotes notes;
  const std::vector<Task> with = recorder_.fuse_window(1, {}, &notes);
  ASSERT_EQ(with.size(), without.size());
  for (std::size_t i = 0; i < with.size(); ++i) EXPECT_EQ(with[i].operations, without[i].operations);
}

}  // namespace
}  // namespace pilum::scheduler
