#include "scheduler/analyze/group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>

#include "pilum/pilum.h"
#include "scheduler/memory/store_state.h"
#include "scheduler/record/task_launch.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// Operations as they are recorded, placed by hand: the domain is the output's shape, nothing is cut.
class GroupTest : public testing::Test {
 protected:
  GroupTest() {
    for (np::Array* array : {&a_, &b_, &c_}) *array = np::zeros({20, 30});
    recorder_.begin_window();
  }
  // What the call records, one operation after the other.
  template <class Call>
  std::vector<PlacedOperation> record(Call call) {
    recorder_.begin_window();
    call();
    std::vector<Operation>& kept = windows_.emplace_back(std::move(recorder_.operations));
    std::vector<PlacedOperation> placed;
    for (const Operation& operation : kept) {
      PlacedOperation& one = placed.emplace_back();
      one.operation = &operation;
      one.domain = domain_of(operation);
      if (!operation.launch()) one.output = output_map(operation);
      for_each_input(operation, [&one](std::size_t place, const View& view) {
        one.inputs[place] = view.map;
        one.inputs[place].view_rank = one.domain.rank;
      });
      if (operation.elementwise()) one.axis = operation.elementwise()->axis;
      one.distribution = Tiling::replicated(one.domain);
      one.number = next_number_++;
      number_stores(operation);
    }
    return placed;
  }
  PlacedOperation record_one(auto call) {
    const std::vector<PlacedOperation> placed = record(call);
    EXPECT_EQ(placed.size(), 1u);
    return placed.front();
  }
  std::unique_ptr<Group> group_of(const std::vector<PlacedOperation>& placed) {
    auto group = std::make_unique<Group>(placed.front());
    for (std::size_t i = 1; i < placed.size(); ++i) group->join(placed[i]);
    return group;
  }
  Task finish(Group& group) {
    for (WindowStore& store : stores_) store.loaded.clear();
    group.mark_loads(stores_);
    return group.finish(stores_);
  }
  WindowStore& window_store(const np::Array& array) {
    recorder_.begin_window();
    (void)(array + 1.0);
    return stores_[static_cast<std::size_t>(recorder_.operations[0].elementwise()->inputs[0].view.store->window_index)];
  }
  ~GroupTest() override {
    for (const WindowStore& store : stores_) store.store->window_index = -1;
  }

  WindowRecorder recorder_;
  std::list<std::vector<Operation>> windows_;
  std::vector<WindowStore> stores_;
  np::Array a_, b_, c_;

 private:
  void number_stores(const Operation& operation) {
    for_each_view(operation, [&](const View& view, bool) {
      Store& store = *view.store;
      if (store.window_index >= 0) return;
      store.window_index = static_cast<int>(stores_.size());
      stores_.push_back({&store, Tiling::replicated(Rect::of(store.shape)), store.handles == 0, {}});
    });
  }
  int next_number_ = 0;
};

// --- who may join

TEST_F(GroupTest, OperationsOverOneDomainThatReadWhatWasWrittenWhereItWasWrittenJoin) {
  const auto placed = record([&] {
    b_[all] = a_ * 2.0;
    c_[all] = b_ + a_;
    a_ += c_;
  });
  Group group(placed[0]);
  for (std::size_t i = 1; i < placed.size(); ++i) {
    ASSERT_TRUE(group.can_join(placed[i])) << placed[i].operation->name;
    group.join(placed[i]);
  }
  const Task task = finish(group);
  EXPECT_EQ(task.operations, static_cast<int>(placed.size()));
  EXPECT_EQ(task.reads.size(), 1u) << "b and c are in registers";
  EXPECT_STREQ(task.name, placed.back().operation->name);
}

TEST_F(GroupTest, ANeighbourOfWhatIsWrittenHereStaysOutAndANeighbourOfWhatIsReadJoins) {
  Group group(record_one([&] { b_(slice(1, {}), all) = a_(slice(1, {}), all); }));
  EXPECT_TRUE(group.can_join(record_one([&] { c_(slice(1, {}), all) = a_(slice(0, -1), all); })));
  EXPECT_TRUE(group.can_join(record_one([&] { c_(slice(1, {}), all) = b_(slice(1, {}), all); })));
  EXPECT_FALSE(group.can_join(record_one([&] { c_(slice(1, {}), all) = b_(slice(0, -1), all); })));
  EXPECT_FALSE(group.can_join(record_one([&] { b_(slice(0, -1), all) = 1.0; }))) << "written at other points";
  EXPECT_TRUE(group.can_join(record_one([&] { b_(slice(1, {}), all) = 1.0; }))) << "written again";
  EXPECT_TRUE(group.can_join(record_one([&] { a_(slice(0, -1), all) = 1.0; })))
      << "all is read before anything is written";
}

