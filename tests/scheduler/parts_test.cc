#include "scheduler/analyze/parts.h"

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/partitioner/random_cells.h"
#include "tests/scheduler/seeds.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;
using partitioner::Cell, partitioner::Random;

class PartsTest : public testing::Test {
 protected:
  PartsTest() : a_(np::zeros({10, 12})), b_(np::zeros({10, 12})) { recorder_.begin_window(); }
  // The last operation of those that `call` records.
  template <class Call>
  const Operation& last_of(Call call) {
    recorder_.begin_window();
    call();
    return recorder_.operations.back();
  }
  std::optional<Rect> cells_of(auto call) { return divisible_cells(last_of(call)); }
  WindowRecorder recorder_;
  np::Array a_, b_;
};

TEST_F(PartsTest, ASliceIsAShiftAndStepsReversalsAndDroppedAxesAreNot) {
  const auto shift = [&](auto call) { return is_shift(*last_of(call).output()); };
  EXPECT_TRUE(shift([&] { a_[all] = 1.0; }));
  EXPECT_TRUE(shift([&] { a_(slice(2, 5), slice(1, {})) = 1.0; }));
  EXPECT_TRUE(shift([&] { a_(slice(3, 4), all) = 1.0; })) << "one row, still an axis";
  EXPECT_TRUE(shift([&] { a_.T()[all] = 1.0; })) << "each axis goes with one of the view's";
  EXPECT_FALSE(shift([&] { a_(3) = 1.0; }));
  EXPECT_FALSE(shift([&] { a_(slice({}, {}, 2), all) = 1.0; }));
  EXPECT_FALSE(shift([&] { a_(slice({}, {}, -1), all) = 1.0; }));
  EXPECT_TRUE(is_shift(View{StoreRef(new Store), {}, Shape({})})) << "one cell, one point";
}

TEST_F(PartsTest, DivisibleAreOperationsOfCellsThatReadWhatTheyWriteWhereTheyWriteIt) {
  const slice in(1, -1);
  EXPECT_EQ(cells_of([&] { a_[all] = b_ + 1.0; }), Rect::of({0, 0}, {10, 12}));
  EXPECT_EQ(cells_of([&] { a_(in, slice(2, 5)) = 1.0; }), Rect::of({1, 2}, {9, 5}));
  EXPECT_EQ(cells_of([&] { a_ += b_; }), Rect::of({0, 0}, {10, 12})) << "in place";
  EXPECT_EQ(cells_of([&] { a_(slice(1, {}), all) -= b_(slice(0, -1), all); }), Rect::of({1, 0}, {10, 12}));
  EXPECT_EQ(cells_of([&] { a_(slice(1, {})) = a_(slice(0, -1)); }), std::nullopt) << "its own, displaced";
  EXPECT_EQ(cells_of([&] { a_(3) = 1.0; }), std::nullopt) << "a row has no axis for one of the array's";
  EXPECT_EQ(cells_of([&] { (void)np::sum(a_, 0); }), std::nullopt);
  EXPECT_EQ(cells_of([&] { (void)np::zeros({}); }), std::nullopt);
  EXPECT_EQ(cells_of([&] { (void)np::array({1.0, 2.0}); }), std::nullopt);
  Operation index = last_of([&] { a_[all] = 1.0; });
  std::get<Elementwise>(index.what).op = kernel::Op::Index;
  EXPECT_EQ(divisible_cells(index), std::nullopt) << "coordinates count from the operation's first point";
}

TEST_F(PartsTest, NarrowedAViewShowsTheSameCellsAtFewerPoints) {
  for_each_seed(200, [](std::uint64_t seed) {
    Random random(seed);
    const int view_rank = static_cast<int>(random.between(0, 4));
    View view{
        StoreRef(new Store), partitioner::random_map(random, static_cast<int>(random.between(0, 4)), view_rank, 3), {}};
    Rect points{view_rank};
    for (int axis = 0; axis < view_rank; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      view.shape.push_back(random.between(1, 9));
      points.lo[a] = random.between(0, view.shape[axis] - 1);
      points.hi[a] = random.between(points.lo[a] + 1, view.shape[axis]);
    }
    View part = view;
    narrow(part, points);
    EXPECT_EQ(part.store, view.store);
    EXPECT_EQ(part.shape.rank(), view_rank);
    EXPECT_EQ(part.shape.elements(), points.cells());
    partitioner::for_each_cell(points, [&](const Cell& point) {
      Cell own = point;
      for (std::size_t a = 0; a < static_cast<std::size_t>(view_rank); ++a) own[a] -= points.lo[a];
      ASSERT_EQ(partitioner::apply(part.map, own), partitioner::apply(view.map, point));
    });
  });
}

TEST_F(PartsTest, NarrowedNearTheEndOfTheLargestViewsNothingOverflows) {
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  View view{StoreRef(new Store), AffineMap::identity(1), Shape({kFar + 7})};
  view.map[0].offset = kFar;
  narrow(view, Rect::of({kFar}, {kFar + 7}));
  EXPECT_EQ(partitioner::image(view.map, Rect::of(view.shape)), Rect::of({2 * kFar}, {2 * kFar + 7}));
}

TEST_F(PartsTest, APartReadsAndWritesAsTheWholeAtItsPoints) {
  const Operation whole = last_of([&] { a_(slice(1, {}), all) = np::where(b_(slice(0, -1), all) > 0.5, b_(0), 2.0); });
  ASSERT_EQ(whole.elementwise()->inputs.size(), 1u) << "a copy of what was computed";
  const Operation& select = recorder_.operations[recorder_.operations.size() - 2];
  ASSERT_EQ(select.elementwise()->op, kernel::Op::Select);
  const Rect points = Rect::of({2, 3}, {4, 12});
  const Operation part = part_at(select, points);
  EXPECT_EQ(part.output()->shape, Shape({2, 9}));
  EXPECT_EQ(partitioner::to_string(part.output()->map), "[x0+2, x1+3]");
  const Operands& inputs = part.elementwise()->inputs;
  EXPECT_EQ(partitioner::to_string(inputs[0].view.map), "[x0+2, x1+3]");
  EXPECT_EQ(partitioner::to_string(inputs[1].view.map), "[0, x1+3]") << "a row for all rows";
  EXPECT_FALSE(inputs[2].is_view());
  EXPECT_EQ(inputs[2].scalar, Scalar::of(2.0));
  EXPECT_STREQ(part.name, select.name);
}

TEST_F(PartsTest, APartIsWorthALaunchWhereItIsWorthSplitting) {
  machine::Machine machine;
  machine.split_bytes = 1000;
  EXPECT_EQ(min_bytes_to_split(machine), 1000);
  machine.kind = machine::ProcessorKind::Gpu;
  EXPECT_EQ(min_bytes_to_split(machine), 16000) << "launches cost more there";
  machine.split_bytes = 0;
  EXPECT_GT(min_bytes_to_split(machine), 0);
}

}  // namespace
}  // namespace pilum::scheduler
