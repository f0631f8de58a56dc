#include "scheduler/analyze/launch_placement.h"

#include <gtest/gtest.h>

#include "tests/scheduler/launch_arguments.h"
#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

using partitioner::image, partitioner::Tiling;
using Parts = std::array<int, kMaxAxes>;

constexpr AxisCells kOwnRow{0, 1, 0, 1}, kOwnColumn{1, 1, 0, 1};

machine::Machine machine_of(int processors) {
  machine::Machine machine;
  machine.ranks = processors;
  machine.split_bytes = 64;
  return machine;
}

Tiling cut(const Shape& shape, int rows, int columns = 1) {
  Parts parts;
  parts.fill(1);
  parts[0] = rows;
  parts[1] = columns;
  return Tiling::even(Rect::of(shape), parts);
}

// A launch over 40 x 20 points, its stores cut by hand.
class Placement : public testing::Test {
 protected:
  Placement() {
    launch_->domain = Rect::of({0, 0}, {40, 20});
    launch_->body = std::make_shared<TaskBody>();
  }
  Argument& add(kernel::Access access, const Tiling& tiling, std::initializer_list<AxisCells> windows) {
    Shape shape;
    for (int axis = 0; axis < tiling.box().rank; ++axis) shape.push_back(tiling.box().extent(axis));
    return add(argument_of(access, shape, windows), tiling);
  }
  Argument& add(const Argument& argument, const Tiling& tiling) {
    argument.view.store->window_index = static_cast<int>(stores_.size());
    argument.view.store->id = StoreId{100 + static_cast<std::int64_t>(stores_.size())};
    stores_.push_back({argument.view.store.get(), tiling, false, {}});
    launch_->arguments.push_back(argument);
    return launch_->arguments.back();
  }
  Tiling place(int processors = 4) { return place_launch(*launch_, stores_, machine_of(processors)); }
  std::vector<Operation> stage(const Tiling& distribution) {
    return stage_writes({"smooth", {}, TaskCall{launch_, {}}}, distribution, stores_);
  }
  std::shared_ptr<TaskLaunch> launch_ = std::make_shared<TaskLaunch>();
  std::vector<WindowStore> stores_;
};

TEST_F(Placement, OneProcessorHasAll) {
  add(kernel::Access::Write, cut(Shape({40, 20}), 4), {kOwnRow, kOwnColumn});
  EXPECT_TRUE(place(1).is_replicated());
  EXPECT_EQ(place(1).tile(0), launch_->domain);
}

TEST_F(Placement, PiecesFollowTheFirstArrayThatIsWrittenAndNotThoseThatAreRead) {
  add(kernel::Access::Read, cut(Shape({40, 20}), 2, 2), {kOwnRow, kOwnColumn});
  add(kernel::Access::Reduce, cut(Shape({40, 20}), 2, 2), {{-1, 0, 0, 40}, {-1, 0, 0, 20}});
  add(kernel::Access::Write, cut(Shape({40, 20}), 4), {kOwnRow, kOwnColumn});
  add(kernel::Access::Write, cut(Shape({40, 20}), 1, 4), {kOwnRow, kOwnColumn});
  EXPECT_EQ(place().tile(1), Rect::of({10, 0}, {20, 20}));
}

TEST_F(Placement, PiecesLieWithTheViewsCells) {
  Argument& argument = add(kernel::Access::ReadWrite, cut(Shape({48, 30}), 4), {kOwnRow, kOwnColumn});
  argument.view.map[0].offset = 5;  // rows 5 … 45 of 48
  argument.view.shape = argument.footprint.shape = Shape({40, 20});
  EXPECT_EQ(place().tile(0), Rect::of({0, 0}, {7, 20}));
  EXPECT_EQ(place().tile(3), Rect::of({31, 0}, {40, 20}));
}