TEST_F(GroupTest, AnotherDomainOrDistributionStaysOut) {
  Group group(record_one([&] { b_[all] = a_; }));
  EXPECT_FALSE(group.can_join(record_one([&] { c_(slice(1, {}), all) = 1.0; })));
  PlacedOperation cut = record_one([&] { c_[all] = 1.0; });
  EXPECT_TRUE(group.can_join(cut));
  std::array<int, kMaxAxes> parts;
  parts.fill(1);
  parts[0] = 2;
  cut.distribution = Tiling::even(cut.domain, parts);
  EXPECT_FALSE(group.can_join(cut));
}

TEST_F(GroupTest, FoldsJoinAlongTheSameAxesUnlessTheirResultIsReadHere) {
  np::Array rows = np::zeros(20), columns = np::zeros(30);
  Group group(record_one([&] { b_[all] = a_; }));
  const PlacedOperation sum = record_one([&] { rows = np::sum(b_, 1); });
  ASSERT_TRUE(group.can_join(sum));
  group.join(sum);
  EXPECT_TRUE(group.can_join(record_one([&] { (void)np::max(a_, 1); })));
  EXPECT_FALSE(group.can_join(record_one([&] { columns = np::sum(a_, 0); }))) << "other axes";
  EXPECT_FALSE(group.can_join(record_one([&] { c_[all] = rows(all, np::newaxis); }))) << "not known before the end";
  const Task task = finish(group);
  ASSERT_EQ(task.reductions.size(), 1u);
  EXPECT_EQ(task.reduced_axes, 0b10);
  ASSERT_TRUE(task.kernel());
  EXPECT_EQ(task.kernel()->accumulations.size(), 1u);
}

TEST_F(GroupTest, NobodyJoinsAnImportAReshapeOrATask) {
  const auto import = record([&] { (void)np::array({1.0, 2.0, 3.0}); });
  Group imported(import[0]);
  EXPECT_FALSE(imported.can_join(record_one([&] { (void)np::zeros(3); })));
  const auto cells = record([&] { (void)a_.reshape({600}); });
  Group reshaped(cells.back());
  EXPECT_FALSE(reshaped.can_join(record_one([&] { (void)np::zeros(600); })));
  const Task task = finish(reshaped);
  EXPECT_TRUE(std::holds_alternative<ReshapedCells>(task.computation));
  EXPECT_EQ(task.reads[0].view.shape, Shape({20, 30}));
  EXPECT_TRUE(task.writes[0].kept);
  EXPECT_FALSE(task.kernel());
}

TEST_F(GroupTest, HasRoomForTwentyFourArraysInMemoryAndAsManyOperationsAsItTakes) {
  std::vector<np::Array> arrays;
  for (int i = 0; i < 40; ++i) arrays.push_back(np::zeros({20, 30}));
  Group wide(record_one([&] { arrays[0][all] = 1.0; }));
  std::size_t joined = 1;
  for (; joined < arrays.size(); ++joined) {
    const PlacedOperation next = record_one([&] { arrays[joined][all] = 1.0; });
    if (!wide.can_join(next)) break;
    wide.join(next);
  }
  EXPECT_LE(finish(wide).kernel()->arrays.size(), 24u);
  EXPECT_GE(joined, 20u);
  Group deep(record_one([&] { a_ += 1.0; }));
  int operations = 1;
  for (; operations < 800; ++operations) {
    const PlacedOperation next = record_one([&] { a_ += 1.0; });
    if (!deep.can_join(next)) break;
    if (operations == 634) {
      EXPECT_TRUE(deep.can_join(next, 5));
      EXPECT_FALSE(deep.can_join(next, 6)) << "with those that would join before it";
    }
    deep.join(next);
  }
  EXPECT_EQ(operations, 640);
}

