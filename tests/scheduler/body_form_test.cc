#include "scheduler/record/device_body.h"

#include <gtest/gtest.h>

#include "tests/scheduler/launch_arguments.h"

namespace pilum::scheduler {
namespace {

using kernel::BodyAxis;
using Kind = kernel::BodyAxis::Kind;

kernel::BodyForm form_of(const Rect& domain, std::vector<Argument> arguments) {
  TaskLaunch launch;
  launch.domain = domain;
  launch.arguments = std::move(arguments);
  kernel::BodyForm form;
  find_body_form(launch, form);
  return form;
}

BodyAxis axis_of(const AxisCells& window, std::int64_t extent, std::int64_t domain = 20) {
  return form_of(Rect::of({0, 0}, {domain, domain}), {argument_of(kernel::Access::Read, Shape({extent}), {window})})
      .arrays[0]
      .axes[0];
}

TEST(BodyForm, AnAxisIsFixedTheOwnOrAWindow) {
  EXPECT_EQ(axis_of({-1, 0, 0, 20}, 20), (BodyAxis{Kind::Fixed, 0}));
  EXPECT_EQ(axis_of({0, 1, 0, 1}, 20), (BodyAxis{Kind::Own, 0}));
  EXPECT_EQ(axis_of({1, 1, 0, 1}, 20), (BodyAxis{Kind::Own, 1}));
  EXPECT_EQ(axis_of({1, 1, -1, 3}, 20), (BodyAxis{Kind::Window, 1})) << "a halo";
  EXPECT_EQ(axis_of({1, 2, 0, 1}, 40), (BodyAxis{Kind::Window, 1})) << "every other cell";
  EXPECT_EQ(axis_of({1, 1, 1, 1}, 21), (BodyAxis{Kind::Window, 1})) << "displaced";
  EXPECT_EQ(axis_of({0, -1, 0, 1}, 20), (BodyAxis{Kind::Window, 0})) << "backwards";
}

// Beyond its end a point may touch nothing: that is a window's business.
TEST(BodyForm, AnAxisShorterThanTheDomainIsAWindow) {
  EXPECT_EQ(axis_of({0, 1, 0, 1}, 19).kind, Kind::Window);
  EXPECT_EQ(axis_of({0, 1, 0, 1}, 21).kind, Kind::Own);
}

TEST(BodyForm, ThroughAFunctionEveryAxisIsFixed) {
  Argument argument = argument_of(kernel::Access::Read, Shape({20, 20}), {{0, 1, 0, 1}, {1, 1, 0, 1}});
  argument.footprint.cells = AskedCells{std::make_shared<CellFunction>(), nullptr};
  const kernel::BodyForm form = form_of(Rect::of({0, 0}, {20, 20}), {argument});
  EXPECT_EQ(form.arrays[0].axes, (std::vector<BodyAxis>{{Kind::Fixed, 0}, {Kind::Fixed, 0}}));
}

TEST(BodyForm, IsContiguousWhereTheLastAxisGoesOnByOneAlongTheStoresLast) {
  const auto contiguous = [](const AffineMap& map, kernel::Access access = kernel::Access::Read) {
    Argument argument = argument_of(access, Shape({5, 6}), {});
    argument.view.map = map;
    return form_of(Rect::of({0}, {5}), {argument}).arrays[0].contiguous;
  };
  AffineMap map = AffineMap::identity(2);
  EXPECT_TRUE(contiguous(map));
  map[1].offset = 3;
  EXPECT_TRUE(contiguous(map)) << "displaced";
  map[1].scale = 2;
  EXPECT_FALSE(contiguous(map)) << "with a step";
  map[1].scale = -1;
  EXPECT_FALSE(contiguous(map)) << "backwards";
  EXPECT_TRUE(contiguous(map, kernel::Access::Reduce)) << "a fold's private cells are row-major";
  AffineMap transposed = AffineMap::identity(2);
  std::swap(transposed[0], transposed[1]);
  EXPECT_FALSE(contiguous(transposed));
  AffineMap column = AffineMap::identity(2);
  column[1] = {-1, 0, 4};
  EXPECT_FALSE(contiguous(column)) << "the last axis repeats its cells";
}

TEST(BodyForm, OfAnArrayWithoutAxesIsNotContiguous) {
  const kernel::BodyForm form = form_of(Rect::of({0}, {5}), {argument_of(kernel::Access::Read, Shape({}), {})});
  EXPECT_TRUE(form.arrays[0].axes.empty());
  EXPECT_FALSE(form.arrays[0].contiguous);
}

TEST(BodyForm, OnlyAFoldHasAFold) {
  Argument read = argument_of(kernel::Access::Read, Shape({5}), {}), fold = read;
  read.footprint.fold = fold.footprint.fold = kernel::Fold::Maximum;
  fold.footprint.access = kernel::Access::Reduce;
  const kernel::BodyForm form = form_of(Rect::of({0}, {5}), {read, fold});
  EXPECT_EQ(form.arrays[0].fold, kernel::Fold::Sum);
  EXPECT_EQ(form.arrays[1].fold, kernel::Fold::Maximum);
}

TEST(BodyForm, IsTheSameInMemoryThatWasUsedForAnother) {
  TaskLaunch large, small;
  large.domain = Rect::of({0, 0, 0}, {5, 5, 5});
  small.domain = Rect::of({0}, {5});
  for (int i = 0; i < 4; ++i) large.arguments.push_back(argument_of(kernel::Access::Reduce, Shape({5, 5, 5}), {}));
  large.arguments[0].footprint.fold = kernel::Fold::Minimum;
  small.arguments = {argument_of(kernel::Access::Read, Shape({5}), {{0, 1, 0, 1}})};
  kernel::BodyForm used, fresh;
  find_body_form(large, used);
  EXPECT_EQ(used.rank, 3);
  find_body_form(small, used);
  find_body_form(small, fresh);
  EXPECT_EQ(used, fresh);
  EXPECT_EQ(used.arrays.size(), 1u);
}

TEST(BodyForm, DoesNotFollowFromExtentsOfTheDomainThatFit) {
  const Argument argument = argument_of(kernel::Access::Read, Shape({90}), {{0, 1, -1, 3}});
  EXPECT_EQ(form_of(Rect::of({0}, {10}), {argument}), form_of(Rect::of({0}, {80}), {argument}));
}

TEST(BodyRanges, OfWindowsAreWhatThePointsTouchAndTheWindowsThemselves) {
  const Argument argument = argument_of(kernel::Access::Read, Shape({30, 9}), {{0, 2, -1, 3}, {-1, 0, 4, 5}});
  const std::vector<kernel::BodyRange> ranges = find_ranges(argument.footprint, Rect::of({5}, {8}), Rect{});
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].lo, 9);
  EXPECT_EQ(ranges[0].hi, 16);
  EXPECT_EQ(ranges[0].scale, 2);
  EXPECT_EQ(ranges[0].offset, -1);
  EXPECT_EQ(ranges[0].extent, 3);
  EXPECT_EQ(ranges[0].size, 30);
  EXPECT_EQ(ranges[1].lo, 4);
  EXPECT_EQ(ranges[1].hi, 9);
  EXPECT_EQ(ranges[1].size, 9);
}

TEST(BodyRanges, OfAFunctionAreTheBoxThatIsGiven) {
  Argument argument = argument_of(kernel::Access::Read, Shape({30}), {{0, 1, 0, 1}});
  argument.footprint.cells = AskedCells{std::make_shared<CellFunction>(), nullptr};
  const std::vector<kernel::BodyRange> ranges =
      find_ranges(argument.footprint, Rect::of({5}, {8}), Rect::of({11}, {23}));
  EXPECT_EQ(ranges[0].lo, 11);
  EXPECT_EQ(ranges[0].hi, 23);
  EXPECT_TRUE(
      find_ranges(argument_of(kernel::Access::Read, Shape({}), {}).footprint, Rect::of({5}, {8}), Rect{}).empty());
}

}  // namespace
}  // namespace pilum::scheduler