TEST_F(Placement, WhatIsWrittenEverywhereOrAcrossTheDomainIsPassedOver) {
  add(kernel::Access::Write, Tiling::replicated(Rect::of({0, 0}, {40, 20})), {kOwnRow, kOwnColumn});
  add(kernel::Access::Write, cut(Shape({40, 20, 8}), 4), {{-1, 0, 0, 40}, kOwnColumn, {-1, 0, 0, 8}});
  add(kernel::Access::Write, cut(Shape({40, 20}), 1, 4), {kOwnRow, kOwnColumn});
  EXPECT_EQ(place().tile(1), Rect::of({0, 5}, {40, 10}));
}

TEST_F(Placement, AnArrayCutAlongAnAxisThatEachPointHasWholeIsNotFollowed) {
  add(kernel::Access::Write, cut(Shape({40, 20}), 4), {{-1, 0, 3, 1}, kOwnColumn});
  const Tiling even = place();
  std::int64_t points = 0;
  for (int p = 0; p < 4; ++p) points += even.tile(p).cells();
  EXPECT_EQ(points, 800) << "the domain is cut evenly instead";
  EXPECT_FALSE(even.tile(3).empty());
}

TEST_F(Placement, WithoutAnythingWrittenTheDomainIsCutEvenly) {
  add(kernel::Access::Read, cut(Shape({40, 20}), 1, 4), {kOwnRow, kOwnColumn});
  for (const int processors : {2, 3, 5, 64}) {
    std::int64_t points = 0, most = 0;
    for (int p = 0; p < processors; ++p) {
      points += place(processors).tile(p).cells();
      most = std::max(most, place(processors).tile(p).cells());
    }
    EXPECT_EQ(points, 800);
    EXPECT_LE(most, 2 * 800 / processors + 40) << processors;
  }
}

TEST_F(Placement, WhatWritesAFileLiesWithWhatItReads) {
  auto body = std::make_shared<TaskBody>();
  body->does_io = true;
  launch_->body = body;
  add(kernel::Access::Read, Tiling::replicated(Rect::of({1})), {{-1, 0, 0, 1}});
  add(kernel::Access::Reduce, cut(Shape({40, 20}), 2, 2), {{-1, 0, 0, 40}, {-1, 0, 0, 20}});
  add(kernel::Access::Read, cut(Shape({40, 20}), 1, 4), {kOwnRow, kOwnColumn});
  EXPECT_EQ(place().tile(1), Rect::of({0, 5}, {40, 10}));
}

TEST_F(Placement, WhatWritesAFileOfAnArrayThatAllHaveIsCutEvenly) {
  auto body = std::make_shared<TaskBody>();
  body->does_io = true;
  launch_->body = body;
  add(kernel::Access::Read, Tiling::replicated(Rect::of({40, 20})), {kOwnRow, kOwnColumn});
  EXPECT_FALSE(place().is_replicated());
  EXPECT_FALSE(place().tile(3).empty());
}

// --- what is cut otherwise

TEST_F(Placement, WhatIsCutAsTheDomainIsWrittenAsItIs) {
  add(kernel::Access::Write, cut(Shape({40, 20}), 4), {kOwnRow, kOwnColumn});
  add(kernel::Access::Read, cut(Shape({40, 20}), 1, 4), {kOwnRow, kOwnColumn});
  const std::vector<Operation> operations = stage(place());
  ASSERT_EQ(operations.size(), 1u);
  EXPECT_EQ(operations[0].launch(), launch_.get());
  EXPECT_EQ(stores_.size(), 2u);
}

