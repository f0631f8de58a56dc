#include "scheduler/record/operation.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

class ScalarsOf : public testing::TestWithParam<std::size_t> {};

// Six are kept in place, more in a vector: nobody sees which.
TEST_P(ScalarsOf, ALaunchAreItsWordsAlsoInCopiesThatOutliveThem) {
  std::vector<std::uint64_t> words(GetParam());
  std::iota(words.begin(), words.end(), std::uint64_t{1} << 63);
  LaunchScalars copy;
  {
    const LaunchScalars scalars(words, 77);
    EXPECT_EQ(std::vector<std::uint64_t>(scalars.words().begin(), scalars.words().end()), words);
    copy = scalars;
  }
  EXPECT_EQ(std::vector<std::uint64_t>(copy.words().begin(), copy.words().end()), words);
  EXPECT_EQ(copy.checked(), 77u);
  const LaunchScalars moved = std::move(copy);
  EXPECT_EQ(std::vector<std::uint64_t>(moved.words().begin(), moved.words().end()), words);
}

INSTANTIATE_TEST_SUITE_P(Counts, ScalarsOf, testing::Values(0, 1, 5, 6, 7, 64));

TEST(Whole, OfAStoreIsItsIdentityWhateverItsRank) {
  for (int rank = 0; rank <= kMaxAxes; ++rank) {
    const StoreRef store(new Store);
    for (int axis = 0; axis < rank; ++axis) store->shape.push_back(3 + axis);
    const View view = whole(store);
    EXPECT_EQ(view.store, store);
    EXPECT_EQ(view.shape, store->shape);
    EXPECT_EQ(view.map.view_rank, rank);
    EXPECT_EQ(view.map.store_rank, rank);
    EXPECT_EQ(partitioner::image(view.map, Rect::of(view.shape)), Rect::of(store->shape));
  }
}

TEST(Operand, WithoutAStoreIsANumber) {
  Operand operand;
  operand.scalar = Scalar::of(0.5);
  EXPECT_FALSE(operand.is_view());
  operand.view = whole(StoreRef(new Store));
  EXPECT_TRUE(operand.is_view());
}

// The views of an operation as "0w 1r": which store, written or read.
std::string views_of(const Operation& operation, const std::vector<StoreRef>& stores) {
  std::string text;
  for_each_view(operation, [&](const View& view, bool write) {
    const auto found = std::find(stores.begin(), stores.end(), view.store);
    text += (text.empty() ? "" : " ") + std::to_string(found - stores.begin()) + (write ? "w" : "r");
  });
  return text;
}

TEST(ForEachView, OfAnOperationIsItsOutputThenTheViewsAmongItsInputs) {
  std::vector<StoreRef> stores;
  for (int i = 0; i < 4; ++i) stores.emplace_back(new Store);
  Operation operation;
  operation.output = whole(stores[0]);
  EXPECT_EQ(views_of(operation, stores), "0w");
  operation.input_count = 3;
  operation.inputs[0].view = whole(stores[1]);
  operation.inputs[1].scalar = Scalar::of(2.0);
  operation.inputs[2].view = whole(stores[0]);
  EXPECT_EQ(views_of(operation, stores), "0w 1r 0r");
  operation.input_count = 2;  // what stands beyond is no input
  EXPECT_EQ(views_of(operation, stores), "0w 1r");
}

TEST(ForEachView, OfATaskIsItsArgumentsInOrderAndAFoldWrites) {
  std::vector<StoreRef> stores;
  auto launch = std::make_shared<TaskLaunch>();
  const kernel::Access accesses[] = {kernel::Access::Read, kernel::Access::Write, kernel::Access::ReadWrite,
                                     kernel::Access::Reduce};
  for (const kernel::Access access : accesses) {
    stores.emplace_back(new Store);
    Argument argument;
    argument.view = whole(stores.back());
    argument.footprint.access = access;
    launch->arguments.push_back(argument);
  }
  Operation operation;
  operation.kind = OperationKind::Task;
  operation.launch = launch;
  EXPECT_EQ(views_of(operation, stores), "0r 1w 2w 3w");
}

}  // namespace
}  // namespace pilum::scheduler