TEST_F(GroupTest, ValuesThatMostLikelyStayInRegistersTakeNoRoomInMemory) {
  std::vector<np::Array> values;
  const auto fresh = [&] {
    PlacedOperation placed = record_one([&] { values.push_back(a_ + 1.0); });
    placed.fresh = true;
    return placed;
  };
  Group group(fresh());
  int count = 1;
  for (PlacedOperation next = fresh(); group.can_join(next) && count < 800; next = fresh(), ++count) group.join(next);
  EXPECT_GT(count, 600);
  EXPECT_LE(count, 640);
}

// --- who must come after

TEST_F(GroupTest, WhoMeetsWhatIsWrittenOrWritesWhatIsReadDepends) {
  Group group(record_one([&] { b_(slice(0, 10), all) = a_(slice(5, 15), all); }));
  const auto depends = [&](auto call) { return group.depends(record_one(call)); };
  EXPECT_TRUE(depends([&] { c_[all] = b_; })) << "reads what is written";
  EXPECT_TRUE(depends([&] { b_(9) = 1.0; })) << "writes what is written";
  EXPECT_TRUE(depends([&] { a_(14) = 1.0; })) << "writes what is read";
  EXPECT_FALSE(depends([&] { c_[all] = a_; })) << "reads what is read";
  EXPECT_FALSE(depends([&] { c_[all] = 1.0; }));
  EXPECT_FALSE(depends([&] { c_(slice(0, 10), all) = b_(slice(10, 20), all); })) << "other cells";
  EXPECT_FALSE(depends([&] { b_(10) = 1.0; }));
  EXPECT_FALSE(depends([&] { a_(slice(0, 5), all) = 1.0; }));
  EXPECT_FALSE(depends([&] { a_(slice(15, {}), all) = 1.0; }));
}

TEST_F(GroupTest, OfATaskOfAUsersAllCellsCount) {
  np::Array x = np::zeros(100);
  const auto touch = task("touch", [](Piece, ReadWrite<double, 1>) {});
  const auto launch = record([&] { touch({50}, read_write(x(slice(0, 50)))); });
  Group group(record_one([&] { x(slice(60, {})) = 1.0; }));
  EXPECT_TRUE(group.depends(launch[0]));
}

// --- the kernel

TEST_F(GroupTest, ViewsAtMostEightCellsApartAreOneArrayAtOffsets) {
  np::Array x = np::zeros(100), y = np::zeros(80);
  const auto placed = record([&] {
    y[all] = x(slice(8, 88)) + x(slice(0, 80));
    y += x(slice(16, 96));
    y += x(slice(17, 97));
  });
  const Task task = finish(*group_of(placed));
  ASSERT_EQ(task.reads.size(), 2u);
  EXPECT_EQ(task.reads[0].footprint.offsets()->at, (std::vector<Point>{{1, {0}}, {1, {-8}}, {1, {8}}}));
  EXPECT_EQ(task.reads[0].low(), (Point{1, {-8}}));
  EXPECT_EQ(task.reads[0].high(), (Point{1, {8}}));
  EXPECT_EQ(task.reads[1].footprint.offsets()->at, (std::vector<Point>{{1, {0}}})) << "nine cells on";
}

TEST_F(GroupTest, ArraysSayHowTheirCellsLieAlongTheLastAxis) {
  np::Array row = np::zeros(30), column = np::zeros(20), square = np::zeros({30, 20}), wide = np::zeros({20, 60});
  const auto group = group_of(record([&] {
    b_[all] = a_ + row;
    b_ += column(all, np::newaxis);
    b_ += square.T();
    b_ += wide(all, slice({}, {}, 2));
    b_ += a_(slice({}, {}, -1), all);
  }));
  const Task task = finish(*group);
  using kernel::Inner;
  std::vector<Inner> inner;
  std::vector<int> rows;
  for (const kernel::ArrayArgument& array : task.kernel()->arrays) {
    inner.push_back(array.inner);
    rows.push_back(array.row);
  }
  EXPECT_EQ(inner, (std::vector{Inner::Contiguous, Inner::Contiguous, Inner::Broadcast, Inner::Strided, Inner::Strided,
                                Inner::Contiguous, Inner::Contiguous}));
  EXPECT_EQ(rows, (std::vector{0, -1, 0, 1, 0, -1, 0})) << "the axis that goes one cell on with the last but one";
  EXPECT_EQ(task.kernel()->arrays.back().access, kernel::Access::Write);
}