TEST_F(Placement, WhatIsCutOtherwiseIsWrittenBesideAndCopiedBack) {
  add(kernel::Access::Write, cut(Shape({40, 20}), 4), {kOwnRow, kOwnColumn});
  const Argument second = add(kernel::Access::Write, cut(Shape({40, 20}), 1, 4), {kOwnRow, kOwnColumn});
  const Tiling distribution = place();
  const std::vector<Operation> operations = stage(distribution);
  ASSERT_EQ(operations.size(), 2u);
  ASSERT_EQ(stores_.size(), 3u);
  const WindowStore& stage = stores_[2];
  EXPECT_TRUE(stage.dies);
  EXPECT_EQ(stage.store->window_index, 2);
  EXPECT_EQ(stage.store->shape, Shape({40, 20}));
  EXPECT_EQ(stage.store->id, second.view.store->id) << "known by its target's name";
  EXPECT_EQ(stage.tiling.tile(1), distribution.tile(1));
  EXPECT_EQ(operations[0].launch()->arguments[1].view.store.get(), stage.store);
  EXPECT_EQ(operations[0].launch()->arguments[0].view.store, launch_->arguments[0].view.store);
  EXPECT_EQ(launch_->arguments[1].view.store, second.view.store) << "what was recorded is left alone";
  EXPECT_EQ(operations[1].elementwise()->inputs[0].view.store.get(), stage.store);
  EXPECT_EQ(operations[1].output()->store, second.view.store);
  EXPECT_FALSE(operations[1].launch());
  EXPECT_STREQ(operations[1].name, "smooth");
}

TEST_F(Placement, WhatWasThereIsCopiedThereFirst) {
  add(kernel::Access::Write, cut(Shape({40, 20}), 4), {kOwnRow, kOwnColumn});
  const Argument second = add(kernel::Access::ReadWrite, cut(Shape({40, 20}), 1, 4), {kOwnRow, kOwnColumn});
  const std::vector<Operation> operations = stage(place());
  ASSERT_EQ(operations.size(), 3u);
  EXPECT_EQ(operations[0].elementwise()->inputs[0].view.store, second.view.store);
  EXPECT_EQ(operations[0].output()->store.get(), stores_[2].store);
  EXPECT_TRUE(operations[1].launch());
  EXPECT_EQ(operations[2].output()->store, second.view.store);
}

TEST_F(Placement, WhereAllHaveAllNothingIsStaged) {
  add(kernel::Access::Write, cut(Shape({40, 20}), 1, 4), {kOwnRow, kOwnColumn});
  EXPECT_EQ(stage(Tiling::replicated(launch_->domain)).size(), 1u);
}

TEST_F(Placement, AfterStagingEveryProcessorWritesItsOwnCells) {
  for_each_seed(100, [this](std::uint64_t seed) {
    Random random(seed);
    stores_.clear();
    launch_->arguments.clear();
    const int processors = static_cast<int>(random.between(2, 6));
    for (std::int64_t count = random.between(1, 4); count > 0; --count) {
      const Shape shape({40 + random.between(0, 3), 20 + random.between(0, 3)});
      Argument argument = argument_of(random.once_in(2) ? kernel::Access::Write : kernel::Access::ReadWrite, shape,
                                      {kOwnRow, kOwnColumn});
      for (int k = 0; k < 2; ++k) argument.view.map[k].offset = random.between(0, shape[k] - (k ? 20 : 40));
      argument.view.shape = argument.footprint.shape = Shape({40, 20});
      const Tiling tilings[] = {cut(shape, processors), cut(shape, 1, processors), cut(shape, 2, processors / 2),
                                Tiling::replicated(Rect::of(shape))};
      add(argument, tilings[static_cast<std::size_t>(random.between(0, 3))]);
    }
    const Tiling distribution = place(processors);
    const std::vector<Operation> operations = stage(distribution);
    int launches = 0;
    for (const Operation& operation : operations) {
      if (!operation.launch()) continue;
      ++launches;
      for (const Argument& argument : operation.launch()->arguments) {
        const Tiling& tiling = stores_[static_cast<std::size_t>(argument.view.store->window_index)].tiling;
        for (int p = 0; p < processors; ++p) {
          const Rect piece = distribution.tile(p);
          EXPECT_TRUE(tiling.tile(p).contains(image(argument.map(), piece))) << "processor " << p;
        }
      }
    }
    EXPECT_EQ(launches, 1);
  });
}

}  // namespace
}  // namespace pilum::scheduler