TEST_F(GroupTest, NumbersComeFromTheirOperationsCastToWhatTheyAreComputedIn) {
  np::Array whole = np::zeros({20, 30}, int64);
  const auto group = group_of(record([&] {
    b_[all] = a_ * 2;
    b_ += 0.5;
  }));
  const Task task = finish(*group);
  ASSERT_EQ(task.scalars.size(), 2u);
  EXPECT_EQ(task.scalars[0], Scalar::of(2.0).bits);
  EXPECT_EQ(task.scalars[1], Scalar::of(0.5).bits);
  ASSERT_EQ(task.scalar_sources.size(), 2u);
  EXPECT_EQ(task.scalar_sources[0].operation, 0);
  EXPECT_EQ(task.scalar_sources[1].operation, 2) << "0: a * 2; 1: the copy into b; 2: b + 0.5";
  EXPECT_EQ(task.kernel()->scalars, (std::vector{DType::Float64, DType::Float64}));
}

TEST_F(GroupTest, NumbersOfOneNameAreOneNumberOfTheKernel) {
  const auto numbers_of = [&](std::uint32_t first, std::uint32_t second) {
    auto placed = record([&] { b_[all] = a_ * 2.0 + a_ * 2.0; });
    std::uint32_t names[] = {first, second};
    int next = 0;
    for (Operation& operation : windows_.back()) {
      auto& inputs = std::get<Elementwise>(operation.what).inputs;
      for (Operand& input : inputs) {
        if (!input.is_view()) input.name = names[next++];
      }
    }
    EXPECT_EQ(next, 2);
    const auto group = group_of(placed);
    const Task task = finish(*group);
    EXPECT_EQ(task.scalars.size(), task.scalar_sources.size());
    EXPECT_EQ(task.kernel()->scalars.size(), task.scalars.size());
    return task.scalars.size();
  };
  EXPECT_EQ(numbers_of(7, 7), 1u);
  EXPECT_EQ(numbers_of(7, 8), 2u);
  EXPECT_EQ(numbers_of(0, 0), 2u) << "equal, but by chance";
}

// --- who gets memory

TEST_F(GroupTest, AValueGetsMemoryWhereItIsHeldOrLoadedSomewhere) {
  const auto placed = record([&] { b_[all] = (a_ + 1.0) * 2.0; });
  WindowStore& sum = stores_[static_cast<std::size_t>(placed[0].operation->output()->store->window_index)];
  ASSERT_TRUE(sum.dies);
  const auto kept = [&](const std::vector<Rect>& loaded) -> bool {
    sum.loaded = loaded;
    const Task task = group_of(placed)->finish(stores_);
    std::vector<bool> kept;
    for (const TaskWrite& write : task.writes) kept.push_back(write.kept);
    EXPECT_EQ(task.kernel()->stores.size(), static_cast<std::size_t>(std::count(kept.begin(), kept.end(), true)));
    return kept.front();
  };
  EXPECT_FALSE(kept({}));
  EXPECT_TRUE(kept({Rect::of({19, 29}, {20, 30})})) << "one cell of it";
  EXPECT_FALSE(kept({Rect::of({20, 0}, {21, 30})})) << "cells that are not written here";
  StoreState state;
  sum.store->state = &state;
  EXPECT_TRUE(kept({})) << "it has a value from before";
  sum.store->state = nullptr;
  sum.dies = false;
  EXPECT_TRUE(kept({})) << "somebody holds it";
}

TEST_F(GroupTest, MarksTheCellsThatItLoadsOfStoresThatDie) {
  b_[all] = a_(slice({}, {}, -1), all);
  Group group(record_one([&] { b_(slice(2, 5), all) = a_(slice(3, 6), all); }));
  window_store(a_).dies = true;
  group.mark_loads(stores_);
  EXPECT_EQ(window_store(a_).loaded, (std::vector{Rect::of({3, 0}, {6, 30})}));
  EXPECT_TRUE(window_store(b_).loaded.empty()) << "it is held: it gets memory anyway";
}

}  // namespace
}  // namespace pilum::scheduler
